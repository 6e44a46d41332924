import { streamId } from "../../../lib/model/id.ts";
import assert from "node:assert/strict";
import { ServiceError } from "../../../lib/errors.ts";
import { exportedList, exportName, planImport } from "../../../lib/model/backup.ts";
import { parseStreamFile } from "../../../lib/model/file.ts";
import { publicStream, type Stream } from "../../../lib/model/schema.ts";
import { planWallImport } from "../../../lib/model/wall/backup.ts";
import { storedWall } from "../../../lib/model/wall/wall.ts";
import { aStream } from "../../support/fixture.ts";

const url = "https://a.example/";
const a = aStream({
  id: "a",
  name: "A",
  url,
  order: 0,
  channelNumber: 1,
  pass: "s3cret",
  user: "u",
  revision: 4,
  future: { x: [1] },
});
const b = aStream({ id: "b", name: "B", url, order: 1, channelNumber: 2, desiredState: "stopped" });
const c = aStream({ id: "c", name: "C", url, order: 2, channelNumber: 3 });

function exported(streams: Stream[]) {
  return JSON.parse(exportedList(streams.map(publicStream), []));
}

/** The problems of a list that is refused. */
function refused(
  content: unknown,
  streams: Stream[] = [],
): { message: string; fields: Record<string, string> } {
  try {
    planImport(content, streams);
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    assert.equal(error.status, 400);
    return { message: error.message, fields: error.fields! };
  }
  throw new assert.AssertionError({ message: "nothing was refused" });
}

const idsAndOrders = (streams: readonly Stream[]) => streams.map(({ id, order }) => `${id}:${order}`);

Deno.test("an export has every field but passwords, and says where there is one", () => {
  const text = exportedList([a, b].map(publicStream), []);
  assert.ok(!text.includes("s3cret") && !/"(pass|extraHeaders|extraCookies|pushKey)"/.test(text));
  const [first, second] = JSON.parse(text).streams;
  const { pass: _p, extraHeaders: _h, extraCookies: _c, pushKey: _k, ...fields } = a;
  assert.deepEqual(first, { ...fields, passSet: true });
  assert.ok(!("passSet" in second));
  assert.match(text, /^\{\n {2}"streams": \[/);
  assert.equal(exportName(new Date("2025-01-31T23:59:00Z")), "browser-stream-2025-01-31.json");
});

Deno.test("an export can take the stream list's place, and be imported without a change", () => {
  const file = exported([a, b]);
  const read = parseStreamFile(JSON.stringify(file)).streams;
  assert.deepEqual(read, [{ ...a, pass: "" }, b]);
  const plan = planImport(file, [a, b, c]);
  assert.deepEqual(plan.summary, { added: [], changed: [], unchanged: ["a", "b"] });
  const streams = [a, b, c];
  assert.equal(planImport(file, streams).streams, streams);
});

Deno.test("a lost list comes back, and says whose password is missing", () => {
  const { summary, streams } = planImport(exported([a, b]), []);
  assert.deepEqual(summary.added, [{ id: "a", name: "A", needsPassword: true }, { id: "b", name: "B" }]);
  assert.deepEqual(streams, [{ ...a, pass: "", revision: 0 }, b]);
  const known = planImport([{ ...exported([a]).streams[0], fps: 5 }], [{ ...a, pass: "" }]);
  assert.deepEqual(known.summary.changed, [{ id: "a", name: "A", fields: ["fps"], needsPassword: true }]);
});

Deno.test("a password that was given for another site is not taken there by an import", () => {
  const old = { ...a, pass: "p" };
  const moved = planImport([{ id: "a", name: "A", url: "https://attacker.example/" }], [old]);
  assert.equal(moved.streams[0].pass, "");
  assert.deepEqual(moved.summary.changed.map(({ needsPassword }) => needsPassword), [true]);
  const headers = { ...a, pass: "", extraHeaders: "X-Key: 1" };
  const led = planImport([{ id: "a", name: "A", url: "https://attacker.example/" }], [headers]);
  assert.equal(led.streams[0].extraHeaders, "");
  assert.deepEqual(led.summary.changed.map(({ needsPassword }) => needsPassword), [true]);
  const given = planImport([{ id: "a", name: "A", url: "https://attacker.example/", pass: "n" }], [old]);
  assert.equal(given.streams[0].pass, "n");
});

Deno.test("a stream becomes what the list says; what only we know stays", () => {
  const list = [{ id: "a", name: "New", url, user: "u" }, { id: "b", name: "B", url, fps: "30", pass: "p" }];
  const { summary, streams } = planImport(list, [a, b, c]);
  assert.deepEqual(summary, {
    added: [],
    changed: [{ id: "a", name: "New", fields: ["name", "future"] }, {
      id: "b",
      name: "B",
      fields: ["pass", "fps"],
    }],
    unchanged: [],
  });
  const { future: _, ...rest } = a;
  assert.deepEqual(streams, [
    { ...rest, name: "New", revision: 5 },
    { ...b, fps: 30, pass: "p", revision: 1 },
    c,
  ]);
});

Deno.test("state and order of the list are taken, and make no new revision", () => {
  const list = [{ id: "b", name: "B", url, desiredState: "running", order: 9 }];
  const { summary, streams } = planImport(list, [b, c]);
  assert.deepEqual(summary.changed, [{ id: "b", name: "B", fields: ["desiredState", "order"] }]);
  assert.deepEqual(streams, [c, { ...b, desiredState: "running", order: 9 }]);
});

Deno.test("new streams take the list's position if they have one, else the end", () => {
  const record = (id: string, order: unknown) => ({ id, name: id, url, order });
  const list = [{ id: "x", url }, record("y", 1), record("z", "7"), record("w", null)];
  const { streams } = planImport(list, [a, b, c]);
  assert.deepEqual(idsAndOrders(streams), ["a:0", "b:1", "y:1", "c:2", "z:7", "x:8", "w:9"]);
  const again = planImport(list, [...streams]);
  assert.deepEqual(again.summary.unchanged, ["x", "y", "z", "w"]);
});

Deno.test("a record without an id is the stream of its name; importing twice adds nothing", () => {
  const list = [{ name: "A", url }, { name: " A ", url, fps: 5 }, { name: "Export", url }];
  const renamed = { ...c, id: streamId("a-2"), name: "Other" };
  const first = planImport(list, [a, renamed]);
  assert.deepEqual(first.summary.added.map(({ id }) => id), ["a-3", "export-2"]);
  assert.deepEqual(first.summary.changed.map(({ id }) => id), ["a"]);
  const second = planImport(list, [...first.streams]);
  assert.deepEqual(second.summary, { added: [], changed: [], unchanged: ["a", "a-3", "export-2"] });
});

Deno.test("all forms of a list are the same list", () => {
  const record = { name: "A", url, autologin: { selector: "#user" } };
  for (const content of [[{ id: "a", ...record }], { streams: [{ id: "a", ...record }] }, { a: record }]) {
    const { summary, streams } = planImport(content, []);
    assert.deepEqual(summary.added, [{ id: "a", name: "A" }], JSON.stringify(content));
    assert.deepEqual(streams[0].autologin, { selector: "#user" });
  }
});

Deno.test("every problem of every entry is told, with position, name and field", () => {
  const list = [
    { id: "a", name: "Good", url },
    { name: "Bad", url: "file:///etc/passwd", fps: 900 },
    7,
    { id: "a", name: "Twice", url },
    { id: "export", name: "Path", url },
    { id: "../x", url },
  ];
  const { message, fields } = refused(list);
  assert.match(message, /Nothing was imported. 6 things/);
  assert.deepEqual(Object.keys(fields).sort(), [
    "2 (Bad): fps",
    "2 (Bad): url",
    "3",
    "4 (Twice): id",
    "5 (Path): id",
    "6 (../x): id",
  ]);
  assert.match(fields["2 (Bad): url"], /Only http and https.*Example: https/);
  assert.match(fields["3"], /not a stream. Example: \{"name"/);
  assert.match(fields["4 (Twice): id"], /"a" occurs twice/);
  assert.match(fields["5 (Path): id"], /address of the service. Example: "export-2"/);
  assert.match(refused([{ name: "Bad", url: "x" }]).message, /One thing has to be corrected/);
});

Deno.test("a stream that has the id of a path already can still be imported", () => {
  const old = aStream({ id: "export", name: "E", url });
  assert.deepEqual(planImport([{ id: "export", name: "F", url }], [old]).summary.changed[0].fields, ["name"]);
});

const NO_LISTS: [content: unknown, says: RegExp][] = [
  [null, /has no list of streams/],
  [5, /has no list of streams/],
  ["[]", /has no list of streams/],
  [true, /has no list of streams/],
  [Array.from({ length: 1001 }, (_, at) => ({ id: `s${at}`, url })), /1001 streams, and at most 1000/],
  [Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`s${at}`, { url }])), /10000 streams/],
];

Deno.test("what is no list, or too long a one", () => {
  for (const [content, says] of NO_LISTS) assert.match(refused(content).message, says);
  assert.equal(
    planImport(Array.from({ length: 1000 }, (_, at) => ({ id: `s${at}`, url })), []).streams.length,
    1000,
  );
  assert.deepEqual(planImport([], [a]).summary, { added: [], changed: [], unchanged: [] });
});

Deno.test("one stream is as large as a request for one may be, and no larger", () => {
  const sized = (bytes: number) => ({ id: "a", name: "Big", url, more: "é".repeat(bytes / 2) });
  assert.equal(planImport([sized(255 * 1024)], []).streams.length, 1);
  assert.match(refused([sized(256 * 1024)]).fields["1 (Big)"], /larger than 256 KiB/);
  assert.match(refused(["x".repeat(300 * 1024)]).fields["1"], /not a stream/);
});

Deno.test("secrets of other tools are not exported, and stay when the list comes back", () => {
  const stored = aStream({ ...b, token: "t0ken", autologin: { steps: [{ password: "s3cret" }] } });
  const file = exported([stored]);
  assert.ok(!JSON.stringify(file).match(/t0ken|s3cret/));
  assert.deepEqual(planImport(file, [stored]).summary.unchanged, ["b"]);
  const [changed] = planImport([{ ...file.streams[0], fps: 5, token: "new" }], [stored]).streams;
  assert.deepEqual([changed.fps, changed.token, changed.autologin], [5, "new", stored.autologin]);
});

Deno.test("hostile lists are refused, and reach nothing", () => {
  const nested = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels));
  assert.match(
    refused([{ id: "a", name: "Deep", url, x: nested(100_000) }]).fields["1 (Deep)"],
    /deeper than 16/,
  );
  assert.deepEqual(Object.keys(refused(nested(100_000)).fields), ["1"]);
  const proto = '{"name": "P", "url": "https://a", "__proto__": {"pass": "x", "polluted": 1}}';
  const map = JSON.parse(`{"__proto__": ${proto}, "constructor": ${proto}}`);
  assert.deepEqual(Object.keys(refused(map).fields), ["1 (P): id"]);
  const { streams } = planImport(JSON.parse(`{"constructor": ${proto}}`), []);
  assert.deepEqual([streams[0].id, streams[0].pass, streams[0].polluted], ["constructor", "", undefined]);
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
  const odd = { toString: 1, valueOf: 1 };
  assert.deepEqual(
    Object.keys(refused([{ id: odd, name: odd, url: odd, order: odd, pass: odd }]).fields).sort(),
    [
      "1: id",
      "1: name",
      "1: order",
      "1: pass",
      "1: url",
    ],
  );
});

const ADDRESSES = {
  url: "https://a.example/d/overview?orgId=1&kiosk&apiKey=q1#access_token=f1&x=2",
  morePages: "https://a.example/m?auth=q2&theme=dark 20\nhttps://a.example/plain",
  plan: "Mon-Fri 08:00-18:00 https://a.example/p?pwd=q3\ndaily 00:00-24:00",
  pushTo: "rtmp://live.example/app/p4sh",
};

Deno.test("an export has no secret that is known to be in an address, and an import keeps those that are stored", () => {
  const stored = aStream({ ...b, ...ADDRESSES });
  const srt = aStream({ ...c, pushTo: "srt://h:9000?streamid=s1&latency=200", pushKey: "k4y-of-the-push" });
  const named = aStream({ id: "d", url, pushTo: "rtmps://h/app/instance", pushKey: "k4y" });
  const file = exported([stored, srt, named]);
  assert.deepEqual(JSON.stringify(file).match(/q\d|f1|p4sh|=s1|k4y/g), null);
  const [{ url: page, morePages, plan, pushTo }] = file.streams;
  assert.deepEqual({ page, morePages, plan, pushTo }, {
    page: "https://a.example/d/overview?orgId=1&kiosk&apiKey=REMOVED#access_token=REMOVED&x=2",
    morePages: "https://a.example/m?auth=REMOVED&theme=dark 20\nhttps://a.example/plain",
    plan: "Mon-Fri 08:00-18:00 https://a.example/p?pwd=REMOVED\ndaily 00:00-24:00",
    pushTo: "rtmp://live.example/app/REMOVED",
  });
  assert.equal(file.streams[2].pushTo, named.pushTo, "the key has its own field");

  const all = [stored, srt, named];
  assert.deepEqual(planImport(file, all).summary.unchanged, ["b", "c", "d"]);
  const moved = { ...file.streams[0], url: "https://a.example/new", fps: 5, morePages: file.streams[0].url };
  const [changed] = planImport([moved], [stored]).streams;
  assert.deepEqual(
    [changed.fps, changed.url, changed.morePages, changed.plan, changed.pushTo],
    [5, moved.url, ADDRESSES.url, ADDRESSES.plan, ADDRESSES.pushTo],
  );
  const { summary: { added } } = planImport(file, []);
  assert.deepEqual(added.map(({ needsPassword }) => needsPassword), [true, true, true]);
});

Deno.test("an export of an earlier version, which left logins out of addresses, changes no login, and one is missed where it is new", () => {
  const stored = aStream({ ...b, url, user: "anna", pass: "w0rd", group: "A" });
  const old = { id: "b", name: stored.name, url: url.replace("//", "//REMOVED@"), user: "", group: "A" };
  assert.deepEqual(planImport([old], [stored]).summary.unchanged, ["b"]);
  const [changed] = planImport([{ ...old, fps: 5 }], [stored]).streams;
  assert.deepEqual([changed.fps, changed.url, changed.user, changed.pass], [5, url, "anna", "w0rd"]);
  const { summary: { added: [added] }, streams: [alone] } = planImport([old], []);
  assert.deepEqual([added.needsPassword, alone.url, alone.user], [true, url, ""]);
});

Deno.test("an import takes logins out of addresses, also of a stream that has another one, and names those without a place", () => {
  const stored = aStream({ ...b, url, user: "ben", pass: "old" });
  const withLogin = url.replace("//", "//anna:w0rd%40x@");
  const [changed] = planImport([{ id: "b", name: "B", url: withLogin }], [stored]).streams;
  assert.deepEqual([changed.url, changed.user, changed.pass], [url, "anna", "w0rd@x"]);
  const other = { id: "b", name: "B", url, morePages: "https://anna:w0rd@other.example/" };
  assert.match(refused([other]).fields["1 (B): morePages"], /login of another site.*Example/);
});

Deno.test("secrets of other tools in a wall are not exported, and stay when it comes back", () => {
  const wall = storedWall.parse({ id: "lobby", name: "Lobby", token: "t0ken", note: "x" });
  const file = JSON.parse(exportedList([], [wall]));
  assert.deepEqual([file.walls[0].token, file.walls[0].note], [undefined, "x"]);
  assert.deepEqual(planWallImport(file, [wall], () => true).summary.unchanged, ["lobby"]);
});
