import assert from "node:assert/strict";
import { bytes, PLAYLIST, SEGMENT, setUp, stamp, text, until } from "../../support/hls_fixture.ts";

Deno.test("a segment and a playlist come as they are, with the headers that players need", async () => {
  await using it = setUp();
  const segment = await it.get(SEGMENT);
  assert.deepEqual(segment.body, bytes);
  const always = {
    "accept-ranges": "bytes",
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  };
  assert.deepEqual(Object.fromEntries(segment.response.headers), {
    ...always,
    "cache-control": "max-age=300, immutable",
    "content-length": "300000",
    "content-type": "video/mp2t",
    "etag": stamp.etag,
  });
  const playlist = await it.get(PLAYLIST);
  assert.equal(new TextDecoder().decode(playlist.body), text);
  assert.deepEqual(Object.fromEntries(playlist.response.headers), {
    ...always,
    "cache-control": "no-cache, no-store",
    "content-length": String(text.length),
    "content-type": "application/vnd.apple.mpegurl",
  });
  assert.deepEqual(it.upstream.requests, [`GET ${SEGMENT}`, `GET ${PLAYLIST}`]);
});

Deno.test("ranges come from what is at hand", async () => {
  await using it = setUp();
  await it.get(SEGMENT);
  const size = bytes.length;
  const rules: [string, number, number][] = [["bytes=0-", 0, size], ["bytes=5-9", 5, 10], [
    "bytes=-7",
    size - 7,
    size,
  ]];
  for (const [range, from, to] of [...rules, ["bytes=262140-262150", 262140, 262151] as const]) {
    const { response, body } = await it.get(SEGMENT, { range });
    assert.equal(response.status, 206);
    assert.equal(response.headers.get("content-range"), `bytes ${from}-${to - 1}/${size}`);
    assert.equal(response.headers.get("content-length"), String(to - from));
    assert.deepEqual(body, bytes.subarray(from, to), range);
  }
  const beyond = await it.ask(SEGMENT, { range: `bytes=${size}-` });
  await beyond.body?.cancel();
  assert.deepEqual([beyond.status, beyond.headers.get("content-range")], [416, `bytes */${size}`]);
  assert.equal(it.upstream.requests.length, 1);
});

Deno.test("a segment that the viewer has is not sent again; a part of another version is not sent", async () => {
  await using it = setUp();
  const known = await it.ask(SEGMENT, { "if-none-match": stamp.etag });
  assert.deepEqual([known.status, known.body, known.headers.get("etag")], [304, null, stamp.etag]);
  const other = await it.get(SEGMENT, { range: "bytes=0-1", "if-range": '"b"' });
  assert.deepEqual([other.response.status, other.body.length], [200, bytes.length]);
});

Deno.test("a playlist has ranges and no validator", async () => {
  await using it = setUp();
  const list = await it.get(PLAYLIST, { range: "bytes=0-", "if-none-match": stamp.etag });
  assert.deepEqual([list.response.status, list.body.length], [206, text.length]);
});

Deno.test("HEAD has the headers alone", async () => {
  await using it = setUp();
  for (const path of [SEGMENT, PLAYLIST]) {
    const { response } = await it.get(path);
    const head = await it.ask(path, {}, "HEAD");
    assert.deepEqual([head.status, head.body], [200, null]);
    assert.deepEqual(Object.fromEntries(head.headers), Object.fromEntries(response.headers));
  }
  assert.equal(it.upstream.requests.length, 2);
});

Deno.test("other sites' pages are told what they may ask", async () => {
  await using it = setUp();
  const options = await it.ask(SEGMENT, { "access-control-request-method": "GET" }, "OPTIONS");
  assert.deepEqual([options.status, options.headers.get("access-control-allow-origin")], [204, "*"]);
  assert.match(options.headers.get("access-control-allow-headers")!, /\bRange\b/);
  assert.deepEqual(it.upstream.requests, []);
});

Deno.test("a channel without a picture is not found, whatever the media server's words", async () => {
  const seed = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-MEDIA-SEQUENCE:47437200\n#EXT-X-TARGETDURATION:1\n";
  await using it = setUp(({ path, answer }) => {
    if (path === PLAYLIST) return answer(200, {}, seed);
    return answer(path.includes("/off/") ? 404 : 301, { location: "http://evil.example/" }, "<html>");
  });
  for (const path of [PLAYLIST, "/live/off/1.ts", "/live/dir/1.ts"]) {
    const response = await it.ask(path);
    assert.equal(response.status, 404);
    assert.equal(response.headers.get("location"), null);
    assert.equal(response.headers.get("cache-control"), "no-store");
    assert.equal(response.headers.get("access-control-allow-origin"), "*");
    assert.match((await response.json()).error.message, /channel/);
  }
});

Deno.test("what is no playlist or segment never reaches the media server", async () => {
  await using it = setUp();
  const paths = [
    "/stat",
    "/",
    "/live",
    "/live/",
    "/live/a",
    "/live/a/",
    "/live/a/x.mp4",
    "/live/.ts",
    "/vod/a/1.ts",
  ];
  const tricks = [
    "/live/../a.ts",
    "/live/%2e%2e/a.ts",
    "/live//a.ts",
    "//evil.example/a.ts",
    "/live/a\\b.ts",
  ];
  for (
    const path of [
      ...paths,
      ...tricks,
      "@evil.example/live/a.ts",
      ":80/live/a.ts",
      "/live/a.ts?x",
      "/LIVE/a.ts",
    ]
  ) {
    const response = await it.ask(path);
    await response.body?.cancel();
    assert.equal(response.status, 404, path);
  }
  assert.deepEqual(it.upstream.requests, []);
});

async function isUnavailable(response: Response, status: number): Promise<void> {
  assert.deepEqual([response.status, response.headers.get("cache-control")], [status, "no-store"]);
  assert.equal(response.headers.get("retry-after"), "1");
  assert.equal(response.headers.get("access-control-allow-origin"), "*");
  assert.match((await response.json()).error.message, /media server/);
}

Deno.test("a segment that the media server breaks off is a 502 with the time to try again", async () => {
  await using it = setUp(async ({ send, hangUp }) => {
    await send("HTTP/1.1 200 OK\r\ncontent-length: 300000\r\n\r\nhalf");
    hangUp();
  });
  await isUnavailable(await it.ask(SEGMENT), 502);
});

Deno.test("a media server's own error is passed on, with the time to try again", async () => {
  await using it = setUp(({ answer }) => answer(503, {}, "busy"));
  await isUnavailable(await it.ask(SEGMENT), 503);
});

Deno.test("an empty segment is an empty segment", async () => {
  await using it = setUp(({ answer }) => answer(200, {}));
  const { response, body } = await it.get(SEGMENT);
  assert.deepEqual([response.status, body.length], [200, 0]);
});

Deno.test("a segment that is too big to share is forwarded to each", async () => {
  await using it = setUp(({ answer }) => answer(200, stamp, bytes), { maxBytes: bytes.length });
  for (const { response, body } of await Promise.all([it.get(SEGMENT), it.get(SEGMENT)])) {
    assert.deepEqual(body, bytes);
    assert.equal(response.headers.get("cache-control"), "max-age=300, immutable");
    assert.equal(response.headers.get("access-control-allow-origin"), "*");
  }
  assert.equal(it.upstream.requests.length, 3);
});

Deno.test("a viewer that goes away takes nothing from the others", async () => {
  const { promise: isLeft, resolve: left } = Promise.withResolvers<void>();
  await using it = setUp(async ({ send }) => {
    await send(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n`);
    await isLeft;
    await send(bytes);
  });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    request.signal.addEventListener("abort", () => left());
    return it.proxy.answer(request, SEGMENT);
  });
  const url = `http://127.0.0.1:${server.addr.port}/`;
  const leave = new AbortController();
  const first = fetch(url, { signal: leave.signal });
  const second = fetch(url);
  await until(() => it.upstream.requests.length === 1);
  leave.abort();
  await assert.rejects(first);
  assert.deepEqual(new Uint8Array(await (await second).arrayBuffer()), bytes);
  assert.equal(it.upstream.requests.length, 1);
  await server.shutdown();
});
