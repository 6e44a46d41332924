import { strict as assert } from "node:assert";
import type { StreamFigures } from "../../../lib/model/answers/shapes.ts";
import type { StreamId } from "../../../lib/model/id.ts";
import { OtherFigures, type OtherFiguresParts } from "../../../lib/cluster/other_figures.ts";

const NODES = ["wall-a", "wall-b", "wall-c"];
const [ASH, OAK] = ["ash", "oak"] as StreamId[];
const KEEP_MS = 4500;

const figuresOf = (viewers: number, cpuPercent: number | null = null): StreamFigures => ({
  viewers,
  fps: null,
  push: null,
  cpuPercent,
  mebibytes: null,
});

/** The others of wall-a. @param told what each of them answers; none: a 503. */
function others(told: Record<string, Record<string, StreamFigures>>) {
  const world = { asked: [] as string[], now: 0, owners: { ash: "wall-b", oak: "wall-a" } };
  const view = {
    nodes: () => NODES.map((name) => ({ name, isHere: name === "wall-a" })),
    other: (name: string) => ({ name, address: `http://${name}:3000`, beat: {}, canBeAsked: true }),
    owner: (id: "ash" | "oak") => world.owners[id] ?? null,
  } as unknown as OtherFiguresParts["view"];
  const figures = new OtherFigures({
    view,
    keepMs: KEEP_MS,
    elapsed: () => world.now,
    passes: { make: () => "pass" },
    ask: (url) => {
      const { hostname } = new URL(String(url));
      world.asked.push(hostname);
      const answer = told[hostname];
      return Promise.resolve(answer ? Response.json(answer) : new Response(null, { status: 503 }));
    },
  });
  return { world, figures };
}

Deno.test("a stream's figures are its node's, and its viewers those of all other nodes", async () => {
  const { figures } = others({
    "wall-b": { ash: figuresOf(2, 30) },
    "wall-c": { ash: figuresOf(3), oak: figuresOf(1) },
  });
  const told = await figures.all();
  assert.deepEqual(told(ASH), { figures: figuresOf(2, 30), viewers: 5 });
  assert.deepEqual(told(OAK), { figures: null, viewers: 1 }, "this node has it, one watches it there");
  assert.deepEqual(told("birch" as StreamId), { figures: null, viewers: 0 });
});

Deno.test("other nodes are asked once for all who look, and again when that is old; one that cannot tell is missing", async () => {
  const { figures, world } = others({ "wall-b": { ash: figuresOf(2) } });
  const all = await Promise.all([figures.all(), figures.all()]);
  for (const told of all) assert.equal(told(ASH).viewers, 2);
  assert.deepEqual(world.asked, ["wall-b", "wall-c"]);
  world.now += KEEP_MS - 1;
  await figures.all();
  assert.equal(world.asked.length, 2);
  world.now += 1;
  await figures.all();
  assert.equal(world.asked.length, 4);
});
