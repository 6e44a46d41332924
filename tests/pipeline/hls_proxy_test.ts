import { strict as assert } from "node:assert";
import { seedPlaylist } from "../../lib/media/hls.ts";
import { run } from "../../lib/system/process.ts";
import { playlistUrl, untilPageShown } from "../support/channel.ts";
import { fetchPlaylist, probe } from "../support/media.ts";
import { residentMiB } from "../support/memory.ts";
import { startServe, type TestServe } from "../support/serve.ts";
import { pause, startService, until } from "../support/service.ts";
import { type Exchange, fakeUpstream, someBytes } from "../support/upstream.ts";

const SEGMENT = "/live/clock/1795241652273.ts";
const PLAYLIST = "/live/clock/index.m3u8";
const bytes = someBytes(300_000);
const text = "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:7\n#EXTINF:1.000,\n1795241652273.ts\n";

/** As nginx answers, 100 ms late so that all viewers of a test are there. */
async function media({ path, answer }: Exchange): Promise<void> {
  await pause(100);
  if (path === PLAYLIST) return await answer(200, { "content-type": "application/vnd.apple.mpegurl" }, text);
  if (path === SEGMENT) return await answer(200, { "content-type": "video/mp2t", etag: '"a-1"' }, bytes);
  await answer(404, {}, "no");
}

/** Sends a raw request and returns the raw answer's start; the URL parser of fetch would tidy an attack up. */
async function raw({ hostname, port }: TestServe, requestLine: string): Promise<string> {
  using conn = await Deno.connect({ hostname, port });
  await conn.write(
    new TextEncoder().encode(`${requestLine}\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
  );
  const buffer = new Uint8Array(1000);
  const size = await conn.read(buffer).catch(() => null);
  return new TextDecoder().decode(buffer.subarray(0, size ?? 0));
}

Deno.test("50 viewers of a segment, a playlist or nothing at one moment cost one request", async () => {
  await using upstream = fakeUpstream(media);
  await using serve = await startServe(upstream.origin);
  for (const path of [SEGMENT, PLAYLIST, "/live/clock/1.ts"]) {
    const sizes = await Promise.all(Array.from({ length: 50 }, async () => {
      const response = await fetch(`${serve.url}/api/hls${path}`);
      return `${response.status} ${(await response.arrayBuffer()).byteLength}`;
    }));
    assert.equal(new Set(sizes).size, 1, `${[...new Set(sizes)]}`);
    assert.equal(upstream.requests.filter((request) => request === `GET ${path}`).length, 1, path);
  }
});

Deno.test("the app's own way to the route answers as the shortcut does", async () => {
  await using upstream = fakeUpstream(media);
  await using serve = await startServe(upstream.origin);
  for (const path of [SEGMENT, PLAYLIST]) {
    const [short, long] = await Promise.all(
      [`/api/hls${path}`, `/api//hls${path}`].map(async (address) => {
        const response = await fetch(serve.url + address, { headers: { range: "bytes=0-9" } });
        const headers = Object.fromEntries(response.headers);
        return { status: response.status, body: await response.text(), headers };
      }),
    );
    assert.deepEqual([short.status, short.body.length], [206, 10]);
    assert.equal(long.body, short.body);
    for (const name of Object.keys(short.headers)) {
      if (name !== "date") assert.equal(long.headers[name], short.headers[name], name);
    }
  }
  const head = await raw(serve, `HEAD /api/hls${SEGMENT} HTTP/1.1`);
  assert.match(head, /^HTTP\/1\.1 200 /);
  assert.match(head, /\r\ncontent-length: 300000\r\n/);
  assert.match(head, /\r\n\r\n$/);
});

Deno.test("a playlist leaves in one packet", async () => {
  const segments = Array.from({ length: 8 }, (_, at) => `#EXTINF:1.000,\n${1795241652273 + at}.ts\n`);
  const playlist = seedPlaylist(Date.now()) + segments.join("");
  const type = { "content-type": "application/vnd.apple.mpegurl" };
  await using upstream = fakeUpstream(({ answer }) => answer(200, type, playlist));
  await using serve = await startServe(upstream.origin);
  using conn = await Deno.connect({ hostname: serve.hostname, port: serve.port });
  const buffer = new Uint8Array(4096);
  for (let round = 1; round <= 20; round++) {
    await conn.write(
      new TextEncoder().encode(`GET /api/hls${PLAYLIST} HTTP/1.1\r\nHost: localhost\r\n\r\n`),
    );
    let answer = "";
    while (!answer.endsWith("280.ts\n")) {
      answer += new TextDecoder().decode(buffer.subarray(0, (await conn.read(buffer))!));
    }
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.equal(await packetsWithData(conn), round);
  }
});

/** How many packets with data the other end has sent. */
async function packetsWithData({ localAddr }: Deno.TcpConn): Promise<number> {
  const { hostname, port } = localAddr as Deno.NetAddr;
  const { code, stdout } = await run(["/usr/bin/ss", "-tinH", "src", `${hostname}:${port}`], {
    timeout: 5000,
  });
  const [, count] = /\bdata_segs_in:(\d+)/.exec(stdout) ?? [];
  assert.ok(code === 0 && count, stdout);
  return Number(count);
}

const ATTACKS = [
  ...["/../../etc/passwd", "/live/../../etc/passwd.ts", "/live/%2e%2e/%2e%2e/a.ts", "/live/%252e%252e/a.ts"],
  ...["/live/..%2fa.ts", "/live/..%5ca.ts", "/live/..\\a.ts", "/live/a%00.ts"],
  ...[
    "/live/a%0d%0aX:y.ts",
    "/@evil.example/a.ts",
    ":80/a.ts",
    "/http://evil.example/a.ts",
    "/live/%c0%ae%c0%ae/a.ts",
  ],
  ...[
    "/stat",
    "/control/drop",
    "/live",
    "/live/",
    "/live/clock/",
    "/live/.ts",
    "/live/clock/x.mp4",
    "/live/a;b.ts",
  ],
  ...[
    "/live/%zz.ts",
    "/live/a b.ts",
    "/live/\u00e4.ts",
    `/live/${"a".repeat(9000)}.ts`,
    "/live/clock/index.m3u8/",
  ],
];

Deno.test("traversal and foreign paths never reach the media server", async () => {
  await using upstream = fakeUpstream(media);
  await using serve = await startServe(upstream.origin);
  for (const path of ATTACKS) {
    for (const prefix of ["/api/hls", "/api//hls", "/x/../api/hls", `http://evil.example/api/hls`]) {
      const answer = await raw(serve, `GET ${prefix}${path} HTTP/1.1`);
      assert.match(answer, /^(HTTP\/1\.1 (400|404|414|431) |$)/, `${prefix}${path}: ${answer.slice(0, 60)}`);
    }
  }
  for (const method of ["POST", "PUT", "DELETE", "CONNECT", "TRACE"]) {
    const answer = await raw(serve, `${method} /api/hls${PLAYLIST} HTTP/1.1`);
    assert.match(answer, /^HTTP\/1\.1 (400|404|405) /, method);
  }
  assert.deepEqual(upstream.requests, []);
});

Deno.test("a viewer that goes away ends the request to the media server", async () => {
  const exchanges: Exchange[] = [];
  await using upstream = fakeUpstream(async (exchange) => {
    exchanges.push(exchange);
    await exchange.send(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n`);
    await exchange.send(bytes.subarray(0, 1000));
  });
  await using serve = await startServe(upstream.origin);
  const leave = new AbortController();
  const viewers = await Promise.all([1, 2].map(async (number) => {
    const signal = number === 1 ? leave.signal : undefined;
    const response = await fetch(`${serve.url}/api/hls${SEGMENT}`, { signal });
    const reader = response.body!.getReader();
    await reader.read();
    return reader;
  }));
  let isGone = false;
  exchanges[0].gone.then(() => isGone = true);
  leave.abort();
  await viewers[0].closed.catch(() => {});
  await pause(300);
  assert.equal(isGone, false, "another viewer still follows");
  await viewers[1].cancel();
  await until("the request to end", 5000, () => isGone);
  assert.equal(exchanges.length, 1);
});

Deno.test("a media server that breaks off or falls silent is noticed, and by the viewer as well", async () => {
  await using upstream = fakeUpstream(async ({ path, send, hangUp }) => {
    if (path === PLAYLIST) return;
    await send(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n`);
    await send(bytes.subarray(0, 1000));
    if (path === SEGMENT) hangUp();
  });
  await using serve = await startServe(upstream.origin);
  const start = performance.now();
  const silent = await fetch(`${serve.url}/api/hls${PLAYLIST}`);
  await silent.body?.cancel();
  assert.deepEqual([silent.status, silent.headers.get("retry-after")], [502, "1"]);
  assert.ok(performance.now() - start < 2000, `${performance.now() - start} ms`);
  for (const path of [SEGMENT, "/live/clock/2.ts"]) {
    const response = await fetch(`${serve.url}/api/hls${path}`);
    await assert.rejects(response.arrayBuffer(), path);
  }
  assert.ok((await fetch(`${serve.url}/healthz`)).body, "it lives on");
});

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
    await until("everything to be asked for", 60_000, () => new Set(upstream.requests).size === 40);
    await pause(3000);
    const mib = residentMiB(serve.pid);
    assert.ok(mib > 0 && mib < 400, `${mib.toFixed(0)} MiB; 400 viewers' segments are 1600`);
  } finally {
    stuck.forEach((conn) => conn.close());
  }
});

Deno.test("a real channel through the proxy, while its media server has a bad time", async (t) => {
  const service = await startService();
  try {
    const { id } = await service.create({ name: "Watch me" });
    await untilPageShown(service, id, 0, 30_000);
    const url = playlistUrl(service, id);

    await t.step("segments are the media server's, byte by byte", async () => {
      const { segments } = (await fetchPlaylist(url))!;
      const { uri } = segments.at(-1)!;
      const [ours, theirs] = await Promise.all(
        [new URL(uri, url).href, `${service.mediaUrl}/live/${id}/${uri}`].map(
          async (address) => new Uint8Array(await (await fetch(address)).arrayBuffer()),
        ),
      );
      assert.ok(ours.length > 1000);
      assert.deepEqual(ours, theirs);
    });

    await t.step("ffprobe plays it, with its ranges", async () => {
      assert.deepEqual((await probe(url)).streams.map(({ codec_type }) => codec_type).sort(), [
        "audio",
        "video",
      ]);
    });

    const [worker] = service.processes(/^nginx: worker process/);
    assert.ok(worker, "no nginx worker");
    await t.step("one that accepts and never answers is a 502 within 2 s", async () => {
      Deno.kill(worker, "SIGSTOP");
      try {
        await pause(250);
        const start = performance.now();
        const answers = await Promise.all(Array.from({ length: 10 }, () => fetch(url)));
        for (const response of answers) {
          await response.body?.cancel();
          assert.deepEqual([response.status, response.headers.get("retry-after")], [502, "1"]);
        }
        const took = performance.now() - start;
        assert.ok(took < 2500, `${took} ms`); // 2 s and what a busy machine adds
      } finally {
        Deno.kill(worker, "SIGCONT");
      }
      await untilPageShown(service, id, 0, 30_000);
    });

    await t.step("one that is killed is a 502 at once, and the channel comes back", async () => {
      for (const pid of service.processes(/^nginx: /)) Deno.kill(pid, "SIGKILL");
      await pause(250);
      const start = performance.now();
      const response = await fetch(url);
      await response.body?.cancel();
      assert.ok(performance.now() - start < 2000);
      // it may be back already
      assert.ok([200, 404, 502].includes(response.status), `${response.status}`);
      await untilPageShown(service, id, 0, 40_000);
    });

    await t.step("a deleted stream is gone at once, and its segments soon", async () => {
      const { segments } = (await fetchPlaylist(url))!;
      const segment = new URL(segments.at(-1)!.uri, url).href;
      await (await fetch(segment)).arrayBuffer();
      assert.ok((await service.api("DELETE", `/api/streams/${id}`)).ok);
      await pause(250);
      assert.equal(await fetchPlaylist(url), null);
      await until("the segment to be gone", 35_000, async () => {
        const response = await fetch(segment);
        await response.body?.cancel();
        return response.status === 404;
      });
    });
  } finally {
    await service.stop();
  }
});
