import { strict as assert } from "node:assert";
import { type SeenPlaylist, withDiscontinuitySequence } from "../../../lib/channel/breaks.ts";
import { seedPlaylist } from "../../../lib/channel/media/hls.ts";
import { firstSequence } from "../../../lib/model/segments.ts";
import {
  beginBehind,
  beginSlate,
  joinedPlaylist,
  slatePlaylist,
} from "../../../lib/channel/slate_playlist.ts";
import { LiveRules } from "../../support/live_rules.ts";

const T0 = Date.UTC(2026, 5, 1);

/** The media server's list at a time: segments of some length since its encoder began, 8 of them at most. */
function upstream(now: number, encoderAt: number, seconds: number, target: number, sequence: number): string {
  const whole = Math.floor((now - encoderAt) / 1000 / seconds);
  const shown = Math.min(Math.max(0, whole), 8);
  if (shown === 0) return seedPlaylist(encoderAt, target);
  const first = whole - shown;
  const entries = Array.from({ length: shown }, (_, at) => {
    const number = first + at;
    const tag = number === 0 ? "#EXT-X-DISCONTINUITY\n" : "";
    return `${tag}#EXTINF:${seconds.toFixed(3)},\n${encoderAt + number * seconds * 1000}.ts\n`;
  });
  return `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-MEDIA-SEQUENCE:${sequence + first}\n` +
    `#EXT-X-TARGETDURATION:${target}\n${entries.join("")}`;
}

/** What a viewer is told over time, each 200 ms; `rules` has what is wrong with it. */
function follow(target: number, seconds: number, { next = 0, old = "", shownAt = T0 + 3000 } = {}) {
  let run = beginSlate(T0, target, next, 5000);
  let before = null;
  const rules = new LiveRules();
  const encoderAt = T0 + 3100;
  for (let now = T0; now < T0 + 40_000; now += 200) {
    if (now >= shownAt) run.shownAt ??= shownAt;
    const list = now < encoderAt && old
      ? old
      : upstream(now, encoderAt, seconds, target, firstSequence(encoderAt));
    const given = joinedPlaylist(run, list, now) ?? slatePlaylist(run, now);
    run = given.run;
    const numbered = withDiscontinuitySequence(given.playlist, before);
    before = numbered.listed;
    rules.add(numbered.playlist, now);
  }
  return { rules, run };
}

for (const [target, seconds] of [[1, 1], [1, 1.2], [2, 2], [4, 4]]) {
  Deno.test(`a slate goes over into a channel with segments of ${seconds} s, and every rule of live lists holds`, () => {
    const { rules, run } = follow(target, seconds);
    assert.deepEqual(rules.problems, []);
    assert.ok(run.joined);
    const added = rules.updates.flatMap((update) => update.added);
    const slates = added.filter(({ uri }) => uri.startsWith("slate-"));
    const own = added.filter(({ uri }) => !uri.startsWith("slate-"));
    assert.equal(
      rules.updates[0].added.length,
      3 * target,
      "a player may stay three target durations behind",
    );
    assert.equal(own[0].uri, `${T0 + 3100}.ts`, "no segment of the encoder is left out");
    assert.equal(own[0].sequence, slates.at(-1)!.sequence + 1);
    assert.equal(own[0].discontinuity, slates.at(-1)!.discontinuity + 1);
    assert.equal(own.at(-1)!.discontinuity, own[0].discontinuity);
  });
}

Deno.test("segments of an empty window are left out until the page is shown, or takes too long", () => {
  for (const [shownAt, first] of [[T0 + 4300, T0 + 4100], [Infinity, T0 + 3100]]) {
    const { rules } = follow(1, 1, { shownAt });
    assert.deepEqual(rules.problems, []);
    const own = rules.updates.flatMap(({ added, at }) => added.map(({ uri }) => ({ uri, at })))
      .filter(({ uri }) => !uri.startsWith("slate-"));
    assert.equal(own[0].uri, `${first}.ts`);
    assert.ok(own[0].at >= Math.min(shownAt, T0 + 5000));
  }
});

Deno.test("what the start before has left on the media server is not listed again", () => {
  const old = upstream(T0 - 20_000, T0 - 60_000, 1, 1, firstSequence(T0 - 60_000));
  const { rules } = follow(1, 1, { old });
  assert.deepEqual(rules.problems, []);
  const times = rules.updates.flatMap(({ added }) => added).map(({ uri }) => uri)
    .filter((uri) => !uri.startsWith("slate-"));
  assert.ok(times.every((uri) => Number.parseInt(uri) >= T0), times.join());
});

Deno.test("a start right after another uses no number again", () => {
  const next = firstSequence(T0) + 7;
  assert.equal(beginSlate(T0, 1, next, 5000).first, next);
  assert.deepEqual(follow(1, 1, { next }).rules.problems, []);
});

Deno.test("an encoder that is away for long goes on behind the numbers that viewers know", () => {
  const { run } = follow(1, 1);
  const later = T0 + 60_000;
  assert.equal(joinedPlaylist(run, seedPlaylist(later), later), null, "nothing is listed");
  const list = upstream(later + 4000, later, 1, 1, firstSequence(later));
  const { playlist } = joinedPlaylist(run, list, later + 4000)!;
  const sequence = Number(/MEDIA-SEQUENCE:(\d+)/.exec(playlist)![1]);
  assert.equal(sequence, firstSequence(later) + run.joined!.offset);
  assert.ok(!playlist.includes("slate-"));
});

for (const [target, seconds] of [[1, 1], [4, 4]]) {
  Deno.test(`a channel with segments of ${seconds} s goes on at another node, and every rule of live lists holds`, () => {
    const rules = new LiveRules();
    const [first, second, movedAt] = [T0, T0 + 63_210, T0 + 70_000];
    let listed: SeenPlaylist | null = null;
    const view = (playlist: string, now: number) => {
      const given = withDiscontinuitySequence(playlist, listed);
      listed = given.listed;
      rules.add(given.playlist, now);
      return given.playlist;
    };
    let last = "";
    for (let now = T0 + 20_000; now < movedAt; now += 200) {
      last = view(upstream(now, first, seconds, target, firstSequence(T0) + 5), now);
    }
    let run = beginBehind(last)!;
    for (let now = movedAt; now < movedAt + 60_000; now += 200) {
      const given = joinedPlaylist(run, upstream(now, second, seconds, target, 3), now)!;
      run = given.run;
      view(given.playlist, now);
    }
    assert.deepEqual(rules.problems, []);
    const added = rules.updates.flatMap((update) => update.added);
    const begin = added.findIndex(({ uri }) => (Number.parseInt(uri) - second) % (seconds * 1000) === 0);
    const [theirs, own] = [added.slice(0, begin), added.slice(begin)];
    assert.equal(theirs.at(-1)!.uri, last.trim().split("\n").at(-1), "none of theirs is left out");
    const goesOn = seconds === 1 ? second + 5000 : second;
    assert.equal(own[0].uri, `${goesOn}.ts`, "the newest that leaves no hole");
    assert.equal(own[0].sequence, theirs.at(-1)!.sequence + 1);
    assert.equal(own[0].discontinuity, theirs.at(-1)!.discontinuity + 1);
  });
}

Deno.test("a list without a segment is nothing to go on from", () => {
  assert.equal(beginBehind(seedPlaylist(T0)), null);
  assert.equal(beginBehind(""), null);
});
