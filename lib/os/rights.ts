/** Work in a folder of another user's with that user's rights alone. */
import { actAs, isRoot } from "./exec.ts";

/**
 * Does something in a folder as whom it belongs to: whatever link that user puts there meanwhile leads us no further than
 * that user. We are in the folder itself, not at its path, so that it may lie where only root gets to.
 * @param work gets the folder's path; must not go on after it has returned.
 * @throws {Error} when there is no folder, or another one took its place while it was entered.
 */
export function withRightsOf<Result>(folder: string, work: (here: string) => Result): Result {
  const { uid, gid, ino, dev, isDirectory } = Deno.lstatSync(folder);
  if (!isDirectory) throw new Error(`${folder} is no folder`);
  if (!isRoot() || uid === Deno.uid()) return work(folder);
  const before = Deno.cwd();
  Deno.chdir(folder);
  try {
    const here = Deno.statSync(".");
    if (here.ino !== ino || here.dev !== dev) throw new Error(`${folder} was replaced meanwhile`);
    return actAs({ name: String(uid), uid: uid!, gid: gid! }, () => work("."));
  } finally {
    Deno.chdir(before);
  }
}
