/** HEAD asks what GET would answer: it starts nothing, is no viewer and takes no place, at no address. */
import { strict as assert } from "node:assert";
import { LEAST_ROLES } from "../../lib/door/roles.ts";
import { streamId } from "../../lib/model/id.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { nginx, PLAYLIST, SEGMENT } from "../support/hls_fixture.ts";
import { fakeUpstream } from "../support/upstream.ts";

const CLOCK = streamId("clock");
const LIST = `/api/hls${PLAYLIST}`;

/** What is asked beside the plain address: what makes GET wait, choose or count. */
const QUERIES = [
  `${LIST}?wait=1`,
  `${LIST}?wait=1&_HLS_msn=99`,
  `${LIST}?last`,
  "/api/hls/live/clock/1.ts",
  "/api/hls/live/clock/slate-1.ts",
  "/api/streams/clock/thumb?logo=0",
  "/api/streams/clock/mjpeg?fps=9",
  "/wall?layout=running",
  "/playlist.m3u?format=ts",
];

/** Each address that can be read, of a stream that is there. */
const ADDRESSES = Object.keys(LEAST_ROLES).filter((address) => address.startsWith("GET "))
  .map((address) =>
    address.slice("GET ".length).replace("/api/hls/{path}", LIST).replace("{program}", "encoder")
      .replace("/api/walls/{id}", "/api/walls/running").replaceAll("{id}", "clock").replaceAll("{path}", "x")
  ).concat(QUERIES);

/** Those that an access token opens. */
const OPEN = ADDRESSES.filter((path) =>
  /^\/(?:playlist|epg|hdhr|wall(?!\/)|api\/(?:channels|hls|ts|walls\/running\/view|streams\/clock\/(?:thumb|snap|mjpeg)))/
    .test(path)
);

/** What an address could begin, of the stream that waits for its first viewer or is shown. */
function begun({ machine, service: { fleet, feed } }: TestApp, captures: string[]) {
  const { demand, stream, channel: { relay, pictures } } = fleet.get(CLOCK);
  return {
    isWaiting: demand.isWaiting(stream!),
    started: machine.supervisord.commands().filter((command) => /^(?:re)?start/.test(command)),
    captures: captures.splice(0),
    // viewers of channels, clients of the tuner, and dashboards
    places: [relay.size, relay.tuners, pictures.size, feed.listeners],
  };
}

/** @param media the media server, which has nothing by itself. */
async function headApp(
  isAskedBeside: boolean,
  media: Parameters<typeof fakeUpstream>[0] = ({ answer }) => answer(404, {}),
) {
  const upstream = fakeUpstream(media);
  const env = { MEDIA_PORT: new URL(upstream.origin).port, TIMINGS: '{"statusCacheMs":1,"figuresMs":1}' };
  const app = await testApp({ env, isAskedBeside });
  const captures: string[] = [];
  const { broker } = app.machine;
  const { capture, watch } = broker;
  broker.capture = (...asked) => {
    captures.push(`capture ${asked[2]}`);
    return capture.apply(broker, asked);
  };
  broker.watch = (...asked) => {
    captures.push("watch");
    return watch.apply(broker, asked);
  };
  return {
    app,
    captures,
    [Symbol.asyncDispose]: async () => {
      await app[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

for (const isAskedBeside of [false, true]) {
  const where = isAskedBeside ? ", asked of another node" : "";
  Deno.test(`HEAD starts no stream that waits for viewers, at any address${where}`, async () => {
    await using it = await headApp(isAskedBeside);
    const { app, captures } = it;
    await app.create({ onDemand: true });
    const { json: { token } } = await app.api("POST", "/api/access-tokens", { name: "TV" });
    const wrong: unknown[] = [];
    const nothing = begun(app, captures);
    assert.deepEqual(nothing, { isWaiting: true, started: [], captures: [], places: [0, 0, 0, 0] });
    for (const path of [...ADDRESSES, ...OPEN.map((path) => `/t/${token}${path}`)]) {
      const answer = await app.fetch(path, { method: "HEAD" });
      const body = await answer.text();
      await app.idle();
      const seen = begun(app, captures);
      const viewers = (await app.api("GET", "/api/figures")).json.clock.viewers;
      const isFine = body === "" && answer.status !== 405 && viewers === 0 &&
        JSON.stringify(seen) === JSON.stringify(nothing);
      if (!isFine) wrong.push({ path, status: answer.status, viewers, seen });
      // each is asked of a stream that waits
      if (!seen.isWaiting) app.machine.advance(3_600_000), app.service.fleet.tick();
      await app.idle();
    }
    assert.deepEqual(wrong, []);
    const list = await app.fetch(LIST, { method: "HEAD" });
    assert.deepEqual(
      [list.status, list.headers.get("content-type")],
      [200, SHOWN[0][2]],
      "as a viewer gets it",
    );
  });
}

/** What HEAD says of a stream that is shown, as GET would. */
const SHOWN: [path: string, status: number, type: string][] = [
  [LIST, 200, "application/vnd.apple.mpegurl"],
  [`/api/hls${SEGMENT}`, 200, "video/mp2t"],
  ["/api/ts/clock", 200, "video/mp2t"],
  ["/hdhr/tune/clock", 200, "video/mp2t"],
  ["/api/streams/clock/snapshot.jpg", 200, "image/jpeg"],
  ["/api/streams/clock/snapshot.png", 200, "image/png"],
  ["/api/streams/clock/mjpeg", 200, "multipart/x-mixed-replace"],
  ["/api/streams/clock/thumb?logo=0", 200, "image/jpeg"],
];

Deno.test("HEAD tells of a stream that runs, takes no picture of it, and keeps it running for nobody", async () => {
  await using it = await headApp(false, nginx);
  const { app, captures } = it;
  const { machine, service: { fleet } } = app;
  await app.create({ onDemand: true, onDemandMinutes: 1 });
  await (await app.fetch(LIST)).body?.cancel();
  await app.idle();
  assert.deepEqual(begun(app, []).isWaiting, false);
  const heads = async () => {
    const seen: unknown[] = [];
    for (const [path] of SHOWN) {
      const { status, headers } = await app.fetch(path, { method: "HEAD" });
      seen.push([path, status, headers.get("content-type")?.split(";")[0]]);
    }
    await app.idle();
    return seen;
  };
  for (let half = 0; half < 2; half++) {
    assert.deepEqual([await heads(), begun(app, captures).captures], [SHOWN, []]);
    machine.advance(30_000);
    fleet.tick();
    await app.idle();
  }
  assert.equal(begun(app, []).isWaiting, true, "a minute without a viewer");
});
