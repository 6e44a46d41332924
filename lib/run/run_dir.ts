/** The run directory: sockets, segments and tokens of one run. */
import { dirname, join } from "node:path";
import type { SharedUsers } from "../machine/broker/stream_folders.ts";
import type { Paths } from "../paths.ts";
import { removeStaleDisplay } from "../display/display.ts";
import { ensureFolder, type FolderRights, namesIn, removeTree } from "../machine/os/files.ts";
import { takePlace } from "../machine/os/take_place.ts";
import { errorText, log } from "../machine/tools/log.ts";
import { StartError } from "./start_error.ts";

/** The prefix of names that are set aside. */
const ASIDE = ".left-";

/** Removes the files that the X servers of an earlier or ending run left in /tmp. */
async function removeStaleDisplays({ slotsDir }: Paths): Promise<void> {
  for (const name of await namesIn(slotsDir)) {
    if (/^\d{1,5}$/.test(name)) await removeStaleDisplay(Number(name));
  }
}

/** The folder with the sockets of all X servers of a machine. */
export const SOCKET_FOLDER = "/tmp/.X11-unix";

/** Milliseconds to remove an entry of an earlier run. */
const REMOVE_MS = 15_000;

/** Removes an entry of an earlier run; after too long a time it is set aside until the next start. */
export async function removeOrSetAside(runDir: string, name: string, limitMs = REMOVE_MS): Promise<void> {
  await removeTree(join(runDir, name), limitMs).catch(async (error) => {
    log("warn", "files of an earlier run were not removed yet", { name, error: errorText(error) });
    if (name.startsWith(ASIDE)) return;
    await Deno.rename(join(runDir, name), join(runDir, `${ASIDE}${crypto.randomUUID().slice(0, 8)}`));
  });
}

/** The folders of a run that are the same for all streams, each with its rights. */
export function runFolders(paths: Paths, users: SharedUsers): FolderRights[] {
  const { web, media, vncProxy, front, capture } = users;
  return [
    [paths.runDir, 0o755],
    [paths.webDir, 0o700, web],
    [paths.specsDir, 0o700, web],
    // the web app asks the media server there
    [paths.mediaDir, 0o2710, { uid: media.uid, gid: web.gid }],
    [paths.vncProxyDir, 0o700, vncProxy],
    [paths.frontDir, 0o700, front],
    // the web app asks the capture program for a sign of life there
    [paths.captureDir, 0o2710, { uid: capture.uid, gid: web.gid }],
    // only root makes the folders in these, so that a deleted file below them is never behind a link
    [paths.hlsDir, 0o711],
    // the media server looks for old segments there
    [join(paths.hlsDir, "live"), 0o751, { uid: Deno.uid()!, gid: media.gid }],
    [paths.vncDir, 0o711],
    [paths.slotsDir, 0o711],
    [paths.pipesDir, 0o711],
    [paths.hubsDir, 0o711],
    [paths.displayKeysDir, 0o710, { uid: Deno.uid()!, gid: web.gid }],
    [paths.captureKeysDir, 0o710, { uid: Deno.uid()!, gid: capture.gid }],
    // the capture program looks for displays there, and each stream's user goes through to its own folder
    [paths.picturesDir, 0o751, { uid: Deno.uid()!, gid: capture.gid }],
    // the socket in it is for every user that gets there
    [dirname(paths.supervisorSocket), 0o710, { uid: Deno.uid()!, gid: web.gid }],
    [dirname(paths.tokensFile), 0o2750, { uid: web.uid, gid: vncProxy.gid }],
    [dirname(paths.webSocket), 0o2710, { uid: web.uid, gid: front.gid }],
  ];
}

/**
 * The folders and files of a run. Without a folder its sockets, keys and generated files are gone, and a new folder in its
 * place has none: in RUN_DIR, which is in memory, a new folder shows by its inode's number. Elsewhere numbers may change
 * by themselves, as on a disk of the network.
 */
export class RunContents {
  /** By path; null: that it is there is enough. */
  #inodes: ReadonlyMap<string, string | null>;

  private constructor(inodes: ReadonlyMap<string, string | null>) {
    this.#inodes = inodes;
  }

  /**
   * @param paths of folders and files; missing ones do not belong to the run. @param runDir where a replaced one is lost,
   * too.
   */
  static async of(paths: readonly string[], runDir: string): Promise<RunContents> {
    const found = await Promise.all(paths.map(async (path) => [path, await inodeOf(path)] as const));
    const inodes = found.flatMap(([path, inode]): [string, string | null][] => {
      if (inode === null) return [];
      return [[path, path === runDir || path.startsWith(`${runDir}/`) ? inode : null]];
    });
    return new RunContents(new Map(inodes));
  }

  /** The path of a folder or file that was removed or replaced since then; null: all are there. */
  async lost(): Promise<string | null> {
    for (const [path, inode] of this.#inodes) {
      const now = await inodeOf(path);
      if (now === null || (inode !== null && now !== inode)) return path;
    }
    return null;
  }
}

async function inodeOf(path: string): Promise<string | null> {
  const there = await Deno.lstat(path).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  });
  return there && `${there.dev}:${there.ino}`;
}

/** Empties the run directory but for the lock, and makes its folders. */
export async function makeRunDir(paths: Paths, users: SharedUsers): Promise<void> {
  await removeStaleDisplays(paths);
  for await (const { name } of Deno.readDir(paths.runDir)) {
    if (join(paths.runDir, name) !== paths.upLock) await removeOrSetAside(paths.runDir, name);
  }
  for (const [path, mode, owner] of runFolders(paths, users)) await ensureFolder(path, mode, owner);
  await makeSocketFolder(SOCKET_FOLDER);
}

/**
 * Makes the folder of all X servers' sockets, which no X server of a normal user can. The owner could replace the
 * socket of every display: as root, the folder takes the place of another user's.
 * @throws {StartError} when the owner is another user all the same.
 */
export async function makeSocketFolder(path: string): Promise<void> {
  const isNew = await Deno.mkdir(path).then(() => true, () => false) || await takePlace(path);
  if (isNew) return await ensureFolder(path, 0o1777);
  const info = await Deno.lstat(path);
  if (isSafe(info)) return;
  throw new StartError(
    `${path}, where the displays' sockets are, is ${
      info.isDirectory ? `user ${info.uid}'s` : "not a folder"
    }, or lets ` +
      `everybody\nremove what is in it: others could take the place of every display. As root:\n\n` +
      `  rm -r ${path} && mkdir -m 1777 ${path}\n`,
  );
}

/** Whether only its owner, root or we, can remove a folder's files. */
function isSafe({ isDirectory, uid, mode }: Deno.FileInfo): boolean {
  const [STICKY, OTHERS] = [0o1000, 0o022];
  return isDirectory && [0, Deno.uid()].includes(uid) && ((mode! & OTHERS) === 0 || (mode! & STICKY) !== 0);
}

/**
 * Makes the folder of all X servers' sockets safe again, where somebody has changed it since the start.
 * @returns whether somebody had. @throws {Error} when it cannot.
 */
export async function keepSocketFolder(path: string): Promise<boolean> {
  const info = await Deno.lstat(path).catch(() => null);
  if (info && isSafe(info)) return false;
  if (info?.isDirectory && info.uid === Deno.uid()) await ensureFolder(path, 0o1777);
  else await makeSocketFolder(path);
  return true;
}

/** Removes the run directory, and the files that its X servers left outside of it. */
export async function removeRunDir(paths: Paths): Promise<void> {
  await removeStaleDisplays(paths).catch(() => {});
  await removeTree(paths.runDir).catch(() => {});
}
