/** The run directory: sockets, segments and tokens of one run. It is emptied, so it must be nobody else's. */
import { join } from "node:path";
import { readChannel } from "../pipeline/spec.ts";
import { removeStaleDisplay } from "../pipeline/display.ts";
import type { Config } from "../config.ts";
import type { Places } from "../paths.ts";
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
export async function claimRunDir(config: Config, places: Places): Promise<void> {
  const { runDir } = places;
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
  if (names.length > 0 && !names.includes(places.upLock)) {
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
export async function removeStaleDisplays(places: Places): Promise<void> {
  const names = await Deno.stat(places.specsDir).then(() => [...Deno.readDirSync(places.specsDir)], () => []);
  for (const { name } of names) {
    if (!name.endsWith(".json") || name.startsWith(".")) continue;
    const channel = await readChannel(places.specsDir, name.slice(0, -".json".length)).catch(() => null);
    if (channel) await removeStaleDisplay(channel.display);
  }
}

/** Empties the run directory but for the lock, and makes its folders. */
export async function makeRunDir(places: Places, user: Identity): Promise<void> {
  await removeStaleDisplays(places);
  for await (const { name } of Deno.readDir(places.runDir)) {
    if (join(places.runDir, name) !== places.upLock) await removeTree(join(places.runDir, name));
  }
  await ensureFolder(places.runDir, 0o755);
  await ensureFolder(places.specsDir, 0o700);
  // hls itself is not the user's: it could put a link in the place of live, and we delete below it
  await ensureFolder(places.hlsDir, 0o755);
  await ensureFolder(join(places.hlsDir, "live"), 0o755, user);
  for (const folder of [places.vncDir, places.pulseDir, places.mediaDir, places.homeDir, places.tempDir]) {
    await ensureFolder(folder, 0o700, user);
  }
  // no X server of a normal user can make it
  if (!await Deno.stat("/tmp/.X11-unix").catch(() => null)) await ensureFolder("/tmp/.X11-unix", 0o1777);
}
