import assert from "node:assert/strict";
import { CACHE_RULES } from "../../../lib/media/file_cache.ts";
import { HlsProxy } from "../../../lib/media/hls_proxy.ts";
import { bytes, nginx, PLAYLIST, SEGMENT, setUp, text, until } from "../../support/hls_fixture.ts";
import { type Exchange, fakeUpstream, someBytes } from "../../support/upstream.ts";

const HEAD = `HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n`;

async function isUnavailable(response: Response, status = 502): Promise<void> {
  assert.deepEqual([response.status, response.headers.get("cache-control")], [status, "no-store"]);
  assert.equal(response.headers.get("retry-after"), "1");
  assert.equal(response.headers.get("access-control-allow-origin"), "*");
  assert.match((await response.json()).error.message, /media server/);
}

Deno.test("the limits keep the promise of a 502 within 2 s", () => {
  assert.ok(CACHE_RULES.answerMs < 2000);
});

Deno.test("a media server that is down is a 502 within 2 s, for all, and is asked again after 200 ms", async () => {
  const upstream = fakeUpstream(nginx);
  const { origin } = upstream;
  await upstream[Symbol.asyncDispose]();
  const clock = { now: 0 };
  using proxy = new HlsProxy(origin, {}, () => clock.now);
  const ask = () => Promise.resolve(proxy.answer(new Request("http://localhost/"), PLAYLIST));
  const start = performance.now();
  await Promise.all(Array.from({ length: 20 }, async () => await isUnavailable(await ask())));
  assert.ok(performance.now() - start < 2000);
  await using _back = fakeUpstream(nginx, Number(new URL(origin).port));
  clock.now += 201;
  assert.equal(await (await ask()).text(), text);
});

Deno.test("one that accepts and says nothing, or half a playlist, is a 502 in time, and is let go", async () => {
  for (
    const words of ["", "HTTP/1.1 200 OK\r\ncont", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n#EXTM3U\n"]
  ) {
    const gone: Promise<void>[] = [];
    await using it = setUp((exchange) => {
      gone.push(exchange.gone);
      exchange.send(words);
    }, { answerMs: 100 });
    const start = performance.now();
    await Promise.all([1, 2, 3].map(async () => await isUnavailable(await it.ask(PLAYLIST))));
    const took = performance.now() - start;
    assert.ok(took > 90 && took < 1500, `${took} ms`);
    await Promise.all(gone);
    assert.equal(gone.length, 1);
  }
});

/** The start of a body, and how it went on. */
async function readAll(response: Response): Promise<{ size: number; isWhole: boolean }> {
  let size = 0;
  try {
    for await (const part of response.body!) size += part.length;
    return { size, isWhole: true };
  } catch {
    return { size, isWhole: false };
  }
}

const BREAKS: Record<string, (exchange: Exchange) => unknown> = {
  "stops in the middle": () => {},
  "dies in the middle": ({ hangUp }) => hangUp(),
};

for (const [what, happens] of Object.entries(BREAKS)) {
  Deno.test(`a segment whose server ${what} breaks off for all, and is asked for anew`, async () => {
    let isBroken = true;
    await using it = setUp(async (exchange) => {
      if (!isBroken) return await nginx(exchange);
      await exchange.send(HEAD);
      await exchange.send(bytes.subarray(0, 1000));
      await happens(exchange);
    }, { idleMs: 100 });
    const answers = await Promise.all([it.ask(SEGMENT), it.ask(SEGMENT)]);
    for (const result of await Promise.all(answers.map(readAll))) {
      assert.equal(result.isWhole, false);
      assert.ok(result.size <= 1000);
    }
    isBroken = false;
    it.clock.now += 201;
    assert.deepEqual((await it.get(SEGMENT)).body, bytes);
    assert.equal(it.upstream.requests.length, 2);
  });
}

Deno.test("a body that is longer than told ends where it was told to", async () => {
  await using it = setUp(({ send }) => send("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n1234567890"));
  assert.equal(new TextDecoder().decode((await it.get(SEGMENT)).body), "12345");
});

Deno.test("an empty segment is an empty segment", async () => {
  await using it = setUp(({ send }) => send("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"));
  const { response, body } = await it.get(SEGMENT);
  assert.deepEqual([response.status, body.length], [200, 0]);
});

Deno.test("a media server's own trouble is passed on, with the time to try again", async () => {
  await using it = setUp(({ answer }) => answer(503, {}, "busy"));
  await isUnavailable(await it.ask(SEGMENT), 503);
});

Deno.test("what is too big to share, or of unknown size, is forwarded to each", async () => {
  const answers = [HEAD, "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n"];
  for (const head of answers) {
    await using it = setUp(async ({ send, hangUp }) => {
      await send(head);
      await send(bytes);
      if (head !== HEAD) hangUp();
    }, { maxBytes: 4 * bytes.length - 4 });
    const both = await Promise.all([it.get(SEGMENT), it.get(SEGMENT)]);
    for (const { response, body } of both) {
      assert.deepEqual(body, bytes);
      assert.equal(response.headers.get("cache-control"), "max-age=300, immutable");
      assert.equal(response.headers.get("access-control-allow-origin"), "*");
    }
    assert.equal(it.upstream.requests.length, 3);
    assert.ok(it.proxy.cache.bytes < 10_000);
  }
});

Deno.test("the upstream is cancelled with the last viewer, not before; who comes then has a new one", async () => {
  const exchanges: Exchange[] = [];
  await using it = setUp(async (exchange) => {
    exchanges.push(exchange);
    await exchange.send(HEAD);
    await exchange.send(bytes.subarray(0, 1000));
  });
  const viewers = (await Promise.all([it.ask(SEGMENT), it.ask(SEGMENT)])).map(({ body }) =>
    body!.getReader()
  );
  for (const viewer of viewers) await viewer.read();
  let isGone = false;
  exchanges[0].gone.then(() => isGone = true);
  await viewers[0].cancel();
  await new Promise((done) => setTimeout(done, 50));
  assert.equal(isGone, false);
  await viewers[1].cancel();
  await exchanges[0].gone;
  const next = (await it.ask(SEGMENT)).body!.getReader();
  assert.deepEqual((await next.read()).value, bytes.subarray(0, 1000));
  assert.equal(exchanges.length, 2);
  await next.cancel();
  await exchanges[1].gone;
});

const path = (number: number) => `/live/clock/${number}.ts`;

/** A cache for four segments of a quarter of a million bytes. */
function small() {
  const segment = someBytes(250_000);
  const count = new Map<string, number>();
  const it = setUp((exchange) => {
    count.set(exchange.path, (count.get(exchange.path) ?? 0) + 1);
    return exchange.answer(200, {}, segment);
  }, { maxBytes: 1_060_000 });
  return { it, count, segment };
}

Deno.test("the cache is bounded; what was not used for the longest goes first", async () => {
  const { it, count } = small();
  await using _ = it;
  for (let number = 1; number <= 4; number++) await it.get(path(number));
  await it.get(path(1));
  await it.get(path(5));
  assert.ok(it.proxy.cache.bytes <= 1_060_000);
  for (const number of [1, 3, 4, 5]) await it.get(path(number));
  assert.deepEqual([...count.values()], [1, 1, 1, 1, 1]);
  await it.get(path(2));
  assert.equal(count.get(path(2)), 2);
});

Deno.test("a flood of names that do not exist stays within the bounds", async () => {
  await using it = setUp(nginx, { maxBytes: 200_000 });
  for (let number = 0; number < 200; number++) await it.get(path(number));
  assert.ok(it.proxy.cache.bytes <= 200_000);
});

Deno.test("viewers that do not read cost no memory of their own and are cut off when it is needed", async () => {
  await using it = setUp((exchange) => exchange.answer(200, {}, bytes), { maxBytes: 1_300_000 });
  const slow = await Promise.all([1, 2, 3, 4].map((number) => it.ask(path(number))));
  await until(() => it.proxy.cache.bytes > 1_200_000);
  await it.get(path(5));
  assert.ok(it.proxy.cache.bytes <= 1_300_000);
  const results = await Promise.all(slow.map(readAll));
  assert.deepEqual(results.map(({ isWhole }) => isWhole), [false, true, true, true]);
});

Deno.test("a stopped stream's segments leave soon; one who still reads them has a minute", async () => {
  await using it = setUp();
  const slow = await it.ask(SEGMENT);
  await it.get(SEGMENT);
  it.clock.now = 30_001;
  it.proxy.cache.sweep();
  assert.ok(it.proxy.cache.bytes > bytes.length);
  it.clock.now = 60_001;
  it.proxy.cache.sweep();
  assert.equal(it.proxy.cache.bytes, 0);
  assert.equal((await readAll(slow)).isWhole, false);
});
