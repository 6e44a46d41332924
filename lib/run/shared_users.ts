/** The users of the programs that all streams share. */
import type { SharedUsers } from "../machine/broker/stream_folders.ts";
import { instanceName, pathsOf } from "../paths.ts";
import { type Config, uidRangeOf } from "../config.ts";
import type { Identity } from "../machine/os/exec.ts";
import { run } from "../machine/os/process.ts";
import type { UserRecords } from "../machine/os/user_records.ts";
import {
  commandAs,
  currentUser,
  EVERYBODYS_FOLDERS,
  findUser,
  isInRange,
  MANY_FILES,
  numberedUser,
  ownerOf,
  pickUid,
  usersOf,
} from "../machine/os/users.ts";
import { errorText, log } from "../machine/tools/log.ts";
import { StartError } from "./start_error.ts";

/**
 * Chooses the users: five free users of UID_RANGE, and records them; our own user without records. The web app is the
 * user that WEB_USER names, or keeps the user that owns the stream list. @throws {StartError}
 */
export async function chooseSharedUsers(config: Config, records: UserRecords | null): Promise<SharedUsers> {
  if (!records) {
    const me = await currentUser();
    return { web: me, media: me, vncProxy: me, front: me, capture: me };
  }
  const paths = pathsOf(config);
  const range = uidRangeOf(config);
  const { uids, isWhole } = await usersOf(range, [paths.profilesDir, ...EVERYBODYS_FOLDERS]);
  if (!isWhole) log("warn", MANY_FILES);
  const taken = uids.union(await records.others());
  const keep = async (uid: number) => {
    taken.add(uid);
    await records.keep(uid).catch((error) => {
      throw new StartError(
        `${errorText(error)}\nIn a container whose files are read-only, /run has to be a tmpfs.`,
      );
    });
    return numberedUser(uid);
  };
  const pick = async (name: string) =>
    keep(await pickUid(range, isWhole ? `${instanceName(config)} ${name}` : null, taken));
  const known = await ownerOf(paths.streamsDir);
  const isFree = known !== null && isInRange(range, known) && !taken.has(known);
  const web = await namedWebUser(config) ?? (isFree ? await keep(known) : await pick("web"));
  taken.add(web.uid);
  await checkCanBecome(web);
  return {
    web,
    media: await pick("media"),
    vncProxy: await pick("vnc-proxy"),
    front: await pick("front"),
    capture: await pick("capture"),
  };
}

/** The user that WEB_USER names, or null. @throws {StartError} when there is no such user, or it is root. */
async function namedWebUser({ WEB_USER }: Config): Promise<Identity | null> {
  if (WEB_USER === "") return null;
  const user = await findUser(WEB_USER);
  if (user === null) {
    throw new StartError(
      `WEB_USER: there is no user ${WEB_USER}. Make it:\n\n  ${howToMakeUser(WEB_USER)}\n`,
    );
  }
  if (user.uid === 0) {
    throw new StartError(
      `WEB_USER: ${WEB_USER} is root. Programs that read from the network must not run as root.`,
    );
  }
  return user;
}

/** Pure. */
export function howToMakeUser(name: string): string {
  return `useradd --system --user-group --no-create-home --shell /usr/sbin/nologin ${name}`;
}

/** @throws {StartError} in a container whose root has no such users. */
async function checkCanBecome(user: Identity): Promise<void> {
  const { code, stderr } = await run(commandAs(user, ["/bin/true"]), { timeoutMs: 5000, cwd: "/" });
  if (code === 0) return;
  throw new StartError(
    `Root cannot become user ${user.uid} here (${stderr.trim()}). Set UID_RANGE to users that this container has, or\n` +
      "start the service as a normal user.",
  );
}
