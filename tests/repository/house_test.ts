/** The house: who may hold what, which keeps one object for a running stream from becoming many again. */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/fixture.ts";
import { mapsByStream } from "../support/maps_by_stream.ts";
import { nodesOf } from "../support/syntax.ts";
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
  "lib/browser/hubs.ts doors": "the ways to the browsers, which a stream's object asks for",
  "lib/cluster/cluster_list.ts known": "the records of the bucket that the list of all nodes is in",
  "lib/cluster/cluster_streams.ts streams":
    "each stream of the cluster, most of which run elsewhere: its claims, when this node may claim it, what its node tells",
  "lib/fleet/fleet.ts live": "the map of the objects",
  "lib/fleet/places.ts places":
    "what streams take, measured for all at once, and streams that are being let in, which are not stored yet",
  "lib/machine/broker/stream_folders.ts displays":
    "the broker is another process, and keeps displays of streams it made folders for",
  "lib/messages/messages.ts healths": "what receivers were told of each stream, over restarts",
  "lib/reports/events.ts entries": "events of streams that are stored, running or not",
  "lib/reports/feed.ts known": "the states that listeners know, of all nodes",
  "lib/reports/feed_outbox.ts changed": "what a listener is still to be told of",
  "lib/store/entries_file.ts entries": "a file that has an entry for each stream: breaks, slates, heartbeats",
};

/** What is found, and whose ids these are. */
const OTHERS: Record<string, string> = {
  "lib/browser/connection.ts waiting": "requests",
  "lib/channel/media/rtmp_chunks.ts streams": "RTMP's chunk streams",
  "lib/door/access/access_tokens.ts usedAt": "access tokens",
  "lib/live/page/dresser.ts dressed": "tabs",
  "lib/messages/messages.ts outboxes": "receivers",
  "lib/rewind/exports.ts films": "exports",
};

Deno.test("what is known of a running stream is in its object, not in a map by its id", () => {
  const found = globSync("lib/**/*.ts", { cwd: root }).sort().flatMap((path) =>
    /Map|Set|Record/.test(read(path)) ? mapsByStream(path, read(path)).map((name) => `${path} ${name}`) : []
  );
  assert.deepEqual(found.filter((name) => !(name in OTHERS)), Object.keys(MAPS));
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

Deno.test("no closure of the wiring uses a part that is made below it", () => {
  const wiring = globSync("lib/**/*.ts", { cwd: root }).sort().flatMap((path) =>
    wiringOf(path, read(path)).map(({ name, late }) => [`${path} ${name}`, late] as const)
  );
  assert.ok(wiring.length > 5, "wiring is found");
  assert.deepEqual(wiring.filter(([, late]) => late.length > 0), []);
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

Deno.test("no literal is spread in a literal: its members stand there themselves", () => {
  const spread = globSync([...PRODUCT, "tests"].map((folder) => `${folder}/**/*.{ts,tsx}`), { cwd: root })
    .filter((path) => /\.\.\.\{/.test(read(path))).flatMap((path) =>
      nodesOf(path, read(path))
        .filter(({ type, argument, parent }) =>
          type === "SpreadElement" && parent?.type === "ObjectExpression" &&
          (argument.expression ?? argument).type === "ObjectExpression"
        )
        .map(({ range: [at] }) => `${path}: ${read(path).slice(at, at + 40)}`)
    );
  assert.deepEqual(spread, []);
});
