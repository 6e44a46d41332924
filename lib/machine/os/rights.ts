/** Work in a folder of another user's with that user's rights alone. */
import { actAs, isRoot } from "./exec.ts";

/**
 * Runs `work` in a folder with the rights of the folder's owner: a link that the owner puts there leads us no further
 * than the owner. We work in the folder itself, not at its path, so that it may lie where only root gets to.
 * @param work gets the folder's path; must not go on after it has returned.
 * @throws {Error} when there is no folder, or another folder took its place while we entered it.
 */
export function withRightsOf<Result>(folder: string, work: (here: string) => Result): Result {
  const { uid, gid, ino, dev, isDirectory } = Deno.lstatSync(folder);
  if (!isDirectory) throw new Error(`${folder} is not a folder`);
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
