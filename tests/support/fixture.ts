/** What unit tests share: valid streams, programs as supervisord tells them, and folders that go away. */
import { dirname, join } from "node:path";
import { parseConfig } from "../../lib/config.ts";
import { type Paths, pathsOf } from "../../lib/paths.ts";
import { storedStream, type Stream } from "../../lib/model/schema.ts";
import type { Program } from "../../lib/machine/supervisor/status.ts";

export const root = new URL("../..", import.meta.url).pathname;

/** A valid stream; `fields` go through the schema as well. */
export function aStream(fields: Record<string, unknown> = {}): Stream {
  return storedStream.parse({
    id: "clock",
    name: "Clock",
    url: "https://clock.example.org/",
    order: 0,
    ...fields,
  }) as Stream;
}

/** A program that has been running for 100 s at Unix time 1000. */
export function aProgram(name: string, fields: Partial<Program> = {}): Program {
  return {
    name,
    group: name,
    state: "RUNNING",
    pid: 7,
    start: 900,
    stop: 0,
    now: 1000,
    problem: "",
    ...fields,
  };
}

export interface TempDir extends AsyncDisposable {
  path: string;
}

/** An empty folder; `await using` removes it. @param dir where; the system's folder for such if not given. */
export async function tempDir(dir?: string): Promise<TempDir> {
  const path = await Deno.makeTempDir({ dir, prefix: "bs-" });
  return { path, [Symbol.asyncDispose]: () => removeFolder(path) };
}

/** The last processes of a browser that has ended may still write for a moment. @throws when something goes on writing. */
async function removeFolder(path: string): Promise<void> {
  const deadline = performance.now() + 5000;
  while (await isThere(path)) {
    await Deno.remove(path, { recursive: true }).catch((error) => {
      if (performance.now() > deadline) throw error;
    });
  }
}

/** All paths below `dir`, with the folders that `up` makes. */
export async function makePaths(dir: string): Promise<Paths> {
  const paths = pathsOf({ ...parseConfig({}), DATA_DIR: join(dir, "data"), RUN_DIR: join(dir, "run") });
  await makeFolders(paths);
  return paths;
}

/** The folders that `up` makes. */
export async function makeFolders(paths: Paths): Promise<void> {
  const folders = [
    paths.streamsDir,
    paths.programsDir,
    paths.logsDir,
    paths.profilesDir,
    paths.rewindDir,
    paths.exportsDir,
    paths.specsDir,
    paths.vncDir,
    paths.slotsDir,
    paths.webDir,
    paths.displayKeysDir,
    paths.pipesDir,
    paths.hubsDir,
    paths.captureKeysDir,
    paths.picturesDir,
    join(paths.hlsDir, "live"),
    dirname(paths.tokensFile),
  ];
  for (const folder of folders) {
    await Deno.mkdir(folder, { recursive: true });
  }
}

/** Whether something is at the path. */
export function isThere(path: string): Promise<boolean> {
  return Deno.lstat(path).then(() => true, () => false);
}

/** The names in a folder, sorted. */
export async function namesIn(path: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(path), ({ name }) => name)).sort();
}
