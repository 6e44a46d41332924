import { strict as assert } from "node:assert";
import { playlistUrl, untilPageShown } from "../support/channel.ts";
import { fetchPlaylist, probe } from "../support/media.ts";
import { residentMiB } from "../support/memory.ts";
import { startServe, type TestServe } from "../support/serve.ts";
import { pause, startService, until } from "../support/service.ts";
import { fakeUpstream, someBytes } from "../support/upstream.ts";

const PLAYLIST = "/live/clock/index.m3u8";

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
  await using upstream = fakeUpstream(({ answer }) => answer(200, {}, "media"));
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
