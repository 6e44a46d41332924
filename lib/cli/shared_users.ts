/** The users of the programs that all streams share. */
import type { SharedUsers } from "../broker/stream_folders.ts";
import { instanceName, pathsOf } from "../paths.ts";
import { type Config, uidRangeOf } from "../config.ts";
import { isRoot } from "../system/exec.ts";
import { currentUser, isInRange, numberedUser, ownerOf, pickUid, usersOf } from "../system/users.ts";

/**
 * Chooses the users: three of UID_RANGE that nobody has; ourselves when we are not root. The web app keeps the one that
 * the stream list belongs to.
 */
export async function chooseSharedUsers(config: Config): Promise<SharedUsers> {
  if (!isRoot()) {
    const me = await currentUser();
    return { web: me, media: me, vncProxy: me };
  }
  const paths = pathsOf(config);
  const range = uidRangeOf(config);
  const taken = await usersOf([paths.profilesDir, "/tmp", "/tmp/.X11-unix", "/dev/shm"]);
  const known = await ownerOf(paths.streamsDir);
  const isKept = known !== null && isInRange(range, known) && !taken.has(known);
  const pick = async (name: string) => {
    const uid = await pickUid(range, `${instanceName(config)} ${name}`, taken);
    taken.add(uid);
    return numberedUser(uid);
  };
  if (isKept) taken.add(known);
  const web = isKept ? numberedUser(known) : await pick("web");
  return { web, media: await pick("media"), vncProxy: await pick("vnc-proxy") };
}
