import { strict as assert } from "node:assert";
import { residentMiB } from "../support/memory.ts";
import { startServe } from "../support/serve.ts";
import { pause, within } from "../support/within.ts";
import { fakeUpstream, someBytes } from "../support/upstream.ts";

Deno.test("viewers that never read cost no memory beyond the cache", async () => {
  const big = someBytes(4_000_000);
  await using upstream = fakeUpstream(({ answer }) => answer(200, { "content-type": "video/mp2t" }, big));
  await using serve = await startServe(upstream.origin);
  const stuck: Deno.Conn[] = [];
  try {
    for (let number = 0; number < 400; number++) {
      const conn = await Deno.connect(serve);
      stuck.push(conn);
      // many at once on one connection, so that the kernel's buffers cannot take it all
      const ask = `GET /api/hls/live/clock/${number % 40}.ts HTTP/1.1\r\nHost: localhost\r\n\r\n`;
      await conn.write(new TextEncoder().encode(ask.repeat(4)));
    }
    await within("everything to be asked for", 60_000, () => new Set(upstream.requests).size === 40);
    await pause(3000);
    const mib = residentMiB(serve.pid);
    assert.ok(mib > 0 && mib < 400, `${mib.toFixed(0)} MiB; 400 viewers' segments are 1600`);
  } finally {
    stuck.forEach((conn) => conn.close());
  }
});
