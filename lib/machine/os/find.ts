/** Lists of files by find, which needs no memory for a folder of any size, and whose list has a limit. */
import { runBytes } from "./process.ts";
import { commandAsOwner } from "./users.ts";

export interface FindLimits {
  /** Bytes of the list. */
  maxList: number;
  timeoutMs: number;
}

/** Runs find in a folder. @returns what it prints. @throws {Error} beyond the limits. */
export function find(
  folder: string,
  args: readonly string[],
  limits: FindLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  return output(folder, ["/usr/bin/find", ...args], limits);
}

async function output(
  folder: string,
  argv: string[],
  { maxList, timeoutMs }: FindLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  const { code, stdout, stderr } = await runBytes(argv, {
    timeoutMs,
    cwd: folder,
    clearEnv: true,
    maxOutput: maxList,
  });
  if (code === 0) return stdout;
  const said = stderr.trim().split("\n")[0];
  throw /Permission denied$/.test(said) ? new Deno.errors.PermissionDenied(said) : new Error(said);
}

/**
 * What find prints of a folder, in pieces that end with NUL, with the rights of the folder's owner.
 * @param tests for paths that begin with "." @param format of a piece. @throws {Error} when there is no folder, or beyond the limits.
 */
export async function findBelow(
  folder: string,
  tests: readonly string[],
  limits: FindLimits,
  format = "%P",
): Promise<string[]> {
  const args = [".", "-ignore_readdir_race", ...tests, "-printf", `${format}\\0`];
  const argv = await commandAsOwner(folder, ["/usr/bin/find", ...args]);
  const found = await output(folder, argv, limits);
  return new TextDecoder().decode(found).split("\0").filter(Boolean);
}
