/** The house: how large its rooms may be, and what keeps one object for a running stream from becoming many again. */
import assert from "node:assert/strict";
import { globSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/fixture.ts";

const PRODUCT = ["lib", "routes", "islands", "components", "player", "bench", "scripts"];

/** Files of a room: more of them stand in a row without a door. */
const MOST_FILES = 30;

const linesOf = (path: string) => Deno.readTextFileSync(join(root, path)).split("\n").length - 1;

Deno.test("no room has more than 30 files of code", () => {
  const rooms = globSync(PRODUCT.map((folder) => `${folder}/**/*.{ts,tsx}`), { cwd: root }).reduce(
    (counts, path) =>
      counts.set(path.replace(/\/[^/]*$/, ""), (counts.get(path.replace(/\/[^/]*$/, "")) ?? 0) + 1),
    new Map<string, number>(),
  );
  assert.ok(rooms.size > 40, `${rooms.size} rooms`);
  assert.deepEqual([...rooms].filter(([, files]) => files > MOST_FILES), []);
});

Deno.test("a live stream puts its parts together in 300 lines at most, and the wiring takes 260", () => {
  assert.ok(linesOf("lib/live/live_stream.ts") <= 300);
  const wiring = readdirSync(join(root, "lib/service")).map((name) => linesOf(`lib/service/${name}`));
  const all = wiring.reduce((sum, lines) => sum + lines, 0);
  assert.ok(all <= 260, `${all} lines`);
});

Deno.test("the bench takes 1,200 lines at most", () => {
  const all = readdirSync(join(root, "bench")).reduce((sum, name) => sum + linesOf(`bench/${name}`), 0);
  assert.ok(all <= 1200, `${all} lines`);
});

Deno.test("no part is handed more than eight things", () => {
  const crowded = globSync("lib/**/*.ts", { cwd: root }).flatMap((path) =>
    [...Deno.readTextFileSync(join(root, path)).matchAll(/interface (\w+Parts)\b[^{]*\{\n([^]*?)\n\}/g)]
      .filter(([, , body]) => (body.match(/^ {2}(?:readonly )?\w+\??[:(]/gm) ?? []).length > 8)
      .map(([, name]) => `${path}: ${name}`)
  );
  assert.deepEqual(crowded, []);
});

Deno.test("nothing of ours asks the kernel's list of unix sockets: others choose the names in it, line breaks too", () => {
  const askers = globSync(["lib/**/*.ts", "templates/**/*"], { cwd: root }).filter((path) =>
    Deno.statSync(join(root, path)).isFile && /net\/unix\b/.test(Deno.readTextFileSync(join(root, path)))
  );
  assert.deepEqual(askers, []);
});

/** Maps by a stream's id outside of the object that stands for it, and why each is there. */
const MAPS: Record<string, string> = {
  "lib/broker/stream_folders.ts":
    "the broker is another process, and keeps displays of streams it made folders for",
  "lib/cluster/claims.ts": "which node has which stream: most of them run elsewhere",
  "lib/cluster/cluster_streams.ts":
    "each stream of the cluster, most of which run elsewhere: when this node may claim it, what its node tells, its last list",
  "lib/cluster/own_streams.ts": "which streams are this machine's: their objects ask",
  "lib/devtools/hubs.ts": "the browsers' pipes, which a stream's object asks for",
  "lib/fleet/fleet.ts": "the map of them",
  "lib/fleet/places.ts":
    "what streams take, measured for all at once, and streams that are being let in, which are not stored yet",
  "lib/media/last_lists.ts": "channels that another node is about to have, and channels know no live stream",
  "lib/media/playlist_ages.ts": "times of files, as the media server leaves them",
  "lib/media/relay/watching.ts": "relays of channels that are watched, and channels know no live stream",
  "lib/media/slates.ts": "a channel's slate outlives the web app, and channels know no live stream",
  "lib/media/traffic.ts": "bytes by channel, and channels know no live stream",
  "lib/media/viewers.ts": "viewers by channel, likewise",
  "lib/reports/events.ts": "events of streams that are stored, running or not",
  "lib/vnc/tokens.ts": "tokens of streams that are stored, running or not",
};

Deno.test("what is known of a running stream is in its object, not in a map by its id", () => {
  const holding = globSync("lib/**/*.ts", { cwd: root })
    .filter((path) => /#\w+(?::| =)[^;\n]*Map<StreamId,/.test(Deno.readTextFileSync(join(root, path))))
    .sort();
  assert.deepEqual(holding, Object.keys(MAPS));
});
