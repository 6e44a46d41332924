/** Users, the paths that they can reach, and free numbers for new users. */
import { dirname } from "node:path";
import { type Identity, isRoot } from "./exec.ts";
import { readOutput } from "./process.ts";

/** A user without an entry in /etc/passwd, whose group has the same number. */
export function numberedUser(uid: number): Identity {
  return { name: String(uid), uid, gid: uid };
}

async function passwdLines(): Promise<string[][]> {
  return (await Deno.readTextFile("/etc/passwd")).split("\n").map((line) => line.split(":"));
}

/** The users of /etc/passwd. */
async function allUsers(): Promise<Identity[]> {
  return (await passwdLines()).map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}

/** The name of the user whose home a folder is, by its path without links; null: it is nobody's. */
export async function homeOwner(folder: string): Promise<string | null> {
  return (await passwdLines()).find(([, , , , , home]) => home === folder)?.[0] ?? null;
}

/** A user of /etc/passwd, or null. */
export async function findUser(name: string): Promise<Identity | null> {
  return (await allUsers()).find((user) => user.name === name) ?? null;
}

/** The user this process runs as. */
export async function currentUser(): Promise<Identity> {
  const uid = Deno.uid()!;
  return await userOf(uid) ?? { name: String(uid), uid, gid: Deno.gid()! };
}

/** The user of /etc/passwd with a number, or null. */
async function userOf(uid: number): Promise<Identity | null> {
  return (await allUsers()).find((user) => user.name !== "" && user.uid === uid) ?? null;
}

/** The owner of a folder; null: the path is no folder, or a link. */
export async function ownerOf(folder: string): Promise<number | null> {
  const info = await Deno.lstat(folder).catch(() => null);
  return info?.isDirectory ? info.uid : null;
}

/**
 * The user that root gave a folder to; our own user when we are not root. Only for folders in a folder of root's: no
 * other user can then put a folder of another owner in its place.
 * @throws {Error} when root has given the folder to no user.
 */
export async function recordedUser(folder: string): Promise<Identity> {
  if (!isRoot()) return await currentUser();
  const uid = await ownerOf(folder);
  if (!uid) throw new Error(`${folder} has no user of its own yet`);
  return await userOf(uid) ?? numberedUser(uid);
}

/** The command line that runs a program as a user, without groups and without a way to more rights. */
export function commandAs({ uid, gid }: Identity, argv: string[]): string[] {
  const become = isRoot() ? [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"] : [];
  return ["/usr/bin/setpriv", ...become, "--no-new-privs", "--", ...argv];
}

/** The command line that runs a program with the rights of a folder's owner. @throws {Error} when there is no folder. */
export async function commandAsOwner(folder: string, argv: string[]): Promise<string[]> {
  const { uid, gid, isDirectory } = await Deno.lstat(folder);
  if (!isDirectory) throw new Error(`${folder} is not a folder`);
  return isRoot() && uid !== 0 ? commandAs({ name: String(uid), uid: uid!, gid: gid! }, argv) : argv;
}

/** Whether `user` may walk into `path` (search permission on it and all above it). Missing parts count as walkable. */
export async function canReach(user: Identity, path: string): Promise<boolean> {
  for (let at = path;; at = dirname(at)) {
    const info = await Deno.stat(at).catch(() => null);
    if (info) {
      const mode = info.mode ?? 0;
      const bit = info.uid === user.uid ? 0o100 : info.gid === user.gid ? 0o010 : 0o001;
      if (user.uid !== 0 && (mode & bit) === 0) return false;
    }
    if (at === dirname(at)) return true;
  }
}

/** Numbers of users, both ends included. */
export interface UidRange {
  first: number;
  last: number;
}

export function isInRange({ first, last }: UidRange, uid: number): boolean {
  return uid >= first && uid <= last;
}

/**
 * A free number. The search begins at a place that `owner` decides, as systemd's DynamicUser does, so that two services
 * on one machine, and a stream after its return, hardly ever meet on one number.
 * @param owner the later owner of the number, such as a folder; null: the place is any, where it is not known who owns
 * files, so that nobody leaves files for a certain owner. @throws {Error} when all numbers are taken.
 */
export async function pickUid(
  range: UidRange,
  owner: string | null,
  taken: ReadonlySet<number>,
): Promise<number> {
  const count = range.last - range.first + 1;
  const place = new TextEncoder().encode(owner ?? crypto.randomUUID());
  const digest = await crypto.subtle.digest("SHA-256", place);
  const start = new DataView(digest).getUint32(0) % count;
  for (let step = 0; step < count; step++) {
    const uid = range.first + (start + step) % count;
    if (!taken.has(uid)) return uid;
  }
  throw new Error(
    `all ${count} users of ${range.first}-${range.last} are taken; UID_RANGE can be made longer`,
  );
}

/** The process's real, effective and saved user, from /proc; empty: the process has ended. */
export function usersOfProcess(pid: number): number[] {
  try {
    const line = /^Uid:\s+(\d+)\s+(\d+)\s+(\d+)/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`));
    return line ? line.slice(1).map(Number) : [];
  } catch {
    return [];
  }
}

/** All processes with their users. */
export function* processUsers(): Generator<{ pid: number; uids: number[] }> {
  for (const { name } of Deno.readDirSync("/proc")) {
    const pid = Number(name);
    if (Number.isInteger(pid)) yield { pid, uids: usersOfProcess(pid) };
  }
}

/** The process of a user that runs a program, of several the one with the highest number; null: there is no such process. */
export function processOf(uid: number, program: string): number | null {
  const found = [...processUsers()].filter(({ pid, uids }) => {
    if (uids.length === 0 || uids.some((one) => one !== uid)) return false;
    try {
      return Deno.readTextFileSync(`/proc/${pid}/comm`).trim() === program;
    } catch {
      return false;
    }
  });
  return found.at(-1)?.pid ?? null;
}

/**
 * Debian's folders in which every user may make files: the next user with the same number would own files that are left there.
 */
export const EVERYBODYS_FOLDERS: readonly string[] = [
  "/tmp",
  "/var/tmp",
  "/dev/shm",
  "/dev/mqueue",
  "/run/lock",
  ...[".X11-unix", ".ICE-unix", ".XIM-unix", ".font-unix"].map((name) => `/tmp/${name}`),
];

/** Users that were seen to run or own something. */
export interface SeenUsers {
  uids: Set<number>;
  /** Whether all of their files were looked at. */
  isWhole: boolean;
}

/** How far a search among files goes: every user can make millions of files. */
export interface SearchLimits {
  files: number;
  ms: number;
}

/** For the log, when a search was not whole. */
export const MANY_FILES = "too many files to see whose they are: new users get numbers at random";

const SEARCH: SearchLimits = { files: 100_000, ms: 5000 };

/**
 * The users of a range that run a process, or own an entry of one of the folders. Another process looks at the files,
 * since Deno has all names of a folder in memory before it gives the first one.
 */
export async function usersOf(
  range: UidRange,
  folders: readonly string[],
  limits: SearchLimits = SEARCH,
): Promise<SeenUsers> {
  const uids = new Set<number>();
  for (const { uids: some } of processUsers()) {
    for (const uid of some) if (isInRange(range, uid)) uids.add(uid);
  }
  const entries = ["-mindepth", "1", "-maxdepth", "1"];
  const ours = ["-uid", `+${range.first - 1}`, "-uid", `-${range.last + 1}`];
  const argv = ["/usr/bin/find", ...folders, ...entries, ...ours, "-printf", "%U\n"];
  const signal = AbortSignal.timeout(limits.ms);
  let [files, rest] = [0, ""];
  const text = new TextDecoder();
  for await (const part of readOutput(argv, { signal, clearEnv: true, cwd: "/" })) {
    const lines = (rest + text.decode(part)).split("\n"); // digits alone: no letter lies in two parts
    rest = lines.pop()!;
    for (const line of lines) uids.add(Number(line));
    files += lines.length;
    if (files > limits.files) return { uids, isWhole: false };
  }
  return { uids, isWhole: !signal.aborted };
}
