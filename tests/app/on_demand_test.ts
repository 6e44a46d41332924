/** Streams that run only while somebody watches, over the API and the HLS proxy. */
import { strict as assert } from "node:assert";
import { streamId } from "../../lib/model/id.ts";
import { slateUnit } from "../support/slate_unit.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { parseMediaPlaylist } from "../support/media_playlist.ts";
import { until } from "../support/same.ts";
import { fakeUpstream } from "../support/upstream.ts";

const CLOCK = streamId("clock");
const LIST = "/api/hls/live/clock/index.m3u8";

/** An app whose media server has nothing, or the list that it is given. @param dir of an earlier one. */
async function withMedia(dir?: string, env: Record<string, string> = {}) {
  const media = { list: "" };
  const upstream = fakeUpstream(({ path, answer }) =>
    path.endsWith(".m3u8") && media.list !== "" ? answer(200, {}, media.list) : answer(404, {})
  );
  const port = new URL(upstream.origin).port;
  const app = await testApp({
    env: { MEDIA_PORT: port, TIMINGS: '{"statusCacheMs":1}', ...env },
    dir,
    isStarted: dir !== undefined,
  });
  return {
    app,
    media,
    [Symbol.asyncDispose]: async () => {
      await app[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

const stateOf = async (app: TestApp) => (await app.api("GET", "/api/streams/statuses")).json.clock;

Deno.test("a stream that runs only while watched waits, starts with a slate for a viewer, and waits again", async () => {
  await using it = await withMedia();
  const { app, media } = it;
  const { machine, service } = app;
  await app.create({ onDemand: true, onDemandMinutes: 1, fps: 25 });
  assert.deepEqual([(await stateOf(app)).state, machine.supervisord.commands()], ["waiting", []]);
  for (const command of ["start", "restart"]) {
    const { json } = await app.api("POST", `/api/streams/clock/${command}`);
    assert.equal(json.state, "waiting", command);
  }

  const first = await app.fetch(LIST);
  assert.deepEqual([first.status, first.headers.get("cache-control")], [200, "no-cache, no-store"]);
  const slate = parseMediaPlaylist(await first.bytes());
  assert.equal(slate.targetDuration, 1);
  const segment = await app.fetch(`/api/hls/live/clock/${slate.segments[0].uri}`);
  assert.deepEqual(
    [segment.status, segment.headers.get("content-type"), segment.headers.get("cache-control")],
    [200, "video/mp2t", "max-age=300, immutable"],
  );
  assert.equal((await segment.bytes()).length, slateUnit().length);
  await service.fleet.get(CLOCK).work.retry();
  assert.ok(machine.supervisord.commands().some((command) => command.startsWith("start stream-clock")));

  // nobody tells here that the page is shown, which is waited for until then
  machine.advance(5000);
  const name = machine.now();
  media.list =
    `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-MEDIA-SEQUENCE:7\n#EXT-X-TARGETDURATION:1\n#EXTINF:1.000,\n${name}.ts\n`;
  // a list of before may be cached for a moment
  const joined = await until("the channel's own list", async () => {
    const list = parseMediaPlaylist(await (await app.fetch(LIST)).bytes());
    return list.segments.at(-1)!.uri === `${name}.ts` ? list : null;
  });
  const [own, last] = [joined.segments.at(-1)!, joined.segments.at(-2)!];
  assert.deepEqual([own.sequence, own.discontinuity], [last.sequence + 1, last.discontinuity + 1]);
  assert.ok((await stateOf(app)).state !== "waiting");

  machine.advance(60_000);
  service.fleet.tick();
  await service.fleet.get(CLOCK).work.retry();
  assert.equal((await stateOf(app)).state, "waiting");
  assert.ok(machine.supervisord.commands().some((command) => command.startsWith("stop stream-clock")));
  const { json } = await app.api("GET", "/api/streams/clock/events");
  const texts = json.events.map(({ text }: { text: string }) => text);
  assert.ok(texts.includes("Stopped because nobody watches. The next viewer starts it."), texts.join("\n"));
});

Deno.test("a waiting stream is told to Prometheus and to players, and asks nobody for a thumbnail", async () => {
  await using it = await withMedia();
  const { app } = it;
  await app.create({ onDemand: true });
  const metrics = await (await app.fetch("/metrics")).text();
  assert.match(metrics, /^browserstream_streams\{state="waiting"\} 1$/m);
  assert.match(metrics, /^browserstream_stream_state\{stream="clock",state="waiting"\} 1$/m);
  const { json: [channel] } = await app.api("GET", "/api/channels");
  assert.deepEqual([channel.state, channel.onDemand], ["waiting", true]);
  assert.equal((await app.fetch("/api/streams/clock/thumb")).status, 404);
  const player = await (await app.fetch("/static/clock")).text();
  assert.match(player, /data-media-port=""/, "only the proxy sees who watches");
  assert.equal((await app.fetch("/healthz")).status, 200);
});

Deno.test("without a slate the channel is not there yet, and starts all the same; the next request tries again", async () => {
  await using it = await withMedia();
  const { runBytes } = it.app.machine;
  it.app.machine.runBytes = () => Promise.resolve({ code: 1, stdout: new Uint8Array(), stderr: "no font" });
  await it.app.create({ onDemand: true });
  const answer = await it.app.fetch(LIST);
  await answer.body?.cancel();
  assert.equal(answer.status, 404);
  assert.equal(it.app.service.fleet.get(CLOCK).work.isWanted, true);
  it.app.machine.runBytes = runBytes;
  const list = parseMediaPlaylist(await (await it.app.fetch(LIST)).bytes());
  assert.match(list.segments[0].uri, /^slate-/);
});

Deno.test("a web app that is started while viewers see a slate gives them the same one", async () => {
  await using it = await withMedia();
  await it.app.create({ onDemand: true });
  const { segments: [{ uri }] } = parseMediaPlaylist(await (await it.app.fetch(LIST)).bytes());
  const segment = async ({ app }: typeof it) => {
    const answer = await app.fetch(`/api/hls/live/clock/${uri}`);
    return { status: answer.status, bytes: await answer.bytes() };
  };
  const before = await segment(it);
  await it.app.service.fleet.get(CLOCK).work.retry();
  await it.app.service.stop();
  await using next = await withMedia(it.app.dir);
  await next.app.service.fleet.get(CLOCK).work.retry();
  const list = parseMediaPlaylist(await (await next.app.fetch(LIST)).bytes());
  assert.ok(list.segments.some((one) => one.uri === uri));
  assert.deepEqual([before.status, await segment(next)], [200, before]);
});

/** Whoever may watch a channel may ask at each of these. */
const DOORS = [
  "/api/hls/live/sales/index.m3u8",
  "/api/ts/sales",
  "/hdhr/tune/sales",
  "/api/streams/sales/mjpeg",
  "/api/streams/sales/snapshot.jpg",
  "/api/streams/sales/snapshot.png",
];

Deno.test("viewers start no more streams than MAX_STREAMS, at no door: the slate stays until there is room", async () => {
  await using it = await withMedia(undefined, { MAX_STREAMS: "1" });
  const { app } = it;
  const { machine, service } = app;
  const [sales, started] = [
    streamId("sales"),
    () => machine.supervisord.commands().filter((one) => /^start/.test(one)),
  ];
  await app.create({ onDemand: true });
  await app.create({ onDemand: true, name: "Sales" });
  const both = await Promise.all([LIST, DOORS[0]].map((path) => app.fetch(path)));
  assert.deepEqual(both.map(({ status }) => status), [200, 200], "both have a slate");
  await service.fleet.settled();
  assert.deepEqual(started(), ["start stream-clock:*"]);
  const status = async () => {
    const { json } = await app.api("GET", "/api/streams/statuses");
    return [json.sales.state, json.sales.noRoom];
  };
  const wrong: unknown[] = [];
  for (const path of DOORS) {
    machine.advance(61_000);
    service.fleet.watched(CLOCK);
    service.fleet.tick();
    assert.deepEqual(await status(), ["waiting", undefined], "nobody watches any more");
    const answer = await app.fetch(path);
    const seen = await status();
    await answer.body?.cancel();
    await service.fleet.settled();
    if (seen.join() !== "waiting,MAX_STREAMS is 1" || started().length > 0) wrong.push([path, seen]);
  }
  assert.deepEqual(wrong, []);
  for (const command of ["start", "restart"]) {
    assert.equal((await app.api("POST", `/api/streams/sales/${command}`)).json.state, "waiting", command);
  }
  const always = await app.api("PATCH", "/api/streams/sales", { onDemand: false });
  assert.deepEqual([always.status, always.json.capacity.short], [409, "MAX_STREAMS is 1"]);

  await app.fetch(DOORS[0]);
  await app.api("POST", "/api/streams/clock/stop");
  service.fleet.tick();
  await service.fleet.settled();
  assert.deepEqual([started(), service.fleet.get(sales).work.isWanted], [["start stream-sales:*"], true]);
  assert.equal((await app.api("POST", "/api/streams/clock/start")).json.state, "waiting");
  await app.fetch(LIST);
  await app.api("POST", "/api/streams/clock/start?force=true");
  assert.deepEqual(started(), ["start stream-clock:*"], "unless an operator wants it");
});
