import assert from "node:assert/strict";
import { type HlsAnswer, HlsCache } from "../../../lib/channel/hls_cache.ts";
import { DEFAULT_TIMINGS } from "../../../lib/timings.ts";
import { bytes, nginx, PLAYLIST, SEGMENT, setUp, stamp, text, until } from "../../support/hls_fixture.ts";
import { type Exchange, fakeUpstream, someBytes } from "../../support/upstream.ts";

const HEAD = `HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n`;
const segment = (number: number) => `/live/clock/${number}.ts`;

function fileOf(answer: HlsAnswer) {
  assert.equal(answer.kind, "file");
  return (answer as HlsAnswer & { kind: "file" }).file;
}

/** Answers nothing by itself. */
function silent() {
  const exchanges: Exchange[] = [];
  return { exchanges, handle: (exchange: Exchange) => exchanges.push(exchange) };
}

Deno.test("the limits keep what docs promise", () => {
  const { playlistMs, failureMs, segmentMs, answerMs, maxBytes } = DEFAULT_TIMINGS.hls;
  assert.deepEqual([playlistMs, failureMs, segmentMs, maxBytes], [200, 200, 30_000, 64 * 1024 * 1024]);
  assert.ok(answerMs < 2000, "a 502 within 2 s");
});

Deno.test("50 who want a file at one moment cost one request", async () => {
  let all = Promise.withResolvers<void>();
  await using it = setUp(async (exchange) => {
    await all.promise;
    await nginx(exchange);
  });
  for (const path of [SEGMENT, PLAYLIST, segment(1)]) {
    all = Promise.withResolvers();
    const asked = Array.from({ length: 50 }, () => it.cache.get(path));
    all.resolve();
    const answers = await Promise.all(asked);
    assert.equal(new Set(answers).size, 1);
    assert.equal(it.upstream.requests.filter((request) => request === `GET ${path}`).length, 1, path);
  }
});

for (const [what, path, ms] of [["playlist", PLAYLIST, 200], ["segment", SEGMENT, 30_000]] as const) {
  Deno.test(`a ${what} is kept ${ms} ms from the moment it was asked for`, async () => {
    await using it = setUp();
    const first = await it.cache.get(path);
    it.clock.now = ms;
    assert.equal(await it.cache.get(path), first);
    it.clock.now = ms + 1;
    assert.notEqual(await it.cache.get(path), first);
    assert.equal(it.upstream.requests.length, 2);
  });
}

Deno.test("what is no file is kept 200 ms", async () => {
  await using it = setUp();
  const first = await it.cache.get(segment(1));
  assert.deepEqual(first, { kind: "refused", status: 404 });
  it.clock.now = 200;
  assert.equal(await it.cache.get(segment(1)), first);
  it.clock.now = 201;
  assert.notEqual(await it.cache.get(segment(1)), first);
});

Deno.test("a file that is long under way is not asked for twice", async () => {
  const { exchanges, handle } = silent();
  await using it = setUp(handle);
  const first = it.cache.get(PLAYLIST);
  it.clock.now = 10_000;
  const second = it.cache.get(PLAYLIST);
  await until(() => exchanges.length > 0);
  await exchanges[0].answer(200, {}, text);
  assert.equal(await first, await second);
  assert.equal(exchanges.length, 1);
});

Deno.test("a segment is as the media server has it, a playlist as it is rewritten", async () => {
  await using it = setUp(nginx);
  const rewritten = (playlist: string) => `${playlist}# \u00e4\n`;
  const { type, etag, bytes: whole } = fileOf(await it.cache.get(SEGMENT));
  assert.deepEqual([type, etag], ["video/mp2t", stamp.etag]);
  assert.deepEqual(whole, bytes);
  const playlist = fileOf(await it.cache.get(PLAYLIST, undefined, rewritten));
  const expected = `${text}# \u00e4\n`;
  assert.deepEqual([playlist.text, playlist.etag], [expected, null]);
  assert.equal(new TextDecoder().decode(playlist.bytes), expected);
});

const FAULTS: [what: string, words: string, happens?: (exchange: Exchange) => void][] = [
  ["says nothing", ""],
  ["stops in the middle of its headers", "HTTP/1.1 200 OK\r\ncont"],
  ["stops in the middle of a file", `${HEAD}half`],
  ["dies in the middle of a file", `${HEAD}half`, ({ hangUp }) => hangUp()],
];

for (const [what, words, happens] of FAULTS) {
  for (const path of [PLAYLIST, SEGMENT]) {
    Deno.test(`a media server that ${what} (${path}) is unavailable, let go, and asked again`, async () => {
      let isBroken = true;
      const gone: Promise<void>[] = [];
      await using it = setUp(async (exchange) => {
        if (!isBroken) return await nginx(exchange);
        gone.push(exchange.gone);
        await exchange.send(words);
        happens?.(exchange);
      }, { answerMs: 1000, idleMs: 1000 });
      const answers = await Promise.all([it.cache.get(path), it.cache.get(path)]);
      for (const { kind } of answers) assert.equal(kind, "unavailable");
      await Promise.all(gone);
      assert.equal(gone.length, 1);
      assert.ok(it.cache.bytes < 10_000);
      isBroken = false;
      it.clock.now = 201;
      fileOf(await it.cache.get(path));
    });
  }
}

Deno.test("a media server that is down is asked again until the limit, and is back for who still waits", async () => {
  const down = fakeUpstream(nginx);
  await down[Symbol.asyncDispose]();
  const cache = new HlsCache(down.origin, { limits: { answerMs: 1000 } });
  const waiting = cache.get(PLAYLIST);
  // what was asked before was refused as well
  await assert.rejects(fetch(down.origin));
  await using _back = fakeUpstream(nginx, Number(new URL(down.origin).port));
  assert.equal(fileOf(await waiting).text, text);
  await cache.stop();
});

for (const [what, head] of [["too big", HEAD], ["of unknown size", "HTTP/1.1 200 OK\r\n\r\n"]]) {
  Deno.test(`a file that is ${what} is not shared, and takes no memory`, async () => {
    await using it = setUp(({ send }) => send(head), { maxBytes: 4 * bytes.length - 4 });
    assert.deepEqual(await it.cache.get(SEGMENT), { kind: "unshared" });
    assert.ok(it.cache.bytes < 10_000);
  });
}

Deno.test("the cache is bounded; what was not used for the longest goes first", async () => {
  await using it = setUp(({ answer }) => answer(200, {}, someBytes(250_000)), { maxBytes: 1_060_000 });
  for (const number of [1, 2, 3, 4, 1, 5]) await it.cache.get(segment(number));
  assert.ok(it.cache.bytes <= 1_060_000);
  for (const number of [1, 3, 4, 5]) await it.cache.get(segment(number));
  assert.equal(it.upstream.requests.length, 5);
  await it.cache.get(segment(2));
  assert.equal(it.upstream.requests.length, 6);
});

Deno.test("a file under way is not dropped; while such files need all memory, another is not shared", async () => {
  const { exchanges, handle } = silent();
  await using it = setUp(handle, { maxBytes: 1_060_000, answerMs: 60_000 });
  const four = [1, 2, 3, 4].map((number) => it.cache.get(segment(number)));
  await until(() => exchanges.length === 4);
  const part = someBytes(250_000);
  for (const { send } of exchanges) await send(`HTTP/1.1 200 OK\r\ncontent-length: ${part.length}\r\n\r\n`);
  await until(() => it.cache.bytes > 1_000_000);
  const fifth = it.cache.get(segment(5));
  await until(() => exchanges.length === 5);
  await exchanges[4].answer(200, {}, part);
  assert.deepEqual(await fifth, { kind: "unshared" });
  for (const { send } of exchanges.slice(0, 4)) await send(part);
  for (const answer of await Promise.all(four)) assert.deepEqual(fileOf(answer).bytes, part);
});

Deno.test("a flood of names that do not exist stays within the bounds", async () => {
  await using it = setUp(nginx, { maxBytes: 200_000 });
  for (let number = 0; number < 100; number++) await it.cache.get(segment(number));
  assert.ok(it.cache.bytes <= 200_000);
});

Deno.test("old files go also when nobody asks for anything", async () => {
  await using it = setUp(nginx, { sweepMs: 5 });
  it.cache.start();
  await it.cache.get(SEGMENT);
  await it.cache.get(PLAYLIST);
  it.clock.now = 30_000;
  await until(() => it.cache.bytes < bytes.length + 5000); // the playlist is gone
  assert.ok(it.cache.bytes > bytes.length);
  it.clock.now = 30_001;
  await until(() => it.cache.bytes === 0);
});

Deno.test("a stop ends what is under way and frees everything", async () => {
  const { exchanges, handle } = silent();
  await using it = setUp((exchange) => exchange.path === SEGMENT ? nginx(exchange) : handle(exchange));
  it.cache.start();
  await it.cache.get(SEGMENT);
  const waiting = it.cache.get(PLAYLIST);
  await until(() => exchanges.length === 1);
  await it.cache.stop();
  assert.equal((await waiting).kind, "unavailable");
  await exchanges[0].gone;
  assert.equal(it.cache.bytes, 0);
});
