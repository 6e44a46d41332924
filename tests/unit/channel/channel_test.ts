/** What a channel owns, by what its viewers get. */
import { strict as assert } from "node:assert";
import { Channel } from "../../../lib/channel/channel.ts";
import { playlistFile } from "../../../lib/channel/media/hls.ts";
import { aChannel } from "../../support/a_channel.ts";
import { namesIn } from "../../support/fixture.ts";
import { dirname } from "node:path";

const HOUR = 3_600_000;

/** A list of eight segments as the media server writes it; the one of `broken` follows a break. */
function eight(first: number, broken?: number): string {
  const segments = Array.from({ length: 8 }, (_, at) => first + at).map((at) =>
    `${at === broken ? "#EXT-X-DISCONTINUITY\n" : ""}#EXTINF:1.000,\n${at}.ts\n`
  );
  return `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-MEDIA-SEQUENCE:${first}\n#EXT-X-TARGETDURATION:1\n${
    segments.join("")
  }`;
}

/** The list's number of breaks that have left it. */
const breaksIn = (list: string) => Number(/^#EXT-X-DISCONTINUITY-SEQUENCE:(\d+)$/m.exec(list)?.[1]);

Deno.test("channel: breaks are counted when they leave the list, and over restarts hours later", async () => {
  await using world = await aChannel();
  const { media } = world;
  const first = await world.begin();
  const get = async (list: string, one = first) => {
    media.list = list;
    return breaksIn(await one.list());
  };
  assert.deepEqual([await get(eight(100)), await get(eight(105, 107))], [0, 0]);
  for (let at = 106; at < 300; at++) await get(eight(at, 107));
  assert.equal(await get(eight(300)), 1);
  await get(eight(301, 308));
  await first.end();
  const second = await world.begin();
  assert.equal(await get(eight(304, 308), second), 1, "a break that is listed at the restart");
  assert.equal(await get(eight(309), second), 2, "is counted when it leaves");
  assert.equal(await get(eight(5000), second), 3, "from here on it knows what it missed");
  await second.end();
});

Deno.test("channel: its numbers are written at breaks only, and are gone with the stream", async () => {
  await using world = await aChannel();
  const { media, ground: { paths } } = world;
  const folder = dirname(paths.discontinuitiesFile);
  const one = await world.begin();
  for (let at = 100; at < 150; at++) {
    media.list = eight(at);
    await one.list();
    await one.settled();
    if (at === 101) await Deno.remove(paths.discontinuitiesFile);
  }
  assert.deepEqual((await namesIn(folder)).filter((name) => name.startsWith("disc")), []);
  media.list = eight(150, 157);
  await one.list();
  one.channel.clear();
  await one.end();
  assert.equal(await Deno.readTextFile(paths.discontinuitiesFile), "{}");
});

Deno.test("channel: files of an earlier web app that cannot be read or written stop no viewer", async () => {
  await using world = await aChannel();
  const { media, ground: { paths } } = world;
  media.list = eight(100);
  for (const text of ["", "{", "null", "[1"]) {
    for (const file of [paths.discontinuitiesFile, paths.slatesFile]) await Deno.writeTextFile(file, text);
    const one = await world.begin();
    assert.equal(breaksIn(await one.list()), 0, text);
    await one.end();
  }
  await Deno.remove(paths.discontinuitiesFile);
  await Deno.mkdir(paths.discontinuitiesFile);
  const nowhere = await world.begin();
  assert.equal(breaksIn(await nowhere.list()), 0);
  await nowhere.end();
});

Deno.test("channel: a client that asked for the playlist within 10 s is a viewer, each once", async () => {
  await using world = await aChannel();
  const { clock, live, media } = world;
  media.list = eight(100);
  const { channel, list, end } = await world.begin();
  for (const [client, agent] of [["10.0.0.1"], ["10.0.0.1"], ["10.0.0.1", "mpv"], ["10.0.0.2"], [""]]) {
    await list(client, "", agent);
  }
  assert.deepEqual([channel.viewers.count, live.asked], [3, 5], "another node counts its viewers itself");
  clock.now += 6000;
  await list("10.0.0.2");
  clock.now += 4000;
  assert.equal(channel.viewers.count, 1, "the others are gone");
  for (let at = 0; at < 1100; at++) channel.viewers.note("10.0.0.1", `agent ${at}`);
  assert.equal(channel.viewers.count, 1000, "a client with many names takes so much memory at most");
  assert.ok(channel.sentBytes > 5 * eight(100).length);
  await end();
});

Deno.test("channel: another node ends its list, which then stands still for all viewers", async () => {
  await using world = await aChannel();
  const { clock, live, media } = world;
  const { channel, list, end } = await world.begin();
  let first = 100;
  const ask = async (client: string, query = "") => {
    media.list = eight(++first);
    return Number(/MEDIA-SEQUENCE:(\d+)/.exec(await list(client, query))?.[1]);
  };
  const viewer = "10.0.0.9";
  assert.deepEqual([await ask(viewer), await ask(viewer, "?last"), await ask("")], [101, 102, 103]);
  live.asked = 0;
  assert.deepEqual([await ask("", "?last"), await ask(viewer), await ask("")], [104, 104, 104]);
  assert.equal(live.asked, 2, "a channel that nobody watches is not started for its end");
  clock.now += 9000;
  assert.equal(await ask("", "?last"), 104, "the node asks again");
  clock.now += 9000;
  assert.equal(await ask(viewer), 104);
  clock.now += 1000;
  assert.equal(await ask(viewer), 109, "the other node should have it by now");
  assert.equal(await ask("", "?last"), 110, "the list before does not come back");
  const last = media.list!;
  channel.goOn(last);
  assert.equal(channel.last.isHeld, false, "the channel goes on here");
  await end();
});

Deno.test("channel: its age is the time since its playlist was written, whatever is done to the clock", async () => {
  for (const by of [0, -HOUR, HOUR]) {
    await using world = await aChannel();
    const { clock, ground: { paths }, stream } = world;
    clock.now = 1_000_000_000;
    const { channel, end } = await world.begin();
    const file = playlistFile(paths.hlsDir, stream.id);
    const write = async () => {
      await Deno.writeTextFile(file, "#EXTINF:1.000,\n1795241652273.ts\n".repeat(6), { append: true });
      const seconds = (clock.now + clock.setBy) / 1000;
      await Deno.utime(file, seconds, seconds);
    };
    assert.equal(channel.ageMs, null, "a seed is no picture");
    await write();
    clock.now += 7500;
    assert.equal(channel.ageMs, 7500, "also of one that was never looked at before");
    clock.setBy = by;
    clock.now += 1000;
    assert.equal(channel.ageMs, 8500, "nobody wrote it meanwhile");
    await write();
    clock.now += 500;
    const age = channel.ageMs!;
    assert.ok(age >= 0 && age <= 500, `${age}`);
    clock.now += 60_000;
    assert.equal(channel.ageMs, age + 60_000, "also when the last look was long ago");
    await end();
  }
});

/** A channel that starts for a viewer, and whether viewers get the segment that the media server has just begun. */
async function startingChannel() {
  const world = await aChannel({ onDemand: true });
  const { clock, media } = world;
  clock.now = Date.UTC(2026, 0, 5, 12);
  const begun = await world.begin();
  const hasJoined = async () => {
    const name = `${clock.now + clock.setBy}.ts`;
    media.list = `#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:5\n#EXT-X-TARGETDURATION:1\n#EXTINF:1.000,\n${name}\n`;
    return (await begun.list()).includes(name);
  };
  return Object.assign(world, { ...begun, slate: begun.channel.slate, hasJoined });
}

for (const by of [0, -HOUR, HOUR]) {
  Deno.test(`channel: one that starts after the clock was set by ${by / HOUR} h has its pictures as soon as they come`, async () => {
    await using world = await startingChannel();
    const { slate, clock, stream, hasJoined, end } = world;
    clock.setBy = by;
    clock.now += 10_000;
    slate.begin(stream);
    assert.equal(await hasJoined(), false, "the page is not shown");
    clock.now += 2000;
    slate.shown();
    clock.now += 1000;
    assert.equal(await hasJoined(), true);
    await end();
  });
}

Deno.test("channel: one that waits for room has a slate as long as somebody asks, and goes on behind it", async () => {
  await using world = await startingChannel();
  const { slate, clock, stream, hasJoined, list, media, end } = world;
  const numbers = async () => {
    media.list = null;
    return [...(await list()).matchAll(/slate-(\d+)\.ts/g)].map(([, number]) => Number(number));
  };
  slate.hold(stream);
  const [first] = await numbers();
  for (let minute = 0; minute < 3; minute++) {
    clock.now += 50_000;
    slate.hold(stream);
  }
  const last = (await numbers()).at(-1)!;
  assert.ok(last >= first + 150, `${first} to ${last}`);
  slate.begin(stream);
  assert.ok((await numbers()).includes(last), "its numbers go on");
  clock.now += 2000;
  slate.shown();
  clock.now += 1000;
  assert.equal(await hasJoined(), true);
  slate.end();
  slate.hold(stream);
  clock.now += 60_000;
  assert.deepEqual(await numbers(), [], "nobody has asked any more");
  await end();
});

Deno.test("channel: a clock that is set back while a slate is shown leaves it on the air for its longest time", async () => {
  await using world = await startingChannel();
  const { slate, clock, stream, hasJoined, end } = world;
  slate.begin(stream);
  clock.now += 2000;
  slate.shown();
  clock.setBy = -HOUR;
  clock.now += 1000;
  assert.equal(await hasJoined(), false, "by its name the segment is of an hour ago");
  clock.now += 60_000;
  assert.equal(await hasJoined(), true);
  await end();
});

Deno.test("channel: a web app that is started anew goes on with the slate, and it ends with the stream", async () => {
  await using world = await startingChannel();
  const { slate, clock, stream, media, end } = world;
  slate.begin(stream);
  media.list = null;
  const before = /slate-(\d+)\.ts/.exec(await world.list())![1];
  await end();
  clock.now += 2000;
  const next = await world.begin();
  assert.ok((await next.list()).includes(`slate-${Number(before) + 1}.ts`));
  next.channel.clear();
  assert.equal(await next.list(), "");
  await next.end();
  assert.equal(await Deno.readTextFile(world.ground.paths.slatesFile), "{}");
});

Deno.test("channel: slates that wait for their turn keep no stop waiting, and are not made", async () => {
  await using world = await aChannel({ onDemand: true });
  const { ground, stream, machine } = world;
  let made = 0;
  machine.runBytes = () => {
    made++;
    return Promise.reject(new Error("no ffmpeg"));
  };
  const { making } = ground.channels;
  const first = Promise.withResolvers<void>();
  void making.run(() => first.promise);
  const channel = new Channel(world.live, ground.channels);
  channel.slate.prepare(stream);
  const stopped = channel.stop();
  first.resolve();
  await stopped;
  assert.equal(made, 0);
});
