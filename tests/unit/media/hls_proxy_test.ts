import assert from "node:assert/strict";
import { CACHE_RULES } from "../../../lib/media/file_cache.ts";
import { bytes, nginx, PLAYLIST, SEGMENT, setUp, stamp, text, until } from "../../support/hls_fixture.ts";
import type { Exchange } from "../../support/upstream.ts";

Deno.test("a segment and a playlist come as they are, with the headers that players need", async () => {
  await using it = setUp();
  const segment = await it.get(SEGMENT);
  assert.deepEqual(segment.body, bytes);
  const always = {
    "accept-ranges": "bytes",
    "access-control-allow-origin": "*",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
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
  const { "x-padding": padding, ...headers } = Object.fromEntries(playlist.response.headers);
  assert.match(padding, /^-+$/);
  assert.deepEqual(headers, {
    ...always,
    "cache-control": "no-cache, no-store",
    "content-length": String(text.length),
    "content-type": "application/vnd.apple.mpegurl",
  });
  const sent = it.upstream.requests;
  assert.deepEqual(sent, [`GET ${SEGMENT}`, `GET ${PLAYLIST}`]);
});

Deno.test("50 viewers of a file at one moment cost one request", async () => {
  await using it = setUp(async (exchange) => {
    await new Promise((done) => setTimeout(done, 20));
    await nginx(exchange);
  });
  for (const path of [SEGMENT, PLAYLIST, "/live/clock/1.ts"]) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => it.get(path)));
    for (const { response, body } of answers) {
      assert.equal(response.status, answers[0].response.status);
      assert.deepEqual(body, answers[0].body);
    }
    assert.equal(it.upstream.requests.filter((request) => request === `GET ${path}`).length, 1, path);
  }
});

Deno.test("a segment goes out while it comes in; who joins late gets the start at once", async () => {
  let send: Exchange["send"] = async () => {};
  await using it = setUp(async (exchange) => {
    send = exchange.send;
    await send(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n`);
  });
  const first = (await it.ask(SEGMENT)).body!.getReader();
  await send(bytes.subarray(0, 1000));
  assert.deepEqual((await first.read()).value, bytes.subarray(0, 1000));
  const late = (await it.ask(SEGMENT)).body!.getReader();
  assert.deepEqual((await late.read()).value, bytes.subarray(0, 1000));
  const part = await it.ask(SEGMENT, { range: "bytes=500-1499" });
  const rest = part.arrayBuffer();
  await send(bytes.subarray(1000));
  for (const reader of [first, late]) {
    const got = new Uint8Array(bytes.length);
    got.set(bytes.subarray(0, 1000));
    let at = 1000;
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      got.set(next.value, at);
      at += next.value.length;
    }
    assert.equal(at, bytes.length);
    assert.deepEqual(got, bytes);
  }
  assert.deepEqual(new Uint8Array(await rest), bytes.subarray(500, 1500));
  assert.equal(part.headers.get("content-range"), `bytes 500-1499/${bytes.length}`);
  assert.equal(it.upstream.requests.length, 1);
});

Deno.test("playlists and failures are at most 200 ms old, segments 30 s", async () => {
  assert.deepEqual([CACHE_RULES.playlistMs, CACHE_RULES.failureMs, CACHE_RULES.segmentMs], [
    200,
    200,
    30_000,
  ]);
  await using it = setUp();
  const gone = "/live/gone/index.m3u8";
  for (const [path, limit] of [[PLAYLIST, 200], [gone, 200], [SEGMENT, 30_000]] as const) {
    const count = () => it.upstream.requests.filter((request) => request.endsWith(path)).length;
    await it.get(path);
    it.clock.now += limit;
    await it.get(path);
    assert.equal(count(), 1, path);
    it.clock.now += 1;
    await it.get(path);
    assert.equal(count(), 2, path);
  }
});

Deno.test("a request that is long under way is not joined by viewers who want a fresh playlist", async () => {
  const exchanges: Exchange[] = [];
  await using it = setUp((exchange) => exchanges.push(exchange));
  const first = it.get(PLAYLIST);
  it.clock.now += 201;
  const second = it.get(PLAYLIST);
  await until(() => exchanges.length === 2);
  await exchanges[1].answer(200, {}, text.replace(":7", ":8"));
  await exchanges[0].answer(200, {}, text);
  assert.match(new TextDecoder().decode((await second).body), /SEQUENCE:8/);
  assert.match(new TextDecoder().decode((await first).body), /SEQUENCE:7/);
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
  const known = await it.ask(SEGMENT, { "if-none-match": stamp.etag });
  assert.deepEqual([known.status, known.body, known.headers.get("etag")], [304, null, stamp.etag]);
  const other = await it.get(SEGMENT, { range: "bytes=0-1", "if-range": '"b"' });
  assert.deepEqual([other.response.status, other.body.length], [200, size]);
  const list = await it.get(PLAYLIST, { range: "bytes=0-", "if-none-match": stamp.etag });
  assert.deepEqual([list.response.status, list.body.length], [206, text.length]);
  assert.equal(it.upstream.requests.length, 2);
});

Deno.test("HEAD has the headers alone; other methods are refused, and allowed ones told", async () => {
  await using it = setUp();
  for (const path of [SEGMENT, PLAYLIST]) {
    const { response } = await it.get(path);
    const head = await it.ask(path, {}, "HEAD");
    assert.deepEqual([head.status, head.body], [200, null]);
    assert.deepEqual(Object.fromEntries(head.headers), Object.fromEntries(response.headers));
  }
  const options = await it.ask(SEGMENT, { "access-control-request-method": "GET" }, "OPTIONS");
  assert.deepEqual([options.status, options.headers.get("access-control-allow-origin")], [204, "*"]);
  assert.match(options.headers.get("access-control-allow-headers")!, /\bRange\b/);
  for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
    const refused = await it.ask(SEGMENT, {}, method);
    await refused.body?.cancel();
    assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "GET, HEAD, OPTIONS"], method);
  }
  assert.equal(it.upstream.requests.length, 2);
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

Deno.test("the shortcut takes what is below /api/hls/, by its raw path, and leaves the rest", async () => {
  await using it = setUp();
  const answer = (path: string) => it.proxy.shortcut(new Request(`http://localhost:3000${path}`));
  for (
    const path of ["/", "/api/hls", "/api/hlsx/a.ts", "/x/api/hls/live/a/1.ts", "/?/api/hls/live/a/1.ts"]
  ) {
    assert.equal(answer(path), null, path);
  }
  const response = await answer(`/api/hls${PLAYLIST}?_=1&x=/../`);
  assert.equal(await response!.text(), text);
  assert.deepEqual(it.upstream.requests, [`GET ${PLAYLIST}`]);
});
