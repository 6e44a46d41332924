import assert from "node:assert/strict";
import { proxy } from "../../../lib/door/proxy.ts";
import { reserveSlot } from "../../support/slot.ts";
import { tellTime } from "../../support/times.ts";
import { fakeUpstream } from "../../support/upstream.ts";

/** A tiny upstream; `using` its answer stops it. */
function upstream(handler: (request: Request) => Response | Promise<Response>) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handler);
  return {
    url: `http://127.0.0.1:${server.addr.port}/live/a/1.ts`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const CACHED = "max-age=300, immutable";

Deno.test("method, range and validators go up; status, type and length come back; nothing else does", async () => {
  let seen: { method: string; path: string; headers: Headers } | undefined;
  await using server = upstream(({ method, url, headers: sent }) => {
    seen = { method, path: new URL(url).pathname, headers: new Headers(sent) };
    const headers = {
      "content-range": "bytes 1-2/4",
      "accept-ranges": "bytes",
      "content-type": "video/mp2t",
      "etag": '"x"',
      "last-modified": "Thu, 01 Jan 2026 00:00:00 GMT",
      "cache-control": "private",
      "server": "nginx",
      "set-cookie": "a=b",
      "access-control-allow-origin": "*",
    };
    return new Response("bc", { status: 206, headers });
  });
  const headers = {
    range: "bytes=1-2",
    "if-range": '"x"',
    "if-none-match": '"y"',
    cookie: "session=1",
    authorization: "Basic eA==",
    "x-forwarded-for": "1.2.3.4",
    origin: "https://evil.example",
  };
  const response = await proxy(new Request("http://localhost/api/hls/x", { headers }), server.url, {
    cacheControl: CACHED,
  });
  assert.deepEqual([response.status, await response.text()], [206, "bc"]);
  assert.deepEqual(Object.fromEntries(response.headers), {
    "accept-ranges": "bytes",
    "cache-control": CACHED,
    "content-length": "2",
    "content-range": "bytes 1-2/4",
    "content-type": "video/mp2t",
    "etag": '"x"',
    "last-modified": "Thu, 01 Jan 2026 00:00:00 GMT",
  });
  assert.deepEqual([seen?.method, seen?.path], ["GET", "/live/a/1.ts"]);
  const passed = ["range", "if-range", "if-none-match"].map((name) => seen?.headers.get(name));
  assert.deepEqual(passed, ["bytes=1-2", '"x"', '"y"']);
  for (const name of ["cookie", "authorization", "x-forwarded-for", "origin"]) {
    assert.equal(seen?.headers.get(name), null, name);
  }
});

Deno.test("HEAD stays HEAD", async () => {
  await using server = upstream((request) =>
    new Response(null, { headers: { "x-method": request.method, etag: `"${request.method}"` } })
  );
  const response = await proxy(new Request("http://localhost/", { method: "HEAD" }), server.url);
  assert.deepEqual([response.status, await response.text(), response.headers.get("etag")], [
    200,
    "",
    '"HEAD"',
  ]);
});

Deno.test("only good answers may be cached", async () => {
  const rules = [[200, CACHED], [206, CACHED], [304, CACHED], [302, "no-store"], [404, "no-store"], [
    500,
    "no-store",
  ]] as const;
  for (const [status, expected] of rules) {
    await using server = upstream(() =>
      new Response(null, { status, headers: { location: "http://evil.example/" } })
    );
    const response = await proxy(new Request("http://localhost/"), server.url, { cacheControl: CACHED });
    await response.body?.cancel();
    assert.deepEqual([response.status, response.headers.get("cache-control")], [status, expected]);
    assert.equal(response.headers.get("location"), null);
  }
});

/** The upstream is away: 502, and when to try again. */
async function isUnavailable(response: Response) {
  assert.deepEqual([response.status, response.headers.get("cache-control")], [502, "no-store"]);
  assert.match(response.headers.get("retry-after")!, /^\d+$/);
  assert.match((await response.json()).error.message, /media server/);
}

Deno.test("an upstream that is down is waited for, then it is a 502", async () => {
  using slot = reserveSlot();
  const start = performance.now();
  await isUnavailable(await proxy(new Request("http://localhost/"), `http://127.0.0.1:${slot.ports[0]}/x`));
  const took = performance.now() - start;
  assert.ok(took > 1000, `${took} ms`);
  tellTime("a 502 of a server that is down", took / 1000, 2.5);
});

Deno.test("an upstream that is being restarted is waited for", async () => {
  using slot = reserveSlot();
  const [port] = slot.ports;
  const requested = proxy(new Request("http://localhost/"), `http://127.0.0.1:${port}/x`);
  await new Promise((done) => setTimeout(done, 300));
  await using _server = {
    server: Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, () => new Response("back")),
    [Symbol.asyncDispose]() {
      return this.server.shutdown();
    },
  };
  const answer = await requested;
  assert.deepEqual([answer.status, await answer.text()], [200, "back"]);
});

Deno.test("an upstream that accepts and says nothing is a 502 after at most 2 s", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const real = globalThis.setTimeout;
  const waits: number[] = [];
  globalThis.setTimeout = ((action: () => void, ms = 0) => {
    waits.push(ms);
    return real(action, ms / 100); // the clock runs a hundred times faster
  }) as typeof setTimeout;
  try {
    const { port } = listener.addr as Deno.NetAddr;
    await isUnavailable(await proxy(new Request("http://localhost/"), `http://127.0.0.1:${port}/x`));
  } finally {
    globalThis.setTimeout = real;
  }
  assert.ok(waits[0] <= 2000, `${waits}`);
});

Deno.test("a client that goes away cancels the upstream's body", async () => {
  const { promise: cancelled, resolve } = Promise.withResolvers<void>();
  await using server = upstream(() =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(65536)),
        cancel: () => resolve(),
      }),
    )
  );
  const response = await proxy(new Request("http://localhost/"), server.url);
  const reader = response.body!.getReader();
  await reader.read();
  await reader.cancel();
  await cancelled;
});

Deno.test("a body that stops or dies ends in an error, not as if it were whole", async () => {
  for (const dies of [false, true]) {
    await using server = fakeUpstream(async ({ send, hangUp }) => {
      await send("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc");
      if (dies) hangUp();
    });
    const limits = { answerMs: 1000, idleMs: 100 };
    const response = await proxy(new Request("http://localhost/"), `${server.origin}/x`, { limits });
    await assert.rejects(response.text());
  }
});

Deno.test("an upstream is read no faster than its client reads, and waits for it", async () => {
  let pulls = 0;
  await using server = upstream(() =>
    new Response(
      new ReadableStream({
        pull: (controller) => {
          pulls++;
          controller.enqueue(new Uint8Array(1 << 20));
        },
      }),
    )
  );
  const limits = { answerMs: 5000, idleMs: 1000 };
  const response = await proxy(new Request("http://localhost/"), server.url, { limits });
  const reader = response.body!.getReader();
  await reader.read();
  await new Promise((done) => setTimeout(done, 1500)); // a slow client is not a silent upstream
  assert.ok(pulls < 40, `${pulls} MiB`);
  assert.ok((await reader.read()).value!.length > 0);
  await reader.cancel();
});

Deno.test("the answer of a server that is away names it", async () => {
  const options = { server: "The VNC client", limits: { answerMs: 50, idleMs: 50 } };
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${listener.addr.port}/x`;
  const response = await proxy(new Request("http://localhost/"), url, options);
  assert.match((await response.json()).error.message, /^The VNC client does not answer/);
});
