/** Locks on the data directory and the run directory: only one `up` may use them. */
import { basename, dirname } from "node:path";
import type { Config } from "../config.ts";
import type { Paths } from "../paths.ts";
import { isRoot } from "../machine/os/exec.ts";
import { ensureFolder } from "../machine/os/files.ts";
import { lockOwner } from "../machine/os/file_lock.ts";
import { errorText, log } from "../machine/tools/log.ts";
import { sleep } from "../machine/tools/time.ts";
import { takePlace } from "../machine/os/take_place.ts";
import { homeOwner, ownerOf } from "../machine/os/users.ts";
import { removeRunDir } from "./run_dir.ts";
import { StartError } from "./start_error.ts";

/** Whether an absolute path lies in another, or both are the same. */
function overlap(a: string, b: string): boolean {
  return `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`);
}

/**
 * Makes sure that the run directory, which is emptied, is ours: new, empty, or left by an earlier run (which its lock
 * file shows).
 * @param own names of entries that are ours without it.
 */
async function claimRunDir(
  config: Config,
  paths: Paths,
  own: ReadonlySet<string> = new Set(),
): Promise<void> {
  const { runDir } = paths;
  if (overlap(runDir, config.DATA_DIR) || overlap(runDir, config.PIPELINE_DIR)) {
    throw new StartError(
      `RUN_DIR=${runDir} is emptied at every start and must lie apart from DATA_DIR and PIPELINE_DIR. ` +
        "Example: RUN_DIR=/dev/shm/wall",
    );
  }
  await Deno.mkdir(runDir, { recursive: true, mode: 0o755 }).catch((error) => {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  });
  // in /dev/shm every user can be faster; what the operator chose may be a user's for a reason
  if (config.RUN_DIR === "") await takePlace(runDir);
  const { uid, isDirectory } = await Deno.lstat(runDir);
  if (!isDirectory || uid !== Deno.uid()) {
    throw new StartError(`${runDir} belongs to another user. Remove it, or set RUN_DIR to another folder.`);
  }
  const names = [...Deno.readDirSync(runDir)].map(({ name }) => name);
  if (!names.includes(basename(paths.upLock)) && !names.every((name) => own.has(name))) {
    throw new StartError(
      `RUN_DIR=${runDir} holds files of another program. Set RUN_DIR to a folder of its own.`,
    );
  }
}

/** Locks a file or folder for this process; the lock goes with the process, however it ends. */
async function lockForUs(path: string): Promise<Deno.FsFile> {
  const file = await Deno.open(path);
  // Deno 2.4 has no tryLock: a free lock is taken at once, and the wait for a taken lock ends with our error
  const over = new AbortController();
  const isOurs = await Promise.race([
    file.lock(true).then(() => true),
    sleep(500, over.signal).then(() => false),
  ]);
  over.abort();
  if (isOurs) return file;
  throw new StartError(`The service already runs with this DATA_DIR or RUN_DIR${await howToStop(path)}`);
}

/** The text that names the lock's owner, and the command that stops it. */
async function howToStop(path: string): Promise<string> {
  const pid = await lockOwner(path);
  // the process is in another container, where we see nothing
  if (pid === null) return ". Stop it first.";
  const groups = await Deno.readTextFile(`/proc/${pid}/cgroup`).catch(() => "");
  const command = groups.includes("/browser-stream.service")
    ? "systemctl stop browser-stream"
    : `kill ${pid}`;
  return ` (pid ${pid}). Stop it first: ${command}`;
}

/** Refuses data of another user: a normal user cannot use the files of a service that ran as root. */
async function checkOwner(
  config: Config,
  { streamsDir, profilesDir, logsDir, configDir }: Paths,
): Promise<void> {
  if (isRoot()) return;
  for (const path of [streamsDir, logsDir, configDir, profilesDir]) {
    const owner = await ownerOf(path);
    if (owner === null || owner === Deno.uid()) continue;
    throw new StartError(
      `${path} belongs to user ${owner}: the service was started as another user before, probably root. Start it as\n` +
        "that user again, or, while it does not run, give the data to yourself:\n\n" +
        `  sudo chown -R -P -h ${Deno.uid()}:${Deno.gid()} ${
          [...new Set([config.DATA_DIR, dirname(profilesDir)])].join(" ")
        }\n`,
    );
  }
}

/**
 * Makes the data directory. The users of the web app and of the streams have to pass it; the folders in it are closed
 * to other users. A directory of root's that an umask, or we, had closed is opened for the passage.
 * @throws {StartError} when another user's link stands for the directory.
 */
export async function openDataDir({ DATA_DIR }: Pick<Config, "DATA_DIR">): Promise<void> {
  const PASS = 0o011;
  await Deno.mkdir(DATA_DIR, { recursive: true });
  if (!isRoot()) return;
  const { isSymlink, uid: maker } = await Deno.lstat(DATA_DIR);
  if (isSymlink && maker !== 0) {
    throw new StartError(
      `DATA_DIR=${DATA_DIR} is a link that user ${maker} made and can point at any folder. Root does not follow it. Set\n` +
        "DATA_DIR to the folder itself.",
    );
  }
  const { uid, gid, mode } = await Deno.stat(DATA_DIR);
  // a folder that `takeFolders` took has another group: what a user had closed stays closed
  if (uid === 0 && gid === 0 && (mode! & PASS) !== PASS) await Deno.chmod(DATA_DIR, (mode! | PASS) & 0o7777);
}

/** Refuses links in the place of folders whose owner and mode root changes. @throws {StartError} */
async function checkLinks({ streamsDir, profilesDir, logsDir, configDir }: Paths): Promise<void> {
  if (!isRoot()) return;
  for (const path of [streamsDir, logsDir, configDir, profilesDir]) {
    const target = await Deno.readLink(path).catch(() => null);
    if (target === null) continue;
    throw new StartError(
      `${path} is a link to ${target}. Root gives this folder to the service's own users, so whoever made the link\n` +
        "could choose any folder. Put the folder itself there, mount it there (mount --bind), or set DATA_DIR or\n" +
        "PIPELINE_DIR to the place where it is.",
    );
  }
}

/**
 * Takes the folders of root's work from a normal user, who could put others in their place at any moment: root runs what
 * is written there. The user keeps the streams' data in them until the start gives these to users of their own.
 */
async function takeFolders({ DATA_DIR }: Pick<Config, "DATA_DIR">, { profilesDir }: Paths): Promise<void> {
  if (!isRoot()) return;
  for (const path of new Set([DATA_DIR, dirname(profilesDir)])) {
    const place = await Deno.realPath(path).catch(() => null);
    if (place === null) continue;
    const [OTHERS_WRITE, STICKY] = [0o022, 0o1000];
    const { uid, gid, mode } = await Deno.lstat(place);
    const isOpen = (mode! & OTHERS_WRITE) !== 0 && (mode! & STICKY) === 0;
    if (uid === 0 && isOpen) {
      log("warn", "other users can write to the folder, and so change what root runs", { folder: path });
    }
    if (uid === 0) continue;
    try {
      const whose = await homeOwner(place);
      if (whose !== null) throw new Error(`it is the home of ${whose}, which root must not own`);
      await ensureFolder(place, mode! & 0o7777 & ~OTHERS_WRITE, { uid: 0, gid: gid! });
      log("warn", "root now owns the folder", { folder: path, before: uid });
    } catch (error) {
      // a user's home stays the user's; in a container, the owner may be the host's, whom nobody here can change
      const why = errorText(error);
      log("warn", "a user keeps the folder, and can change what root runs", {
        folder: path,
        user: uid,
        why,
      });
    }
  }
}

/**
 * Claims the data directory alone, for a command that needs it while the service does not run.
 * @throws {StartError} when the service runs.
 */
export async function claimData(config: Config, paths: Paths): Promise<Disposable> {
  await openDataDir(config);
  await checkLinks(paths);
  // DATA_DIR is made before: folders that are made together have the same mode
  await Deno.mkdir(paths.streamsDir, { recursive: true, mode: 0o700 });
  await checkOwner(config, paths);
  return await lockForUs(paths.streamsDir);
}

/** The claims of a service on its directories. */
export interface FolderClaims {
  /** Makes and claims the run directory anew if somebody has removed it. @throws {StartError} when another service has it. */
  renewRunDir(): Promise<void>;
  /** Removes the run directory, and gives both free. */
  release(): Promise<void>;
}

/** Claims both directories. @throws {StartError} when another service has them, or the run directory is not ours to empty. */
export async function claimFolders(config: Config, paths: Paths): Promise<FolderClaims> {
  const dataLock = await claimData(config, paths);
  try {
    await takeFolders(config, paths);
    await checkLinks(paths); // the last moment in which somebody else could make one
    let runLock = await lockRunDir(config, paths);
    const isRunDirOurs = async () => {
      const [there, ours] = [await Deno.lstat(paths.upLock).catch(() => null), await runLock.stat()];
      return there?.dev === ours.dev && there.ino === ours.ino;
    };
    return {
      async renewRunDir() {
        if (await isRunDirOurs()) return;
        const old = runLock;
        runLock = await lockRunDir(config, paths, ownNames(paths));
        old.close();
      },
      async release() {
        // another program's may have taken its place
        if (await isRunDirOurs()) await removeRunDir(paths);
        runLock.close();
        dataLock[Symbol.dispose]();
      },
    };
  } catch (error) {
    dataLock[Symbol.dispose]();
    throw error;
  }
}

/** What may have been made anew in a run directory of ours, before its lock. */
function ownNames({ runDir, ...paths }: Paths): Set<string> {
  const inside = Object.values(paths).filter((path) => path.startsWith(`${runDir}/`));
  return new Set(["supervisord.pid", ...inside.map((path) => path.slice(runDir.length + 1).split("/")[0])]);
}

async function lockRunDir(config: Config, paths: Paths, own?: ReadonlySet<string>): Promise<Deno.FsFile> {
  await claimRunDir(config, paths, own);
  await Deno.writeTextFile(paths.upLock, "", { mode: 0o600 });
  return await lockForUs(paths.upLock);
}
