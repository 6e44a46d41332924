/** Catch-up of IPTV apps: what playlist and guide tell them, and the addresses that they make of it. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import HLS from "hls-parser";
import { pieceFile, SUFFIX } from "../../lib/rewind/recorder/piece.ts";
import { appTest, sessionCookie, type TestApp, testApp } from "../support/app.ts";
import { iptvsimpleAddress } from "../support/catchup.ts";
import { guideProblems, parseGuide } from "../support/guide.ts";
import { type M3uChannel, parseM3u } from "../support/m3u.ts";
import { pastFolder, type PastPiece, writePast } from "../support/past.ts";

/** Half past an hour, as Unix time in s: 2033-05-18T03:30:00Z. */
const BEGIN = 1_999_999_800;
const HOUR = 3600;
const NOW = BEGIN + 4 * HOUR;
const ORIGIN = "http://127.0.0.1:3000";
const LOGIN = { AUTH_USER: "anna", AUTH_PASS: "correct horse" };

/** Four hours in pieces of ten minutes. */
const HISTORY: PastPiece[] = Array.from({ length: 24 }, (_, at) => ({
  number: at + 1,
  seconds: [BEGIN + at * 600, BEGIN + at * 600 + 7],
  end: BEGIN + (at + 1) * 600,
}));

function clockAt({ machine }: TestApp, time: number): void {
  machine.advance(time * 1000 - machine.now());
}

/** A stream whose past viewers may see, and one whose past they may not. @returns the beginning of an app's addresses. */
async function twoStreams(app: TestApp): Promise<string> {
  clockAt(app, NOW);
  await app.create({ rewindFor: "viewers" });
  await app.create({ name: "Closed" });
  for (const id of ["clock", "closed"]) await writePast(pastFolder(app.paths, id), HISTORY, false);
  const { json } = await app.api("POST", "/api/access-tokens", { name: "TV" });
  return `/t/${json.token}`;
}

async function channelsOf(app: TestApp, path: string): Promise<M3uChannel[]> {
  const answer = await app.fetch(path);
  assert.equal(answer.status, 200);
  return parseM3u(await answer.bytes()).channels;
}

/** The span that a list shows, behind the beginning; a redirect is followed as players do. */
async function shown(app: TestApp, url: string): Promise<[from: number, seconds: number]> {
  let answer = await app.fetch(url);
  if (answer.status === 302) answer = await app.fetch(answer.headers.get("location")!);
  const text = await answer.text();
  assert.deepEqual([answer.status, answer.headers.get("content-type")], [
    200,
    "application/vnd.apple.mpegurl",
  ], `${url}: ${text}`);
  const { segments, endlist } = HLS.parse(text) as HLS.types.MediaPlaylist;
  assert.ok(endlist);
  const from = segments[0].programDateTime!.getTime() / 1000 - BEGIN;
  return [from, segments.reduce((sum, { duration }) => sum + duration, 0)];
}

appTest("the playlist tells apps how to show the past of channels whose viewers may see it", async (app) => {
  const prefix = await twoStreams(app);
  await app.create({ name: "Off", rewind: false, rewindFor: "viewers" });
  for (const path of [`${prefix}/playlist.m3u`, `${prefix}/playlist.m3u?format=ts`]) {
    const [clock, ...others] = await channelsOf(app, path);
    assert.deepEqual(clock.catchup, {
      type: "default",
      days: "1",
      source: `${ORIGIN}${prefix}/api/streams/clock/rewind/index.m3u8?start=\${start}&end=\${end}`,
    });
    for (const { catchup, attributes } of others) {
      assert.deepEqual(catchup, { type: "", days: "", source: "" }, attributes["tvg-id"]);
    }
  }
}, { env: LOGIN });

const KEPT: [env: Record<string, string>, days: string][] = [
  [{ REWIND_HOURS: "1" }, "1"],
  [{ REWIND_HOURS: "24" }, "1"],
  [{ REWIND_HOURS: "36" }, "2"],
  [{ REWIND_HOURS: "72" }, "3"],
  [{ REWIND_GB: "0" }, ""],
  [{ CAPTURE: "x11grab" }, ""],
];

Deno.test("apps are told of as many days as are kept, and of none where nothing is", async () => {
  for (const [env, days] of KEPT) {
    await using app = await testApp({ env });
    await twoStreams(app);
    const [{ catchup }] = await channelsOf(app, "/playlist.m3u");
    assert.equal(catchup.days, days, JSON.stringify(env));
    const { programs } = parseGuide(await (await app.fetch("/epg.xml")).text());
    const hours = programs.filter(({ channel }) => channel === "clock").length;
    // it is half past
    assert.equal(hours - 48, days === "" ? 0 : env.REWIND_HOURS === "1" ? 1 : 4, JSON.stringify(env));
  }
});

const PROGRAMME = { start: BEGIN + HOUR, duration: HOUR };
const ITS_SPAN = [HOUR, HOUR];
/** From the programme's start until now are three hours, and a list has two. */
const TWO_HOURS = [HOUR, 2 * HOUR];

/** What a person may put into the place of the query, with the span that it shows. */
const SOURCES: [query: string, span: number[]][] = [
  ["start={utc}&duration={duration}", ITS_SPAN],
  ["start=${start}&duration=${duration}", ITS_SPAN],
  ["start={utc}&end={utcend}", ITS_SPAN],
  ["start=${start}&end=${end}", ITS_SPAN],
  ["start={utc}&duration={duration:1}", ITS_SPAN],
  ["start={utc}&duration={duration:1}s", ITS_SPAN],
  ["start={utc}&duration={duration:60}m", ITS_SPAN],
  ["start={utc}&duration={duration:3600}h", ITS_SPAN],
  ["offset=${offset}&duration={duration}", ITS_SPAN],
  ["offset={offset:1}&duration={duration}", ITS_SPAN],
  ["offset={offset:60}m&duration={duration:60}m", ITS_SPAN],
  ["offset={offset:3600}h&end={utcend}", ITS_SPAN],
  ["start={Y}-{m}-{d}T{H}:{M}:{S}Z&duration={duration}", ITS_SPAN],
  ["start={Y}-{m}-{d}T{H}:{M}:00Z&duration={duration}", ITS_SPAN],
  ["start={utc:Y-m-dTH:M:S}Z&end={utcend:Y-m-dTH:M:S}Z", ITS_SPAN],
  ["start=${start:Y-m-dTH:M:S}Z&end=${end:Y-m-dTH:M:S}Z", ITS_SPAN],
  ["start={utc}&end={lutc}", TWO_HOURS],
  ["start={utc}&end=${now}", TWO_HOURS],
  ["start={utc}&end=${timestamp}", TWO_HOURS],
  ["start={utc}&end={lutc:Y-m-dTH:M:S}Z", TWO_HOURS],
  ["start={utc}&end=${now:Y-m-dTH:M:S}Z", TWO_HOURS],
  ["start={utc}&end=${timestamp:Y-m-dTH:M:S}Z", TWO_HOURS],
  ["start={utc}", TWO_HOURS],
  // of another app's
  ["start={utc}&end=${stop}&duration={length}", TWO_HOURS],
];

/** The same behind the channel's own address. */
const APPENDED: [query: string, span: number[]][] = [
  ["utc={utc}&lutc={lutc}", TWO_HOURS],
  ["utc=${start}&lutc=${timestamp}", TWO_HOURS],
  ["utc={utc}&lutc={lutc}&duration={duration}", ITS_SPAN],
  ["utc={utc}&duration={duration:60}m", ITS_SPAN],
  ["utc={utc}&end={utcend}", ITS_SPAN],
  ["utc={utc:Y-m-dTH:M:S}Z&end=${end:Y-m-dTH:M:S}Z", ITS_SPAN],
];

appTest("each placeholder of pvr.iptvsimple gives the right span", async (app) => {
  const prefix = await twoStreams(app);
  const [{ catchup: { source }, url }] = await channelsOf(app, `${prefix}/playlist.m3u`);
  assert.deepEqual(await shown(app, iptvsimpleAddress(source, PROGRAMME, NOW)), ITS_SPAN);
  const [list] = source.split("?");
  const asked = [
    ...SOURCES.map(([query, span]) => [`${list}?${query}`, span] as const),
    ...APPENDED.map(([query, span]) => [`${url}?${query}`, span] as const),
  ];
  for (const [address, span] of asked) {
    assert.deepEqual(await shown(app, iptvsimpleAddress(address, PROGRAMME, NOW)), span, address);
  }
  const head = await app.fetch(iptvsimpleAddress(source, PROGRAMME, NOW), { method: "HEAD" });
  assert.deepEqual([head.status, await head.text()], [200, ""], "Jellyfin asks so before it plays");
  // a box of another time zone writes its own time
  const local = `${list}?start={Y}-{m}-{d}T{H}:{M}:{S}+02:00&duration={duration}`;
  assert.deepEqual(await shown(app, iptvsimpleAddress(local, PROGRAMME, NOW, "Europe/Berlin")), ITS_SPAN);
}, { env: LOGIN });

appTest("a programme that is long, or still on, is shown as far as it may be", async (app) => {
  const prefix = await twoStreams(app);
  const [{ catchup: { source } }] = await channelsOf(app, `${prefix}/playlist.m3u`);
  const spans: [start: number, duration: number, span: number[]][] = [
    // with the minutes before and behind that Kodi adds
    [BEGIN + HOUR - 300, HOUR + 1200, [HOUR - 300, HOUR + 1200]],
    [BEGIN, 3 * HOUR, [0, 2 * HOUR]],
    [NOW - 600, HOUR, [4 * HOUR - 600, 600]],
    [BEGIN - HOUR, 2 * HOUR, [0, HOUR]],
  ];
  for (const [start, duration, span] of spans) {
    const address = iptvsimpleAddress(source, { start, duration }, NOW);
    assert.deepEqual(await shown(app, address), span, address);
  }
});

appTest("what cannot be shown is refused in words, with what is kept", async (app) => {
  const prefix = await twoStreams(app);
  const live = (id: string) => `${prefix}/api/hls/live/${id}/index.m3u8`;
  const refused = async (path: string, headers: Record<string, string> = {}) => {
    let answer = await app.fetch(path, { headers });
    if (answer.status === 302) answer = await app.fetch(answer.headers.get("location")!, { headers });
    return { answer, json: await answer.json() };
  };
  const bad = await refused(`${live("clock")}?utc=yesterday&lutc=${NOW}`);
  assert.deepEqual([bad.answer.status, Object.keys(bad.json.error.fields)], [400, ["utc"]]);
  const future = await refused(`${live("clock")}?utc=${NOW + HOUR}&lutc=${NOW}`);
  assert.equal(future.answer.status, 404);
  assert.match(
    future.json.error.message,
    /^Nothing is kept of 2033-05-18T08:30:00Z to .*\. 2033-05-18T07:29:59Z is the last moment before that is kept\.$/,
  );
  const old = await refused(`${live("clock")}?utc=${BEGIN - 9 * HOUR}&lutc=${NOW}`);
  assert.deepEqual([old.answer.status, old.json.before, old.json.after], [404, null, "2033-05-18T03:30:00Z"]);
  const soon = await refused(`${live("clock")}?utc=${NOW}&lutc=${NOW}`);
  assert.deepEqual([soon.answer.status, soon.answer.headers.get("retry-after")], [404, "5"]);

  const closed = await refused(`${live("closed")}?utc=${BEGIN}&lutc=${NOW}`);
  assert.equal(closed.answer.status, 403);
  assert.match(closed.json.error.message, /Only operators and admins can do this/);
  assert.equal((await app.fetch(`${live("gone")}?utc=${BEGIN}`)).status, 404);
  const plain = `/api/hls/live/closed/index.m3u8?utc=${BEGIN}`;
  assert.equal((await app.fetch(plain)).status, 401);
  const headers = { cookie: sessionCookie(app.service) };
  const own = await app.fetch(plain, { headers });
  assert.deepEqual([own.status, own.headers.get("location"), own.headers.get("cache-control")], [
    302,
    `${ORIGIN}/api/streams/closed/rewind/index.m3u8?start=${BEGIN}`,
    "no-store",
  ]);
  const head = await app.fetch(`${live("clock")}?utc=${BEGIN}`, { method: "HEAD" });
  const preflight = await app.fetch(`${live("clock")}?utc=${BEGIN}`, { method: "OPTIONS" });
  assert.equal(preflight.status, 204);
  assert.deepEqual([head.status, head.headers.get("location")?.includes(`${prefix}/api/streams/clock/`)], [
    302,
    true,
  ]);
  // other queries are the live channel's, which has no media server here
  for (const query of ["", "?utc=&lutc=", "?utc={utc}&lutc={lutc}", `?lutc=${NOW}`]) {
    assert.equal((await app.fetch(live("clock") + query)).status, 502, query);
  }
}, { env: LOGIN });

Deno.test("a channel of another node shows its past by the asked node's address", async () => {
  await using app = await testApp({ isAskedBeside: true });
  await app.create({ rewindFor: "viewers" });
  await writePast(pastFolder(app.paths), HISTORY, false);
  clockAt(app, NOW);
  // how much of it is kept only the other node knows
  const hours = (await pastOf(app, "clock")).length;
  assert.equal(hours, 24);
  app.passed.length = 0;
  const [{ catchup: { source }, url }] = await channelsOf(app, "/playlist.m3u");
  assert.deepEqual(await shown(app, iptvsimpleAddress(source, PROGRAMME, NOW)), ITS_SPAN);
  assert.deepEqual(await shown(app, `${url}?utc=${BEGIN + HOUR}&lutc=${NOW}`), TWO_HOURS);
  assert.deepEqual(app.passed.map((one) => one.split("?")[0]), [
    "GET /api/streams/clock/rewind/index.m3u8",
    "GET /api/streams/clock/rewind/index.m3u8",
  ]);
});

/** The programmes of a channel in the guide that begin before the hour that it is, behind the beginning. */
async function pastOf(app: TestApp, id: string, path = "/epg.xml") {
  const xml = await (await app.fetch(path)).text();
  assert.equal(await guideProblems(xml), "");
  const { programs } = parseGuide(xml);
  const own = programs.filter(({ channel }) => channel === id)
    .map(({ start, stop, title, desc }) => ({
      start: Date.parse(start) / 1000 - BEGIN,
      stop: Date.parse(stop) / 1000 - BEGIN,
      text: `${title[0].value}: ${desc[0]?.value ?? ""}`,
    }));
  own.slice(1).forEach(({ start }, at) => assert.equal(start, own[at].stop, "no gap"));
  return own.filter(({ stop }) => stop <= 3.5 * HOUR);
}

appTest(
  "the guide has the hours of which something is kept, for channels with catch-up alone",
  async (app) => {
    const prefix = await twoStreams(app);
    const hours = await pastOf(app, "clock", `${prefix}/epg.xml`);
    assert.deepEqual(
      hours.map(({ start, stop }) => [start, stop]),
      [-0.5, 0.5, 1.5, 2.5].map((hour) => [
        hour * HOUR,
        (hour + 1) * HOUR,
      ]),
    );
    assert.deepEqual(await pastOf(app, "closed", `${prefix}/epg.xml`), []);
    for (const { start, stop } of hours) {
      const address = iptvsimpleAddress(
        (await channelsOf(app, `${prefix}/playlist.m3u`))[0].catchup.source,
        { start: BEGIN + start, duration: stop - start },
        NOW,
      );
      const [from, seconds] = await shown(app, address);
      assert.deepEqual([from, seconds], [Math.max(0, start), stop - Math.max(0, start)]);
    }
  },
  { env: LOGIN },
);

appTest("the guide changes with what is kept, and with who may see it", async (app) => {
  await twoStreams(app);
  const tag = async () => (await app.fetch("/epg.xml")).headers.get("etag");
  const tags = [await tag(), await tag()];
  assert.equal(tags[0], tags[1]);
  for (const { number, seconds: [start] } of HISTORY.slice(0, 6)) {
    const file = join(pastFolder(app.paths), pieceFile({ number, start }));
    for (const suffix of Object.values(SUFFIX)) await Deno.remove(file + suffix);
  }
  tags.push(await tag());
  assert.equal((await pastOf(app, "clock"))[0].start, 0.5 * HOUR);
  await app.api("PATCH", "/api/streams/clock", { rewindFor: "operators" });
  tags.push(await tag());
  assert.deepEqual(await pastOf(app, "clock"), []);
  assert.equal(new Set(tags).size, 3);
});

appTest(
  "a plan is in the guide's past as it is, an hour at a time, whatever a person wants now",
  async (app) => {
    await twoStreams(app);
    await app.api("PATCH", "/api/streams/clock", {
      plan: "daily 04:30-06:00 https://menu.example/\ndaily 06:00-23:00",
      planTimeZone: "UTC",
      morePages: "https://b.example/",
    });
    assert.equal((await app.api("POST", "/api/streams/clock/stop?until=next")).status, 200);
    await app.idle();
    assert.deepEqual(
      (await pastOf(app, "clock")).map(({ start, stop, text }) => [start / HOUR, stop / HOUR, text]),
      [
        [-0.5, 0.5, "Off the air: "],
        [0.5, 1, "Off the air: "],
        [1, 1.5, "Clock: menu.example"],
        [1.5, 2.5, "Clock: menu.example"],
        [2.5, 3.5, "Clock: clock.example.org, b.example"],
      ],
    );
  },
);
