/** The run directory: sockets, segments and tokens of one run. It is emptied, so it must be nobody else's. */
import { join } from "node:path";
import { readSpec } from "../pipeline/spec.ts";
import { removeStaleDisplay } from "../pipeline/display.ts";
import type { Config } from "../config.ts";
import { isStreamId } from "../streams/id.ts";
import type { Paths } from "../paths.ts";
import { ensureFolder, removeTree } from "../system/files.ts";
import type { Identity } from "../system/exec.ts";
import { StartError } from "./start_error.ts";

/** Whether one of two absolute paths lies in the other, or both are one. */
function overlap(a: string, b: string): boolean {
  return `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`);
}

/**
 * Makes sure that the run directory is ours to empty: new, empty, or left by an earlier run (which its lock file shows).
 * @throws {StartError} otherwise.
 */
export async function claimRunDir(config: Config, paths: Paths): Promise<void> {
  const { runDir } = paths;
  if (overlap(runDir, config.DATA_DIR) || overlap(runDir, config.PIPELINE_DIR)) {
    throw new StartError(
      `RUN_DIR=${runDir} is emptied at every start and must lie apart from DATA_DIR and PIPELINE_DIR. ` +
        "Example: RUN_DIR=/dev/shm/wall",
    );
  }
  await Deno.mkdir(runDir, { recursive: true, mode: 0o755 });
  const { uid, isDirectory } = await Deno.lstat(runDir);
  if (!isDirectory || uid !== Deno.uid()) {
    throw new StartError(`${runDir} belongs to somebody else. Remove it, or set RUN_DIR to another folder.`);
  }
  const names = [...Deno.readDirSync(runDir)].map(({ name }) => join(runDir, name));
  if (names.length > 0 && !names.includes(paths.upLock)) {
    throw new StartError(
      `RUN_DIR=${runDir} holds files that are not ours. Set RUN_DIR to a folder of its own.`,
    );
  }
}

/** The process that holds a lock on the file or folder, or null. Source: proc_locks(5). */
async function lockOwner(path: string): Promise<number | null> {
  const { ino } = await Deno.stat(path);
  for (const line of (await Deno.readTextFile("/proc/locks")).split("\n")) {
    const [, kind, , , pid, file] = line.split(/\s+/);
    if (kind === "FLOCK" && file?.endsWith(`:${ino}`)) return Number(pid);
  }
  return null;
}

/**
 * Locks a file or folder for this process; the lock goes with the process, however it ends.
 * @throws {StartError} when another one holds it.
 */
export async function lockForUs(path: string): Promise<Deno.FsFile> {
  const file = await Deno.open(path);
  // Deno 2.4 has no tryLock; a free lock is had at once, and who waits for a held one ends with the error
  const isOurs = await Promise.race([
    file.lock(true).then(() => true),
    new Promise<boolean>((done) => setTimeout(() => done(false), 500)),
  ]);
  if (isOurs) return file;
  const pid = await lockOwner(path);
  throw new StartError(
    `The service already runs with this DATA_DIR or RUN_DIR${
      pid ? ` (pid ${pid}). Stop it first: kill ${pid}` : "."
    }`,
  );
}

/** Removes what the X servers of an earlier or ending run left in /tmp. */
export async function removeStaleDisplays(paths: Paths): Promise<void> {
  const names = await Deno.stat(paths.specsDir).then(() => [...Deno.readDirSync(paths.specsDir)], () => []);
  for (const { name } of names) {
    const id = name.replace(/\.json$/, "");
    if (id === name || !isStreamId(id)) continue;
    const spec = await readSpec(paths.specsDir, id).catch(() => null);
    if (spec) await removeStaleDisplay(spec.display);
  }
}

/** Empties the run directory but for the lock, and makes its folders. */
export async function makeRunDir(paths: Paths, user: Identity): Promise<void> {
  await removeStaleDisplays(paths);
  for await (const { name } of Deno.readDir(paths.runDir)) {
    if (join(paths.runDir, name) !== paths.upLock) await removeTree(join(paths.runDir, name));
  }
  await ensureFolder(paths.runDir, 0o755);
  await ensureFolder(paths.specsDir, 0o700);
  // hls itself is not the user's: it could put a link in the place of live, and we delete below it
  await ensureFolder(paths.hlsDir, 0o755);
  await ensureFolder(join(paths.hlsDir, "live"), 0o755, user);
  for (const folder of [paths.vncDir, paths.pulseDir, paths.mediaDir, paths.homeDir, paths.tempDir]) {
    await ensureFolder(folder, 0o700, user);
  }
  // no X server of a normal user can make it
  if (!await Deno.stat("/tmp/.X11-unix").catch(() => null)) await ensureFolder("/tmp/.X11-unix", 0o1777);
}
