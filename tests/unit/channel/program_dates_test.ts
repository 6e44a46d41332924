/** The dates of a channel's lists, as its viewers get them. */
import { strict as assert } from "node:assert";
import { parseMediaPlaylist } from "../../support/media_playlist.ts";
import { aChannel } from "../../support/a_channel.ts";
import { LiveRules } from "../../support/live_rules.ts";
import { slateUnit } from "../../support/slate_unit.ts";
import { pictureTime } from "../../../lib/channel/segment_time.ts";

const SEGMENT = new URL("../../fixtures/nginx-segment.mpegts", import.meta.url);
/** By how much nginx-rtmp raises times, in ticks. */
const RAISED = 63_000;
const PERIOD = 2 ** 33;
const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 5, 1, 12);
/** Milliseconds from a picture to the media server. */
const LAG = 120;

/** A segment whose picture is of this time. */
const segmentOf = (time: number) => slateUnit((time * 90 + RAISED) % PERIOD);

interface Listed {
  time: number;
  isBreak?: boolean;
  seconds?: number;
}

/** A channel whose media server lists and has these segments. */
async function channelWith(first: number, listed: Listed[]) {
  const world = await aChannel();
  const list = (first: number, listed: Listed[]) => {
    for (const { time } of listed) world.media.segments.set(`${time + LAG}.ts`, segmentOf(time));
    const entries = listed.map(({ time, isBreak, seconds = 1 }) =>
      `${isBreak ? "#EXT-X-DISCONTINUITY\n" : ""}#EXTINF:${seconds.toFixed(3)},\n${time + LAG}.ts\n`
    );
    return `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-MEDIA-SEQUENCE:${first}\n#EXT-X-TARGETDURATION:1\n${
      entries.join("")
    }`;
  };
  world.media.list = list(first, listed);
  return Object.assign(world, { write: list });
}

/** Eight segments from a time on, a second each. */
const eight = (time: number): Listed[] => Array.from({ length: 8 }, (_, at) => ({ time: time + at * 1000 }));

/** The list's own dates. */
const tags = (list: string) =>
  [...list.matchAll(/^#EXT-X-PROGRAM-DATE-TIME:(.*)$/gm)].map(([, text]) => text);

const datesOf = (list: string) => parseMediaPlaylist(list).segments.map(({ date }) => date);

Deno.test("the date of a segment that nginx-rtmp has written is when its first picture was captured", async () => {
  const bytes = await Deno.readFile(SEGMENT);
  const captured = Date.parse("2026-11-30T18:56:48.501Z");
  assert.equal(pictureTime(bytes, 1796065009096), captured);
  assert.equal(pictureTime(bytes, 1796065009096 - 30_000), captured, "the name need not be exact");
  assert.equal(pictureTime(bytes, 1796065009096 + HOUR), null, "these are not the clock's timestamps");
});

Deno.test("a picture's time is found whatever part of their period its timestamps are in", () => {
  for (let time = NOON; time < NOON + 27 * HOUR; time += HOUR / 7) {
    const whole = Math.floor(time);
    const ticks = (whole * 90 + RAISED) % PERIOD;
    assert.equal(pictureTime(slateUnit(ticks), whole + LAG), whole);
    const after24Days = (ticks + PERIOD / 2) % PERIOD;
    assert.equal(pictureTime(slateUnit(after24Days), whole + LAG), whole, "behind FFmpeg's 31 bits");
  }
});

Deno.test("what has no picture has no time", () => {
  for (
    const bytes of [new Uint8Array(), new Uint8Array(188), slateUnit().slice(0, 188), slateUnit().slice(1)]
  ) {
    assert.equal(pictureTime(bytes, NOON), null);
  }
});

Deno.test("a list has a date at its first segment and behind each break, and nothing else of it changes", async () => {
  const listed = [...eight(NOON).slice(0, 3), { time: NOON + 9250, isBreak: true }, { time: NOON + 10_250 }];
  await using world = await channelWith(100, listed);
  const one = await world.begin();
  const list = await one.list();
  assert.deepEqual(tags(list), ["2026-06-01T12:00:00.000Z", "2026-06-01T12:00:09.250Z"]);
  assert.deepEqual(datesOf(list), listed.map(({ time }) => time), "as hls-parser reads it");
  const kept = list.replace(/^#EXT-X-(PROGRAM-DATE-TIME|DISCONTINUITY-SEQUENCE):.*\n/gm, "");
  assert.equal(kept, world.media.list);
  await one.end();
});

Deno.test("300 requests cost one segment behind each break, and a segment keeps its date in all lists", async () => {
  await using world = await channelWith(100, eight(NOON));
  const one = await world.begin();
  const rules = new LiveRules();
  for (let at = 0; at < 20; at++) {
    const listed = eight(NOON + at * 1000);
    world.media.list = world.write(100 + at, listed);
    const lists = await Promise.all(Array.from({ length: 15 }, () => one.list()));
    assert.equal(new Set(lists).size, 1);
    rules.add(lists[0], at * 1000);
    assert.deepEqual(datesOf(lists[0]), listed.map(({ time }) => time));
  }
  assert.deepEqual(rules.problems, []);
  assert.equal(world.media.asked.length, 1);
  const broken = [...eight(NOON + 20_000).slice(1), { time: NOON + 33_300, isBreak: true }];
  world.media.list = world.write(121, broken);
  assert.deepEqual(datesOf(await one.list()), broken.map(({ time }) => time));
  assert.deepEqual(world.media.asked, [`${NOON + LAG}.ts`, `${NOON + 33_300 + LAG}.ts`]);
  await one.end();
});

Deno.test("dates are the same after a restart of the web app, whatever was done to the clock", async () => {
  await using world = await channelWith(100, eight(NOON));
  const first = await world.begin();
  const before = await first.list();
  await first.end();
  world.clock.setBy = -HOUR;
  const second = await world.begin();
  assert.deepEqual(tags(await second.list()), tags(before));
  world.media.list = world.write(105, [...eight(NOON).slice(5), { time: NOON - HOUR, isBreak: true }]);
  assert.deepEqual(tags(await second.list()), ["2026-06-01T12:00:05.000Z", "2026-06-01T11:00:00.000Z"]);
  await second.end();
});

Deno.test("a segment that does not say its time leaves the date to the next one, and is asked for once", async () => {
  await using world = await channelWith(100, eight(NOON));
  world.media.segments.set(`${NOON + LAG}.ts`, new Uint8Array(188));
  const one = await world.begin();
  const list = await one.list();
  assert.deepEqual(tags(list), ["2026-06-01T12:00:01.000Z"]);
  assert.ok(list.indexOf("#EXT-X-PROGRAM") > list.indexOf(`${NOON + LAG}.ts`));
  await one.list();
  assert.equal(world.media.asked.length, 2);
  world.media.segments.clear();
  world.media.list = world.media.list!.replaceAll(".ts", "-x.ts");
  const strange = await one.list();
  assert.deepEqual(tags(strange), [], "a list of other names has no date");
  assert.equal(strange.replace(/^#EXT-X-DISCONTINUITY-S.*\n/m, ""), world.media.list);
  await one.end();
});

Deno.test("a media server that gives no segment holds up no list", async () => {
  await using world = await channelWith(100, eight(NOON));
  world.media.slow = Promise.withResolvers<void>();
  const one = await world.begin();
  assert.deepEqual(tags(await one.list()), []);
  world.media.slow.resolve();
  assert.deepEqual(tags(await one.list()), ["2026-06-01T12:00:00.000Z"]);
  await one.end();
});

Deno.test("a channel from another node keeps the dates of that node's segments, and its own follow", async () => {
  await using there = await channelWith(100, eight(NOON));
  const other = await there.begin();
  const last = await other.list();
  await other.end();
  const own = Array.from({ length: 3 }, (_, at) => ({ time: NOON + 7600 + at * 1000, isBreak: at === 0 }));
  await using here = await channelWith(40, own);
  const one = await here.begin();
  one.channel.goOn(last);
  const list = await one.list();
  const dates = datesOf(list);
  assert.deepEqual(dates.slice(-3), own.map(({ time }) => time));
  assert.deepEqual(dates.slice(0, -3), eight(NOON).slice(-5).map(({ time }) => time));
  assert.equal(here.media.asked.length, 1, "only its own segments are looked at");
  await one.end();
});

Deno.test("a slate's dates go on by a second, are those of its timestamps, and the page's follow", async () => {
  await using world = await channelWith(5, []);
  const { clock, stream, media } = world;
  clock.now = NOON + 400;
  const one = await world.begin();
  const rules = new LiveRules();
  media.list = null;
  one.channel.slate.begin(stream);
  const slate = await one.list();
  rules.add(slate, 0);
  assert.equal(tags(slate).length, 1);
  const newest = parseMediaPlaylist(slate).segments.at(-1)!;
  assert.equal(newest.date, NOON - 3000, "three seconds behind the clock (slate_segments_test.ts)");
  clock.now += 3000;
  one.channel.slate.shown();
  clock.now += 600;
  const joined = { time: NOON + 3500 };
  media.list = world.write(5, [joined]);
  const list = await one.list();
  rules.add(list, 4000);
  const dates = datesOf(list);
  assert.equal(dates.at(-1), joined.time);
  assert.ok(dates.every((date, at) => at === 0 || date! > dates[at - 1]!), `${dates}`);
  assert.deepEqual(rules.problems, []);
  await one.end();
});
