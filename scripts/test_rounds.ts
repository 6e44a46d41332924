/**
 * Files of tests, put together: each file that `deno test` is given loads all modules anew, which took more than half
 * of the unit tests' time. Each file for the pages starts a Chromium as well, which took a sixth of the page tests'
 * time. A file that needs a process for itself alone would fail beside others. Named files still run one by one.
 */
import { join } from "node:path";
import { shuffled } from "./test_plan.ts";

/**
 * Writes `count` files that import all these, each about as long as the others.
 * @param folder of the new files. @param seed for other company and order; null for the usual one. @returns their paths.
 */
export async function makeRounds(
  paths: readonly string[],
  count: number,
  folder: string,
  seed: number | null = null,
): Promise<string[]> {
  const sizes = await Promise.all(
    paths.map(async (path) => ({ path, bytes: (await Deno.stat(path)).size })),
  );
  const dir = await Deno.makeTempDir({ dir: folder });
  const rounds = Array.from({ length: count }, (_, at) => ({
    file: join(dir, `round_${at + 1}_test.ts`),
    paths: [] as string[],
    bytes: 0,
  }));
  const ordered = seed === null ? sizes.sort((one, other) => other.bytes - one.bytes) : shuffled(sizes, seed);
  for (const { path, bytes } of ordered) {
    const shortest = rounds.reduce((least, round) => round.bytes < least.bytes ? round : least);
    shortest.paths.push(path);
    shortest.bytes += bytes;
  }
  await Promise.all(
    rounds.map(({ file, paths }) =>
      Deno.writeTextFile(file, paths.map((path) => `import ${JSON.stringify(`file://${path}`)};\n`).join(""))
    ),
  );
  return rounds.map(({ file }) => file);
}
