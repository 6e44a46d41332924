/** Who may know whom: reads all imports, those of types as well. */
import assert from "node:assert/strict";
import { dirname, normalize } from "node:path/posix";
import { root } from "../support/fixture.ts";

/** A room may import its own files and those of lower levels. */
const LEVELS: string[][] = [
  ["lib/machine/net", "lib/machine/os", "lib/machine/tools", "lib/reach", "lib/errors.ts"],
  ["lib/role.ts", "lib/timings.ts", "lib/config.ts", "lib/templates.ts"],
  ["lib/model"],
  ["lib/store"],
  ["lib/paths.ts", "lib/machine/websocket"],
  ["lib/door/access"],
  [
    ...[
      "lib/door",
      "lib/live/programs/commands",
      "lib/channel/media",
      "lib/machine/supervisor",
      "lib/takeover",
    ],
    ...["lib/browser", "lib/channel/players", "lib/channel/playlist", "lib/display", "lib/reports/openapi"],
    // the door of lib/cluster, which a stream asks whether it is this machine's
    "lib/cluster/placement.ts",
  ],
  [
    "lib/machine/broker",
    "lib/channel/tuner",
    "lib/rewind/recorder",
    "lib/signin",
    "lib/live/page/looks",
    "lib/live/page/autoreload.ts",
  ],
  ["lib/machine/machine.ts"],
  ["lib/channel", "lib/rewind"],
  ["lib/live"],
  ["lib/fleet"],
  ["lib/reports", "lib/messages"],
  ["lib/cluster"],
  ["lib/service"],
  ["lib/service.ts"],
  ["lib/handler.ts", "lib/app.ts"],
  ["components", "player"],
  ["islands"],
  ["lib/run", "routes"],
];

const FOLDERS = ["lib", "routes", "islands", "components", "player"];

/** Where "fresh" may be imported. */
const KNOWS_FRESH = /^(lib\/fresh\/|lib\/app\.ts|routes\/|main\.ts|dev\.ts|fresh\.config\.ts)/;

/** Where the environment is read, with the reason. */
const READS_ENVIRONMENT: Record<string, string> = {
  "lib/run/programs/sockets.ts": "supervisord names the sockets that it hands to this one program",
  "lib/run/supervise.ts": "passes HOME on to the supervisor as it is",
  "lib/run/commands.ts": "the entry, which hands the environment to lib/config.ts",
};

async function sources(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(root + folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) found.push(...await sources(path));
    else if (/\.tsx?$/.test(name)) found.push(path);
  }
  return found;
}

const FILES = [...(await Promise.all(FOLDERS.map(sources))).flat(), "main.ts"].sort();
const TEXTS = new Map(
  await Promise.all(FILES.map(async (file) => [file, await Deno.readTextFile(root + file)] as const)),
);

const IMPORT =
  /^\s*(?:import|export)\b[^;'"]*?\bfrom\s*"([^"]+)"|^\s*import\s*"([^"]+)"|\bimport\("([^"]+)"\)/gm;

/** What each file imports: files of ours by their path, all else by its name. */
const IMPORTS = new Map(FILES.map((file) => {
  const names = [...TEXTS.get(file)!.matchAll(IMPORT)].map(([, from, bare, dynamic]) =>
    from ?? bare ?? dynamic
  );
  return [file, names.map((name) => name.startsWith(".") ? normalize(`${dirname(file)}/${name}`) : name)];
}));

const EDGES = [...IMPORTS].flatMap(([file, names]) => names.map((name) => [file, name] as const));

/** The rooms of the table, each with its level; a room that lies in another comes before it. */
const ROOMS = LEVELS.flatMap((rooms, level) => rooms.map((room) => ({ room, level })))
  .sort((one, other) => other.room.length - one.room.length);

/** The room of a file and its level; null for what has none, such as components. */
function locationOf(file: string): { room: string; level: number } | null {
  return ROOMS.find(({ room }) => file === room || file.startsWith(`${room}/`)) ?? null;
}

/** A circle of nodes, or null. */
function circle(graph: ReadonlyMap<string, readonly string[]>): string[] | null {
  const done = new Set<string>();
  const visit = (node: string, way: string[]): string[] | null => {
    if (way.includes(node)) return [...way.slice(way.indexOf(node)), node];
    if (done.has(node)) return null;
    for (const next of graph.get(node) ?? []) {
      const found = visit(next, [...way, node]);
      if (found) return found;
    }
    done.add(node);
    return null;
  };
  for (const node of graph.keys()) {
    const found = visit(node, []);
    if (found) return found;
  }
  return null;
}

/** The edges that break a rule, as "a imports b". */
function broken(rule: (file: string, name: string) => boolean): string[] {
  return EDGES.filter(([file, name]) => rule(file, name)).map(([file, name]) => `${file} imports ${name}`);
}

Deno.test("imports: every file of ours that is imported is found", () => {
  assert.ok(EDGES.length > 700, `${EDGES.length} imports`);
  const lost = broken((file, name) =>
    FOLDERS.some((one) => name.startsWith(`${one}/`)) && !TEXTS.has(name) &&
    !file.startsWith("lib/fresh/build/") // which writes code, so that imports stand in texts there
  );
  assert.deepEqual(lost, []);
  const homeless = FILES.filter((file) =>
    file.startsWith("lib/") && !file.startsWith("lib/fresh/") && !locationOf(file)
  );
  assert.deepEqual(homeless, [], "in no room of the table");
});

Deno.test("imports: none points upward", () => {
  const upward = broken((file, name) => {
    const [from, to] = [locationOf(file), locationOf(name)];
    return from !== null && to !== null && to.level > from.level;
  });
  assert.deepEqual(upward, []);
});

Deno.test("imports: lib knows no page's part, and lib/fresh nothing of the service, nor the service of it", () => {
  assert.deepEqual(
    broken((file, name) => file.startsWith("lib/") && /^(routes|islands|components|player)\//.test(name)),
    [],
  );
  assert.deepEqual(
    broken((file, name) =>
      file.startsWith("lib/fresh/") !== name.startsWith("lib/fresh/") && /^lib\//.test(name) &&
      (file.startsWith("lib/fresh/") || name.startsWith("lib/fresh/"))
    ),
    [],
  );
});

/** lib/door/access keeps what lies in DATA_DIR of people and tokens, so that it knows the store. */
Deno.test("imports: the gate and its neighbours in lib/door know no stream", () => {
  assert.deepEqual(
    broken((file, name) => /^lib\/door\/[^/]+$/.test(file) && /^lib\/(model|store)\//.test(name)),
    [],
  );
});

Deno.test("imports: lib/model is pure, for browsers as well, and lib/store starts no process", () => {
  assert.deepEqual(FILES.filter((file) => file.startsWith("lib/model/") && !isPure(file)), []);
  const starting = FILES.filter((file) => file.startsWith("lib/store/"))
    .filter((file) => TEXTS.get(file)!.includes("Deno.Command"));
  assert.deepEqual(starting, []);
  assert.deepEqual(
    broken((file, name) => file.startsWith("lib/store/") && name === "lib/machine/os/process.ts"),
    [],
  );
});

Deno.test("imports: no circle of files", () => assert.equal(circle(IMPORTS), null));

Deno.test("imports: no circle of rooms", () => {
  const rooms = new Map<string, string[]>();
  for (const [file, name] of EDGES) {
    const [from, to] = [locationOf(file), locationOf(name)];
    if (from && to && from.room !== to.room) rooms.set(from.room, [...rooms.get(from.room) ?? [], to.room]);
  }
  assert.equal(circle(rooms), null);
});

Deno.test("imports: only lib/fresh, lib/app.ts and routes know Fresh", () => {
  assert.deepEqual(broken((file, name) => /^fresh(\/|$)/.test(name) && !KNOWS_FRESH.test(file)), []);
});

/** Whether a module, with all that it imports, touches nothing of the machine. */
function isPure(file: string): boolean {
  const names = IMPORTS.get(file);
  if (!names || /\bDeno\./.test(TEXTS.get(file)!)) return false;
  return names.every((name) => name === "zod" || name === "node:util" || isPure(name));
}

/** The roles stand below lib/model, as lib/door, which knows no stream, asks for them, too. */
const ROLES = "lib/role.ts";

Deno.test("imports: islands and components know lib/model and the roles, and nothing else of lib", () => {
  const wrong = broken((file, name) =>
    /^(islands|components)\//.test(file) && name.startsWith("lib/") &&
    !name.startsWith("lib/model/") && name !== ROLES
  );
  assert.deepEqual(wrong, []);
});

/** What asks for CLUSTER first, or is the command `cluster`: the one thing that each of them loads on demand. */
const DOORS = new Map([
  ["lib/run/serve.ts", "lib/cluster/membership.ts"],
  ["lib/run/checks/cluster.ts", "lib/cluster/membership.ts"],
  ["lib/run/commands.ts", "lib/run/cluster.ts"],
]);

/** All that a file loads, also on demand, but by the doors. */
function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const name of IMPORTS.get(file) ?? []) if (DOORS.get(file) !== name) loadedBy(name, seen);
  return seen;
}

Deno.test("imports: nothing loads NATS' client but by the doors, which are opened on demand", () => {
  const loaded = [
    ...loadedBy("main.ts"),
    ...loadedBy("lib/app.ts"),
    ...FILES.filter((file) => /^(routes|islands)\//.test(file)).flatMap((file) => [...loadedBy(file)]),
  ];
  assert.ok(
    loaded.includes("lib/run/serve.ts") && loaded.includes("lib/service.ts"),
    "the web app is among it",
  );
  assert.deepEqual(loaded.filter((name) => name.includes("nats-io")), []);
  for (const [file, name] of DOORS) {
    assert.ok([...loadedBy(name)].some((one) => one.includes("nats-io")), `${name} is no door`);
    const text = TEXTS.get(file)!;
    const path = name.replace(/^lib\//, "").split("/").at(-1);
    assert.match(text, new RegExp(`await import\\("[./a-z]*/${path}"\\)`), `${file} loads ${name} on demand`);
    assert.doesNotMatch(text, new RegExp(`^import [^;]*"[./a-z]*/${path}"`, "m"));
  }
});

/** What is loaded with a file: no types, and nothing that is loaded on demand. */
const AT_ONCE = /^(?:import|export)\s+(?!type\b)([^;'"]*?)\s*\bfrom\s*"([^"]+)"|^import\s*"([^"]+)"/gm;
const TYPES_ALONE = /^\{(\s*type [^,}]+,?)+\s*\}$/;

function loadedAtOnce(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, what = "", from, bare] of (TEXTS.get(file) ?? "").matchAll(AT_ONCE)) {
    if (TYPES_ALONE.test(what)) continue;
    const name = from ?? bare;
    loadedAtOnce(name.startsWith(".") ? normalize(`${dirname(file)}/${name}`) : name, seen);
  }
  return seen;
}

/** What the web app of a machine that is alone starts with: lib/fresh/build puts these routes into its first module. */
const WEB_APP = [
  ...["main.ts", "lib/run/main.ts", "lib/run/serve.ts"],
  ...FILES.filter((file) => /^routes\/.*\.ts$/.test(file)),
];

/** What is loaded when it is needed for the first time, and a file that is loaded with it. */
const LATE: [of: RegExp, door: string, file: string][] = [
  [/^lib\/cluster\/(?!placement\.ts)|nats-io/, "lib/cluster/node.ts", "lib/cluster/keeper.ts"],
  [/^nodemailer/, "nodemailer", "nodemailer"],
  [/^(components|islands|player)\/|^preact|\.tsx$/, "routes/index.tsx", "islands/StreamBoard.tsx"],
  [/^lib\/reports\/openapi\//, "lib/reports/openapi/document.ts", "lib/reports/openapi/stream_paths.ts"],
];

Deno.test("imports: a web app starts without a cluster's parts, mail, pages and the API's description", () => {
  const loaded = [...new Set(WEB_APP.flatMap((file) => [...loadedAtOnce(file)]))];
  for (const name of ["lib/service.ts", "lib/handler.ts", "lib/messages/mail.ts"]) {
    assert.ok(loaded.includes(name), `${name} is among it`);
  }
  for (const [of, door, file] of LATE) {
    assert.deepEqual(loaded.filter((name) => of.test(name)), []);
    assert.ok(loadedAtOnce(door).has(file) && of.test(file), `${file} is loaded with ${door}`);
  }
});

Deno.test("the environment is read in lib/config.ts and the entry alone", () => {
  const readers = FILES.filter((file) => /\bDeno\.env\b/.test(TEXTS.get(file)!));
  assert.deepEqual(readers, Object.keys(READS_ENVIRONMENT).sort());
});
