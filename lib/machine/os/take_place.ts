/** Names in folders of all users, such as /tmp, that another user has taken before us. */
import { dirname, join } from "node:path";
import { cString, isRoot } from "./exec.ts";
import { log } from "../tools/log.ts";

/** Deno has no exchange of two names; libc has. */
const libc = Deno.dlopen("libc.so.6", {
  renameat2: { parameters: ["i32", "buffer", "i32", "buffer", "u32"], result: "i32" },
});

/** Source: fcntl.h and linux/fs.h */
const AT_FDCWD = -100;
const RENAME_EXCHANGE = 2;

/** An exchange fails in the moment in which the other user has nothing there. */
const TRIES = 100;

/** Whether we are root, and what is at a path is another user's. */
async function isTaken(path: string): Promise<boolean> {
  const there = isRoot() ? await Deno.lstat(path).catch(() => null) : null;
  return there !== null && there.uid !== 0;
}

function nameAside(path: string): string {
  return join(dirname(path), `.left-${crypto.randomUUID().slice(0, 8)}`);
}

function tellAside(path: string, now: string): void {
  log("warn", "another user's entry in the place of ours was set aside", { path, now });
}

/** As root, gives another user's entry another name beside its own. @returns false when there is none. */
export async function setAside(path: string): Promise<boolean> {
  if (!await isTaken(path)) return false;
  const now = nameAside(path);
  await Deno.rename(path, now);
  tellAside(path, now);
  return true;
}

/**
 * As root, puts a new folder in the place of another user's entry, which stays beside it under another name. Both change
 * places at once: after a removal that user could be faster than we are.
 * @returns false when nothing there is another user's, or the kernel refuses, as where something is mounted.
 */
export async function takePlace(path: string): Promise<boolean> {
  if (!await isTaken(path)) return false;
  const other = nameAside(path);
  await Deno.mkdir(other, { mode: 0o755 });
  for (let left = TRIES; left > 0; left--) {
    // without an exchange it takes the place of nothing, or of an empty folder
    if (!rename(other, path, RENAME_EXCHANGE) && !rename(other, path, 0)) continue;
    tellAside(path, other);
    return true;
  }
  await Deno.remove(other);
  return false;
}

function rename(from: string, to: string, how: number): boolean {
  return libc.symbols.renameat2(AT_FDCWD, cString(from), AT_FDCWD, cString(to), how) === 0;
}
