/** Lists of files by find, which needs no memory for a folder of any size, and whose list has a limit. */
import { type Identity, isRoot } from "../../os/exec.ts";
import { runBytes } from "../../os/process.ts";
import { commandAs } from "../../os/users.ts";
import { MAX_LIST } from "./contents.ts";

/** Runs find with a user's rights; null: with ours. @returns what it prints. @throws {Error} on more than `maxList` bytes. */
export async function find(
  user: Identity | null,
  folder: string,
  args: readonly string[],
  maxList = MAX_LIST,
): Promise<Uint8Array<ArrayBuffer>> {
  const argv = ["/usr/bin/find", ...args];
  const { code, stdout, stderr } = await runBytes(user ? commandAs(user, argv) : argv, {
    timeoutMs: 10 * 60_000,
    cwd: folder,
    clearEnv: true,
    maxOutput: maxList,
  });
  if (code === 0) return stdout;
  const said = stderr.trim().split("\n")[0];
  throw /Permission denied$/.test(said) ? new Deno.errors.PermissionDenied(said) : new Error(said);
}

/**
 * The paths that find prints in a folder, relative to it, with the rights of the folder's owner.
 * @throws {Error} when there is no folder, or more than `maxList` bytes.
 */
export async function findBelow(
  folder: string,
  tests: readonly string[],
  maxList?: number,
): Promise<string[]> {
  const { uid, gid, isDirectory } = await Deno.lstat(folder);
  if (!isDirectory) throw new Error(`${folder} is no folder`);
  const owner = isRoot() && uid !== 0 ? { name: String(uid), uid: uid!, gid: gid! } : null;
  const found = await find(
    owner,
    folder,
    [".", "-ignore_readdir_race", ...tests, "-printf", "%P\\0"],
    maxList,
  );
  return new TextDecoder().decode(found).split("\0").filter(Boolean);
}
