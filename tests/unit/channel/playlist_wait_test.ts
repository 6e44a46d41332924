import { strict as assert } from "node:assert";
import { awaitedSegment, PlaylistWait, withWaiting } from "../../../lib/channel/playlist_wait.ts";
import { lastSequence } from "../../../lib/model/segments.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const playlist = (first: number, count: number) =>
  `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-MEDIA-SEQUENCE:${first}\n#EXT-X-TARGETDURATION:1\n` +
  Array.from({ length: count }, (_, at) => `#EXTINF:1.000,\n${first + at}.ts\n`).join("");

/** A channel whose segments a test writes. @param now the clock of the file's times. */
function testChannel(clock: FakeClock) {
  const channel = { newest: 10, writtenAt: 1 as number | null, asks: [] as number[] };
  const wait = new PlaylistWait(() => channel.writtenAt, () => clock.now());
  const ask = (notBefore: number) => {
    channel.asks.push(notBefore);
    return Promise.resolve(playlist(channel.newest - 5, 6));
  };
  return {
    channel,
    write: () => {
      channel.newest++;
      channel.writtenAt = clock.now();
    },
    until: (segment: number, signal = new AbortController().signal) =>
      wait.until(segment, ask, (text) => text, signal),
  };
}

Deno.test("waiting: only a player that says so gets the word, once, and only numbers are waited for", () => {
  const cases: [string, number | null][] = [
    ["wait=1&_HLS_msn=12", 12],
    ["wait&_HLS_msn=0", 0],
    ["_HLS_msn=12", null],
    ["wait=1", null],
    ["wait=1&_HLS_msn=-1", null],
    ["wait=1&_HLS_msn=1e3", null],
    ["wait=1&_HLS_msn=9999999999999999", null],
  ];
  for (const [query, segment] of cases) {
    assert.equal(awaitedSegment(new URLSearchParams(query)), segment, query);
  }
  const text = withWaiting(playlist(3, 2));
  assert.equal(text.split("#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES\n").length, 2);
  assert.equal(lastSequence(text), 4);
  assert.equal(lastSequence("#EXTM3U\n"), -1);
});

Deno.test("waiting: what is there is answered at once, what is not when it is written", async () => {
  using clock = new FakeClock();
  const { channel, write, until } = testChannel(clock);
  assert.equal(lastSequence(await until(10)), 10);
  const answers: number[] = [];
  const begun = clock.now();
  const waiting = [until(11), until(11), until(12)].map((answer) =>
    answer.then((text) => answers.push(lastSequence(text), clock.now() - begun))
  );
  await clock.advance(700);
  assert.deepEqual([answers, channel.asks.length], [[], 4], "each looked once");
  write();
  await clock.advance(60);
  assert.deepEqual([answers.length, answers[0]], [4, 11]);
  assert.ok(answers[1] <= 760, String(answers));
  write();
  await clock.advance(60);
  await Promise.all(waiting);
  assert.equal(answers[4], 12);
  assert.ok(channel.asks.at(-1)! > begun, "the answer is one of after the write");
});

Deno.test("waiting: a channel that stands still, and a client that leaves, hold nothing for long", async () => {
  using clock = new FakeClock();
  const { channel, until } = testChannel(clock);
  const begun = clock.now();
  const held = until(11).then((text) => [lastSequence(text), clock.now() - begun]);
  await clock.advance(6100);
  const [newest, ms] = await held;
  assert.equal(newest, 10);
  assert.ok(ms >= 6000 && ms < 6100, String(ms));
  const leaving = new AbortController();
  leaving.abort();
  assert.equal(lastSequence(await until(99, leaving.signal)), 10);
  channel.writtenAt = null;
  const gone = until(11);
  await clock.advance(6100);
  await gone;
  await clock.advance(10_000);
});
