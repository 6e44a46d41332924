/** What is asked of a channel's past: spans, changes, pictures, lists, and who may ask. ffmpeg is pretended here. */
import { strict as assert } from "node:assert";
import { NO_CHANGE } from "../../lib/rewind/recorder/piece.ts";
import { streamId } from "../../lib/model/id.ts";
import { appTest, sessionCookie, type TestApp } from "../support/app.ts";
import { JPEG } from "../support/machine.ts";
import { A_CHANGE, pastFolder, type PastPiece, writePast } from "../support/past.ts";
import { until } from "../support/same.ts";

/** A whole minute, as Unix time in s: 2033-05-18T03:34:00Z. */
const BEGIN = 2_000_000_040;
const PATH = "/api/streams/clock/rewind";

const at = (second: number) => new Date((BEGIN + second) * 1000).toISOString().replace(".000Z", "Z");

/** Sets the clock so many seconds behind the beginning. */
function clockAt({ machine }: TestApp, second: number): void {
  machine.advance((BEGIN + second) * 1000 - machine.now());
}

async function keep(app: TestApp, pieces: PastPiece[]): Promise<void> {
  await writePast(pastFolder(app.paths), pieces, false);
  clockAt(app, 5000);
}

/** Three minutes, a visit of one minute, and another minute. */
const HISTORY: PastPiece[] = [
  { number: 1, seconds: [BEGIN, BEGIN + 5, BEGIN + 70], noted: [BEGIN + 71], end: BEGIN + 120 },
  { number: 2, seconds: [BEGIN + 120, BEGIN + 125], end: BEGIN + 180, reason: "visit" },
  { number: 3, seconds: [BEGIN + 240], end: BEGIN + 300 },
];

/** What ffmpeg was told, with the bytes of its answer. */
function ffmpeg(app: TestApp, bytes = JPEG): { commands: string[]; inputs: number[] } {
  const seen = { commands: [] as string[], inputs: [] as number[] };
  app.machine.runBytes = async (argv, { input }) => {
    seen.commands.push(argv.join(" "));
    let size = 0;
    for await (const part of input!) size += part.length;
    seen.inputs.push(size);
    return { code: 0, stdout: bytes, stderr: "" };
  };
  return seen;
}

appTest("a stream without a past has no spans, and says so for a picture", async (app) => {
  await app.create();
  clockAt(app, 5000);
  assert.deepEqual((await app.api("GET", PATH)).json, []);
  const { status, json, headers } = await app.api("GET", `${PATH}/picture.jpg?at=${BEGIN}`);
  assert.equal(status, 404);
  assert.deepEqual([json.before, json.after], [null, null]);
  assert.match(
    json.error.message,
    /^Nothing is kept of 2033-05-18T03:34:00Z\. The channel has no past here\.$/,
  );
  assert.equal(headers.get("retry-after"), null);
  const changes = (await app.api("GET", `${PATH}/changes?start=${BEGIN}&end=${BEGIN + 60}`)).json;
  assert.deepEqual([changes.slots, changes.gaps], [[], [{ start: at(0), duration: 60 }]]);
  for (const path of ["", "/changes", `/picture.jpg?at=${BEGIN}`, `/small.jpg?start=${BEGIN}&step=1`]) {
    assert.equal((await app.fetch(`/api/streams/gone/rewind${path}`)).status, 404, path);
  }
});

appTest("spans are joined over pieces, and say why they end and where they are played", async (app) => {
  await app.create();
  await keep(app, HISTORY);
  const { json, headers } = await app.api("GET", `${PATH}?start=${at(-60)}&end=2033-05-18T05:00:00%2B01:00`);
  assert.equal(headers.get("cache-control"), "no-store");
  const list = `http://127.0.0.1:3000${PATH}/index.m3u8`;
  assert.deepEqual(json, [
    { start: at(0), duration: 180, url: `${list}?start=${BEGIN}&duration=180`, reason: "visit" },
    { start: at(240), duration: 60, url: `${list}?start=${BEGIN + 240}&duration=60` },
  ]);
  const some = (await app.api("GET", `${PATH}?start=${BEGIN + 10}&end=${BEGIN + 100}`)).json;
  assert.deepEqual(some.map((span: { start: string; duration: number }) => [span.start, span.duration]), [
    [at(10), 90],
  ]);
});

appTest("changes have the largest share and all cells of each slot, events, and gaps", async (app) => {
  await app.create();
  const cells = (first: number) => Uint8Array.from(NO_CHANGE.cells, (_, byte) => byte === 0 ? first : 0);
  await writePast(pastFolder(app.paths), [{
    ...HISTORY[0],
    change: (second) =>
      second === BEGIN + 5 ? { share: 7, cells: cells(0x80) } : { share: 300, cells: cells(0x01) },
  }, ...HISTORY.slice(1)], false);
  clockAt(app, 65);
  app.service.events.add(streamId("clock"), "stream", "Something happened.");
  clockAt(app, 5000);
  const { json } = await app.api("GET", `${PATH}/changes?start=${BEGIN}&end=${BEGIN + 300}`);
  const [first, second, third] = json.slots;
  assert.deepEqual(first, { start: at(0), share: 7, cells: "80".padEnd(36, "0") });
  assert.deepEqual(
    [second.start, second.share, second.cells, second.events.map(({ text }: { text: string }) => text)],
    [at(60), 300, "01".padEnd(36, "0"), ["Something happened."]],
  );
  assert.deepEqual(third, { start: at(120), share: A_CHANGE.share, cells: A_CHANGE.cells.toHex() });
  assert.deepEqual(json.gaps, [{ start: at(180), duration: 60, reason: "visit" }]);
  const whole = (await app.api("GET", `${PATH}/changes?start=${BEGIN}&end=${BEGIN + 300}&scale=300`)).json;
  assert.deepEqual([whole.slots.length, whole.slots[0].share, whole.slots[0].cells.slice(0, 2)], [
    1,
    300,
    "f1",
  ]);
});

appTest("a picture is made of the bytes up to it, once, with its time, and a tag", async (app) => {
  await app.create();
  await keep(app, HISTORY);
  const { commands, inputs } = ffmpeg(app);
  const first = await app.fetch(`${PATH}/picture.jpg?at=${BEGIN + 60}`);
  assert.deepEqual([first.status, first.headers.get("content-type")], [200, "image/jpeg"]);
  assert.deepEqual(await first.bytes(), JPEG);
  assert.equal(first.headers.get("memento-datetime"), "Wed, 18 May 2033 03:34:05 GMT");
  assert.match(first.headers.get("cache-control")!, /^private, .*immutable$/);
  assert.match(commands[0], new RegExp(`gte\\(t,${BEGIN + 5}\\)`));
  const headers = { "if-none-match": first.headers.get("etag")! };
  const again = await app.fetch(`${PATH}/picture.jpg?at=${at(61)}`, { headers });
  assert.deepEqual([again.status, await again.text()], [304, ""]);
  assert.equal(commands.length, 1, "the same picture");
  await (await app.fetch(`${PATH}/picture.jpg?at=${BEGIN + 70}`)).bytes();
  assert.ok(inputs[1] > inputs[0]);
});

appTest("where nothing is kept, a picture's answer says why, and what is near", async (app) => {
  await app.create();
  await writePast(pastFolder(app.paths), HISTORY, false);
  clockAt(app, 302);
  const { status, json } = await app.api("GET", `${PATH}/picture.jpg?at=${BEGIN + 200}`);
  assert.deepEqual([status, json.before, json.after, json.reason], [404, at(179), at(240), "visit"]);
  assert.match(
    json.error.message,
    /: somebody used the browser by VNC\. .* is the last moment before that is kept/,
  );
  const soon = await app.api("GET", `${PATH}/picture.jpg?at=${BEGIN + 301}`);
  assert.deepEqual([soon.status, soon.json.before, soon.headers.get("retry-after")], [404, at(299), "5"]);
  assert.equal((await app.api("GET", `${PATH}/index.m3u8?start=${BEGIN + 190}&duration=30`)).status, 404);
  assert.equal((await app.api("GET", `${PATH}/small.jpg?start=${BEGIN + 300}&step=1`)).status, 404);
});

appTest("what nobody waits for any more is not made, and a failure is told", async (app) => {
  await app.create();
  await keep(app, HISTORY);
  const aborted: boolean[] = [];
  app.machine.runBytes = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      aborted.push(false);
      signal!.addEventListener("abort", () => {
        aborted[aborted.length - 1] = true;
        reject(new DOMException("left", "AbortError"));
      });
    });
  const leaving = new AbortController();
  const answer = app.fetch(`${PATH}/picture.jpg?at=${BEGIN}`, { signal: leaving.signal });
  await until("ffmpeg", () => aborted.length === 1);
  leaving.abort();
  await answer.catch(() => {});
  await until("its end", () => aborted[0]);
  app.machine.runBytes = () =>
    Promise.resolve({ code: 1, stdout: new Uint8Array(), stderr: "moov\nno such thing\n" });
  const { status, json } = await app.api("GET", `${PATH}/picture.jpg?at=${BEGIN}`);
  assert.equal(status, 503);
  assert.match(json.error.message, /no such thing/);
});

appTest(
  "a list has whole minutes, times, gaps and events, and segments that are made when asked for",
  async (app) => {
    await app.create();
    await keep(app, HISTORY);
    clockAt(app, 65);
    app.service.events.add(streamId("clock"), "stream", 'It said "no".');
    clockAt(app, 5000);
    const answer = await app.fetch(`${PATH}/index.m3u8?start=${BEGIN + 30}&duration=240`);
    assert.equal(answer.headers.get("content-type"), "application/vnd.apple.mpegurl");
    const lines = (await answer.text()).split("\n");
    const segment = (start: number, duration: number) => [
      `#EXTINF:${duration}.000,`,
      `segment.ts?start=${BEGIN + start}&duration=${duration}&from=${BEGIN + 30}`,
    ];
    assert.deepEqual(lines.filter((line) => !line.startsWith("#EXT-X-DATERANGE")), [
      ...["#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-PLAYLIST-TYPE:VOD", "#EXT-X-INDEPENDENT-SEGMENTS"],
      ...["#EXT-X-TARGETDURATION:60", "#EXT-X-MEDIA-SEQUENCE:0"],
      "#EXT-X-PROGRAM-DATE-TIME:2033-05-18T03:34:30.000Z",
      ...[...segment(30, 30), ...segment(60, 60), ...segment(120, 60)],
      ...["#EXT-X-DISCONTINUITY", "#EXT-X-PROGRAM-DATE-TIME:2033-05-18T03:38:00.000Z"],
      ...[...segment(240, 30), "#EXT-X-ENDLIST", ""],
    ]);
    const [event, gap] = lines.filter((line) => line.startsWith("#EXT-X-DATERANGE"));
    assert.match(event, /,START-DATE="2033-05-18T03:35:05\.000Z",.*X-TEXT="It said 'no'\."$/);
    assert.match(gap, /CLASS="gap",START-DATE="2033-05-18T03:37:00Z",DURATION=60,X-REASON="visit"$/);

    const { commands } = ffmpeg(app, new Uint8Array(188).fill(0x47));
    const made = await app.fetch(`${PATH}/${lines.find((line) => line.startsWith("segment"))}`);
    assert.deepEqual([made.status, made.headers.get("content-type")], [200, "video/mp2t"]);
    assert.equal((await made.bytes()).length, 188);
    assert.match(commands[0], /^\/usr\/bin\/nice -n 10 \/usr\/bin\/ffmpeg .*setpts=N\+0,/);
    await (await app.fetch(`${PATH}/${lines.find((line) => line.startsWith("segment"))}`)).bytes();
    assert.equal(commands.length, 1, "kept in memory");
    for (const bad of [`start=${BEGIN + 170}&duration=60`, `start=${BEGIN}&duration=60&from=${BEGIN + 1}`]) {
      assert.equal((await app.fetch(`${PATH}/segment.ts?${bad}`)).status, 404, bad);
    }
  },
);

appTest("a query that says nothing is refused with its field and an example", async (app) => {
  await app.create();
  const bad: [path: string, field: string][] = [
    ["?start=yesterday", "start"],
    ["?end=2023-13-40T00:00:00Z", "end"],
    [`?start=${BEGIN}&end=${BEGIN}`, "end"],
    [`?start=${BEGIN}&end=${BEGIN + 8 * 86_400}`, "start"],
    [`/changes?start=${BEGIN}&end=${BEGIN + 86_400}&scale=59`, "scale"],
    ["/changes?scale=0", "scale"],
    ["/picture.jpg", "at"],
    ["/picture.jpg?at=-1", "at"],
    ["/picture.jpg?at=2023-11-14", "at"],
    [`/index.m3u8?start=${BEGIN}&duration=7201`, "duration"],
    ["/index.m3u8?duration=60", "start"],
    [`/segment.ts?start=${BEGIN}&duration=61`, "duration"],
    [`/segment.ts?start=${BEGIN}`, "duration"],
    [`/small.jpg?start=${BEGIN}`, "step"],
    [`/small.jpg?start=${BEGIN}&step=3601`, "step"],
  ];
  for (const [path, field] of bad) {
    const { status, json } = await app.api("GET", PATH + path);
    assert.equal(status, 400, path);
    assert.deepEqual(Object.keys(json.error.fields), [field], path);
    assert.equal(json.error.message, json.error.fields[field]);
  }
});

appTest("the past is an operator's, and a viewer's where the stream says so", async (app) => {
  clockAt(app, 5000);
  await app.create();
  await app.create({ name: "Open" });
  const service = app.service;
  const get = service.streams.get.bind(service.streams);
  // the field is to come
  service.streams.get = (id, role) => ({
    ...get(id, role),
    ...id === "open" ? { rewindFor: "viewers" } : {},
  });
  for (const id of ["clock", "open"]) await writePast(pastFolder(app.paths, id), HISTORY, false);
  ffmpeg(app);
  const cookie = sessionCookie(service);
  const { json } = await app.api("POST", "/api/access-tokens", { name: "TV" });
  const query = `start=${BEGIN}&end=${BEGIN + 60}&at=${BEGIN}&duration=60&step=1`;
  for (const name of ["", "/picture.jpg", "/small.jpg", "/index.m3u8", "/segment.ts"]) {
    const path = (id: string) => `/api/streams/${id}/rewind${name}?${query}`;
    assert.equal((await app.fetch(path("clock"))).status, 401, name);
    assert.equal((await app.fetch(path("clock"), { headers: { cookie } })).status, 200, name);
    const refused = await app.fetch(`/t/${json.token}${path("clock")}`);
    assert.equal(refused.status, 403, name);
    assert.match(await refused.text(), /Only operators and admins can do this/);
    assert.equal((await app.fetch(`/t/${json.token}${path("open")}`)).status, 200, name);
  }
  assert.equal((await app.fetch(`/t/${json.token}/api/streams/open/rewind/changes`)).status, 404);
  const [span] = await (await app.fetch(`/t/${json.token}/api/streams/open/rewind?${query}`)).json();
  assert.ok(span.url.startsWith(`http://127.0.0.1:3000/t/${json.token}/api/streams/open/rewind/index.m3u8?`));
}, { env: { AUTH_USER: "anna", AUTH_PASS: "correct horse" } });
