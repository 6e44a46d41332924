/** The plan of a test run: the files of each process, and the number of processes at a time. */
import { dirname, join } from "node:path";
import { makeRounds } from "./test_rounds.ts";

export const ROOT = new URL("..", import.meta.url).pathname;

export interface Layer {
  /** The number of files into which the layer's files are put together; absent: each file runs by itself. */
  rounds?: number;
  /** Folders whose files are put together into one: loading them one by one takes half a second of a processor each. */
  together?: readonly string[];
  /** Whether a file that was red runs once more, alone: real programs share the machine with others. */
  isTriedAgain?: boolean;
  /** Whether people watch the layer: its output is shown as it comes. */
  isWatched?: boolean;
}

/** The folders of tests/. */
export const LAYERS = {
  repository: { rounds: 1 },
  unit: { rounds: 4 },
  app: { rounds: 4 },
  pages: { rounds: 3 },
  e2e: {
    isTriedAgain: true,
    together: ["tests/e2e/os", "tests/e2e/attackers", "tests/e2e/secrets", "tests/e2e/pages"],
  },
  soak: { isWatched: true },
  image: { isWatched: true },
} as const satisfies Record<string, Layer>;

export type LayerName = keyof typeof LAYERS;

/** The layers of `deno task quick` and of `deno task test`. */
export const QUICK: LayerName[] = ["unit", "app", "pages"];
export const ALL: LayerName[] = [...QUICK, "e2e"];

/** Layers whose processes run side by side. */
export interface Stage {
  /** The longest processes first. */
  layers: LayerName[];
  /** The number of processes at a time. */
  atOnce: number;
}

/** In their order. A layer for itself would leave a core idle at its end. */
export const STAGES: Stage[] = [
  { layers: ["repository"], atOnce: 1 },
  { layers: ["pages", "app", "unit"], atOnce: 3 },
  { layers: ["e2e"], atOnce: 3 },
  { layers: ["soak"], atOnce: 1 },
  { layers: ["image"], atOnce: 1 },
];

/** A process of `deno test`. */
export interface Job {
  layer: LayerName;
  name: string;
  files: string[];
}

/** All test files of a folder, or the file itself; relative to the root. @throws {Error} when there are none. */
export function testFiles(path: string): string[] {
  const inside = (folder: string): string[] =>
    Array.from(Deno.readDirSync(join(ROOT, folder))).flatMap(({ name, isDirectory }) =>
      isDirectory ? inside(`${folder}/${name}`) : [`${folder}/${name}`]
    );
  const files = path.endsWith(".ts") ? [path] : inside(path).filter((name) => name.endsWith("_test.ts"));
  if (files.length === 0) throw new Error(`There are no tests in ${path}.`);
  return files.sort();
}

/** The layer that a test file belongs to. @throws {Error} when there is no such layer. */
export function layerOf(file: string): LayerName {
  const layer = Object.keys(LAYERS).find((name) => file.startsWith(`tests/${name}/`));
  if (layer === undefined) {
    throw new Error(`${file} is in no folder of tests/: ${Object.keys(LAYERS).join(", ")}`);
  }
  return layer as LayerName;
}

/**
 * The processes that run these files of one layer, the longest first. @param seed for another order; null for the usual one.
 * @param folder for the files that put others together.
 */
export async function jobsOf(
  layer: LayerName,
  files: readonly string[],
  seed: number | null,
  folder: string,
): Promise<Job[]> {
  const { rounds, together = [] }: Layer = LAYERS[layer];
  const pathsOf = (some: readonly string[]) => some.map((file) => join(ROOT, file));
  if (rounds === undefined) {
    // small files in a folder of their own run one after the other
    const groups = Map.groupBy(files, (file) => dirname(file) === `tests/${layer}` ? file : dirname(file));
    const size = (group: string[]) =>
      group.map((file) => Deno.statSync(join(ROOT, file)).size).reduce((sum, bytes) => sum + bytes, 0);
    const longestFirst = [...groups].sort(([, one], [, other]) => size(other) - size(one));
    const jobs: Job[] = [];
    for (const [path, group] of seed === null ? longestFirst : shuffled(longestFirst, seed)) {
      const name = path.slice("tests/".length).replace(/_test\.ts$/, "");
      const isOne = together.includes(path) && group.length > 1;
      const own = isOne ? await makeRounds(pathsOf(group), 1, folder, seed) : group;
      jobs.push({ layer, name, files: own });
    }
    return jobs;
  }
  const made = await makeRounds(pathsOf(files), Math.min(rounds, files.length), folder, seed);
  return made.map((file, at) => ({ layer, name: `${layer} ${at + 1}`, files: [file] }));
}

/** A shuffled list: the same order for the same seed. */
export function shuffled<T>(list: readonly T[], seed: number): T[] {
  // mulberry32: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c
  const random = () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return list.map((item) => ({ item, at: random() })).sort((a, b) => a.at - b.at).map(({ item }) => item);
}
