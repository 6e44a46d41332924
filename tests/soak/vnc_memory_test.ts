import { DEFAULT_TIMINGS } from "../../lib/timings.ts";
import { strict as assert } from "node:assert";
import { connectToProxy } from "../../lib/takeover/bridge.ts";
import { residentMiB } from "../support/memory.ts";
import { startService } from "../support/service.ts";
import { pause } from "../support/within.ts";
import { enter, takeoverStream, tokenOf, webPid } from "../support/takeover.ts";

Deno.test("a viewer that stops reading while it asks for more does not grow memory; an idle one stays", async () => {
  const service = await startService();
  try {
    for (const name of ["A", "B"]) await service.create(takeoverStream(service, name));
    const [a, b] = [await tokenOf(service, "a"), await tokenOf(service, "b")];
    await using idle = await enter(service, a);
    await (await enter(service, b))[Symbol.asyncDispose]();
    const { host, port } = new URL(service.url);
    const pid = webPid(service);
    const viewer = await connectToProxy({
      at: Number(port),
      path: `/?token=${b}`,
      host: `${host}\r\nOrigin: ${service.url}`, // the client has no use for other headers
    }, DEFAULT_TIMINGS.vnc);
    let isGone = false;
    const send = (...bytes: number[]) =>
      viewer.send(new Uint8Array(bytes)).catch(() => {
        isGone = true;
      });
    await send(...new TextEncoder().encode("RFB 003.008\n"));
    await send(1);
    await send(1);
    await send(2, 0, 0, 1, 0, 0, 0, 0);
    const askAll = () => send(3, 0, 0, 0, 0, 0, 5, 0, 2, 208); // 1280x720
    for (let count = 0; count < 20; count++) await askAll();
    await pause(5000);
    const before = residentMiB(pid);
    let most = before, proxyMost = 0;
    for (const end = Date.now() + 55_000; Date.now() < end; await pause(250)) {
      if (!isGone) await askAll();
      most = Math.max(most, residentMiB(pid));
      proxyMost = Math.max(proxyMost, ...service.processes(/websockify/).map(residentMiB));
    }
    console.log(`    web app +${Math.round(most - before)} MiB, VNC proxy ${Math.round(proxyMost)} MiB`);
    assert.ok(most - before < 23, `the web app grew from ${before} to ${most} MiB`);
    assert.ok(most > 0, "the web app is gone");
    assert.ok(proxyMost < 190, `the VNC proxy grew to ${proxyMost} MiB`);
    assert.equal(idle.socket.readyState, WebSocket.OPEN, "the idle viewer was sent away");
    await idle.refresh();
    assert.equal(service.processes(/websockify/).length, 2, "only the idle one has a bridge");
    await viewer.close({ code: 1000, reason: "" });
  } finally {
    await service.stop();
  }
});
