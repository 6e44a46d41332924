/** The house: who may hold what, which keeps one object for a running stream from becoming many again. */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/fixture.ts";
import { mapsByStream } from "../support/maps_by_stream.ts";
import { wiringOf } from "../support/wiring.ts";

const PRODUCT = ["lib", "routes", "islands", "components", "player", "bench", "scripts"];

/** Files of a room: more of them stand in a row without a door. */
const MOST_FILES = 30;

const read = (path: string) => Deno.readTextFileSync(join(root, path));

Deno.test("no room has more than 30 files of code", () => {
  const rooms = globSync(PRODUCT.map((folder) => `${folder}/**/*.{ts,tsx}`), { cwd: root }).reduce(
    (counts, path) =>
      counts.set(path.replace(/\/[^/]*$/, ""), (counts.get(path.replace(/\/[^/]*$/, "")) ?? 0) + 1),
    new Map<string, number>(),
  );
  assert.ok(rooms.size > 40, `${rooms.size} rooms`);
  assert.deepEqual([...rooms].filter(([, files]) => files > MOST_FILES), []);
});

Deno.test("nothing of ours asks the kernel's list of unix sockets: others choose the names in it, line breaks too", () => {
  const askers = globSync(["lib/**/*.ts", "templates/**/*"], { cwd: root }).filter((path) =>
    Deno.statSync(join(root, path)).isFile && /net\/unix\b/.test(read(path))
  );
  assert.deepEqual(askers, []);
});

/** What holds something by streams, outside of the object that stands for one, and why it is there. */
const MAPS: Record<string, string> = {
  "lib/broker/stream_folders.ts":
    "the broker is another process, and keeps displays of streams it made folders for",
  "lib/cluster/claims.ts": "which node has which stream: most of them run elsewhere",
  "lib/cluster/cluster_list.ts": "the records of the bucket that the list of all nodes is in",
  "lib/cluster/keeper.ts": "streams that this node is about to claim, or has just claimed",
  "lib/devtools/hubs.ts": "the browsers' pipes, which a stream's object asks for",
  "lib/fleet/admission.ts": "what streams take, measured for all at once, and those that are being let in",
  "lib/fleet/fleet.ts": "the map of them",
  "lib/fleet/operations.ts": "streams that are being removed, and what each role sees of a stored stream",
  "lib/media/discontinuity_sequence.ts": "a channel's numbers outlive the web app, as their file does",
  "lib/media/last_lists.ts": "channels that another node is about to have, and channels know no live stream",
  "lib/media/playlist_ages.ts": "times of files, as the media server leaves them",
  "lib/media/playlist_wait.ts": "looks at files that somebody waits for, and channels know no live stream",
  "lib/media/relay/watching.ts": "relays of channels that are watched, and channels know no live stream",
  "lib/media/slates.ts": "a channel's slate outlives the web app, and channels know no live stream",
  "lib/media/traffic.ts": "bytes by channel, and channels know no live stream",
  "lib/media/viewers.ts": "viewers by channel, likewise",
  "lib/model/plan/timetable.ts": "the plan of each stored stream, read once",
  "lib/node/cluster.ts": "streams that no node has, and since when",
  "lib/node/node.ts": "the list as it was before another node changed it",
  "lib/node/other_channels.ts":
    "where channels came from and how far they are, and channels know no live stream",
  "lib/node/own_streams.ts": "which streams are this machine's: their objects ask",
  "lib/node/profiles.ts": "when each was left for other nodes, which no machine that is alone has",
  "lib/node/status_news.ts": "the states that other nodes have told, and those that were told to them",
  "lib/reports/events.ts": "events of streams that are stored, running or not",
  "lib/reports/feed.ts": "the states that listeners know, of all nodes",
  "lib/reports/feed_outbox.ts": "what a listener is still to be told of",
  "lib/reports/heartbeats.ts": "days and months of streams that are stored, running or not",
  "lib/reports/webhook/webhook.ts": "what receivers were told of each stream, over restarts",
  "lib/vnc/tokens.ts": "tokens of streams that are stored, running or not",
};

/** What is found, and whose ids these are. */
const OTHERS: Record<string, string> = {
  "lib/auth/access_tokens.ts usedAt": "access tokens",
  "lib/devtools/connection.ts waiting": "requests",
  "lib/live/page/dresser.ts dressed": "tabs",
  "lib/media/relay/rtmp_chunks.ts streams": "RTMP's chunk streams",
  "lib/reports/webhook/webhook.ts outboxes": "receivers",
};

Deno.test("what is known of a running stream is in its object, not in a map by its id", () => {
  const found = globSync("lib/**/*.ts", { cwd: root }).sort().flatMap((path) =>
    /Map|Set|Record/.test(read(path)) ? mapsByStream(path, read(path)).map((name) => `${path} ${name}`) : []
  );
  const holding = found.filter((name) => !(name in OTHERS)).map((name) => name.split(" ")[0]);
  assert.deepEqual([...new Set(holding)], Object.keys(MAPS));
  assert.deepEqual(Object.keys(OTHERS).filter((name) => !found.includes(name)), []);
});

Deno.test("a map by streams is found by its use, however its type is spelled", () => {
  const sources: [names: string[], source: string][] = [
    [["ages"], "class Ages { #ages = new Map<string, number>(); of = (id: string) => this.#ages.get(id); }"],
    [
      ["gone"],
      "const gone = new Set<string>(); export const leave = (live: Live) => void gone.add(live.id);",
    ],
    [["seen"], "class Seen { #seen = new WeakMap<Stream, number>(); }"],
    [
      ["told"],
      "class Told { #told: Record<string, number> = {}; tell(id: StreamId) { this.#told[id] = 1; } }",
    ],
    [["at"], "class At { #at = new Map(); note(which: StreamId) { this.#at.set(which, 1); } }"],
    [
      ["known"],
      "function follow() { let known = new Map<StreamId, 1>(); return () => { known = new Map(); }; }",
    ],
    [
      ["keys"],
      "class Keys { #keys = new Map(); ask = () => this.#put({ key: stream.id }); #put({ key }) { this.#keys.set(key, 1); } }",
    ],
    [[], "class Users { #names = new Map<string, string>(); of = (name: string) => this.#names.get(name); }"],
    [
      [],
      "function count(ids: StreamId[]) { const seen = new Set<StreamId>(); for (const id of ids) seen.add(id); return seen.size; }",
    ],
  ];
  assert.deepEqual(
    sources.map(([, source]) => mapsByStream("source.ts", source)),
    sources.map(([names]) => names),
  );
});

/** Closures that use a part which is made below them, by the function that makes it. None is to be left. */
const LATE: Record<string, string[]> = {
  "lib/node/node.ts openNode": [
    "own.mayLeave: profiles",
    "own.goOn: channels",
  ],
  "lib/service.ts buildService": [
    "syncTokens: store",
    "removed: events",
    "late.tell: events",
    "removed: accessTokens",
    "removed: channels",
    "late.channels: channels",
    "syncTokens: tokens",
    "removed: fleet",
    "late.fleet: fleet",
    "watched: fleet",
    "isOnAir: fleet",
    "isWaiting: fleet",
    "takeovers: fleet",
    "late.statuses: reports",
    "built.noRoom: reports",
    "late.admission: admission",
  ],
  "lib/service/reports.ts openReports": ["system.openIncidents: webhook"],
};

Deno.test("no closure of the wiring uses a part that is made below it", () => {
  const wiring = globSync("lib/**/*.ts", { cwd: root }).sort().flatMap((path) =>
    wiringOf(path, read(path)).map(({ name, late }) => [`${path} ${name}`, late] as const)
  );
  assert.ok(wiring.length > 5, "wiring is found");
  assert.deepEqual(Object.fromEntries(wiring.filter(([, late]) => late.length > 0)), LATE);
});

Deno.test("wiring is found wherever three parts are made, and a closure that uses a later one", () => {
  const parts = "const a = new Cache(); const b = await Users.open(); const c = openFleet(a, b);";
  const sources: [late: string[], source: string][] = [
    [
      ["late.fleet: fleet"],
      `function f() { const late = { fleet: () => fleet }; ${parts} const fleet = c.fleet; }`,
    ],
    [
      ["ask: door"],
      `function f() { let door: Door; const ask = () => door.ask(); ${parts} door = new Door(ask); }`,
    ],
    [
      [],
      `function f() { ${parts} const ask = () => a.ask(b); const say = (d: Door) => d.say(); const d = new Door(); }`,
    ],
  ];
  const found = sources.map(([, source]) => wiringOf("source.ts", source).flatMap(({ late }) => late));
  assert.deepEqual(found, sources.map(([late]) => late));
  assert.deepEqual(wiringOf("source.ts", "function f() { const ask = () => a; const a = new Cache(); }"), []);
});
