/** Names in folders of all users, such as /tmp, that another user has taken before us. */
import { dirname, join } from "node:path";
import { cString, isRoot } from "./exec.ts";
import { log } from "../system/log.ts";

/** Deno has no exchange of two names; libc has. */
const libc = Deno.dlopen("libc.so.6", {
  renameat2: { parameters: ["i32", "buffer", "i32", "buffer", "u32"], result: "i32" },
});

/** Source: fcntl.h and linux/fs.h */
const AT_FDCWD = -100;
const RENAME_EXCHANGE = 2;

/** An exchange fails in the moment in which the other user has nothing there. */
const TRIES = 100;

/**
 * As root, puts a new folder in the place of another user's entry, which stays beside it under another name. Both change
 * places at once: after a removal that user could be faster than we are.
 * @returns false when nothing there is another user's, or the kernel refuses, as where something is mounted.
 */
export async function takePlace(path: string): Promise<boolean> {
  if (!isRoot()) return false;
  const there = await Deno.lstat(path).catch(() => null);
  if (there === null || there.uid === 0) return false;
  const other = join(dirname(path), `.left-${crypto.randomUUID().slice(0, 8)}`);
  await Deno.mkdir(other, { mode: 0o755 });
  for (let left = TRIES; left > 0; left--) {
    // without an exchange it takes the place of nothing, or of an empty folder
    if (!rename(other, path, RENAME_EXCHANGE) && !rename(other, path, 0)) continue;
    log("warn", "another user's entry in the place of a folder of ours was set aside", {
      path,
      user: there.uid,
      now: other,
    });
    return true;
  }
  await Deno.remove(other);
  return false;
}

function rename(from: string, to: string, how: number): boolean {
  return libc.symbols.renameat2(AT_FDCWD, cString(from), AT_FDCWD, cString(to), how) === 0;
}
