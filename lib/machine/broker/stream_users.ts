/**
 * The user of each stream: a number without an entry in /etc/passwd. The number's record is the owner of the stream's
 * profile, which lies in a folder of root's; so no other stream gets a number that still owns files.
 */
import { join } from "node:path";
import type { StreamId } from "../../model/id.ts";
import type { Identity } from "../os/exec.ts";
import { ensureFolder, giveTree, removeTree } from "../os/files.ts";
import { errorText, log } from "../tools/log.ts";
import type { UserRecords } from "../os/user_records.ts";
import { runBytes } from "../os/process.ts";
import {
  commandAs,
  EVERYBODYS_FOLDERS,
  isInRange,
  MANY_FILES,
  numberedUser,
  ownerOf,
  pickUid,
  type UidRange,
  usersOf,
} from "../os/users.ts";

/** Milliseconds to remove the files of a user. */
const REMOVE_MS = 30_000;

/** Bytes of a program's complaints about such files. */
const MAX_OUTPUT = 1024 * 1024;

export interface StreamUsers {
  /** The stream's user; null before `ensure`. */
  of(id: StreamId): Promise<Identity | null>;
  /** Gives the stream a user and a profile, and takes over a profile of an earlier version. */
  ensure(id: StreamId): Promise<Identity>;
  /** Makes an empty profile for a user. */
  makeProfile(id: StreamId, uid: number): Promise<void>;
  /** Ends all processes of the stream's user, whatever their names and environments. */
  endProcesses(id: StreamId): Promise<void>;
  /** Removes the user's files from folders where every user may make files: another stream may get the number next. */
  removeFiles(id: StreamId): Promise<void>;
}

/** Profiles are for their user alone. */
const PROFILE_MODE = 0o700;

/** Without root: all streams have our own user. */
export class OneUser implements StreamUsers {
  #profilesDir: string;
  #me: Identity;

  constructor(profilesDir: string, me: Identity) {
    this.#profilesDir = profilesDir;
    this.#me = me;
  }

  of(): Promise<Identity> {
    return Promise.resolve(this.#me);
  }

  async ensure(id: StreamId): Promise<Identity> {
    await this.makeProfile(id);
    return this.#me;
  }

  async makeProfile(id: StreamId): Promise<void> {
    await Deno.mkdir(join(this.#profilesDir, id), { recursive: true, mode: 0o700 });
  }

  /** Does nothing: that user may run other programs. */
  endProcesses(): Promise<void> {
    return Promise.resolve();
  }

  /** Does nothing: that user may have other files. */
  removeFiles(): Promise<void> {
    return Promise.resolve();
  }
}

/** As root: each stream has a user of its own. */
export class UserPerStream implements StreamUsers {
  #profilesDir: string;
  #range: UidRange;
  #records: UserRecords;
  /** Users of the range that are no stream's. */
  #others: ReadonlySet<number>;

  /** @param records of this machine's services. @param shared the users of the shared programs. */
  constructor(profilesDir: string, range: UidRange, records: UserRecords, shared: readonly Identity[]) {
    this.#profilesDir = profilesDir;
    this.#range = range;
    this.#records = records;
    this.#others = new Set(shared.map(({ uid }) => uid));
  }

  async of(id: StreamId): Promise<Identity | null> {
    const uid = await ownerOf(this.#profile(id));
    return uid !== null && this.#isForStreams(uid) ? numberedUser(uid) : null;
  }

  async ensure(id: StreamId): Promise<Identity> {
    const profile = this.#profile(id);
    const owner = await ownerOf(profile);
    if (owner !== null && this.#isForStreams(owner) && !await this.#records.isOthers(owner)) {
      await this.#records.keep(owner);
      return numberedUser(owner);
    }
    const { uids, isWhole } = await usersOf(this.#range, [this.#profilesDir, ...EVERYBODYS_FOLDERS]);
    if (!isWhole) log("warn", MANY_FILES, { stream: id });
    const taken = uids.union(this.#others).union(await this.#records.others());
    const uid = await pickUid(this.#range, isWhole ? profile : null, taken);
    await this.#records.keep(uid);
    if (owner === null) {
      await this.makeProfile(id, uid);
    } else {
      await giveTree(profile, owner, numberedUser(uid));
      await this.#makeFolder(profile, uid);
      log("info", "profile taken over", { stream: id, from: owner, to: uid });
    }
    return numberedUser(uid);
  }

  async makeProfile(id: StreamId, uid: number): Promise<void> {
    const profile = this.#profile(id);
    await removeTree(profile); // the present entry is no folder
    await this.#makeFolder(profile, uid);
  }

  async endProcesses(id: StreamId): Promise<void> {
    const user = await this.of(id);
    if (user && !await this.#records.end(user.uid)) {
      log("warn", "a process does not end", { stream: id, user: user.uid });
    }
  }

  async removeFiles(id: StreamId): Promise<void> {
    const user = await this.of(id);
    if (!user || await this.#records.isOthers(user.uid)) return;
    // as that user, who may have put links there; while a file cannot be removed, no other stream gets the number
    const own = ["-mindepth", "1", "-maxdepth", "1", "-uid", String(user.uid)];
    const remove = ["-exec", "/bin/rm", "-rf", "--one-file-system", "--", "{}", "+"];
    const argv = commandAs(user, ["/usr/bin/find", ...EVERYBODYS_FOLDERS, ...own, ...remove]);
    await runBytes(argv, { timeoutMs: REMOVE_MS, clearEnv: true, cwd: "/", maxOutput: MAX_OUTPUT })
      .catch((error) => log("warn", "files of a user are left", { stream: id, error: errorText(error) }));
  }

  #profile(id: StreamId): string {
    return join(this.#profilesDir, id);
  }

  #makeFolder(profile: string, uid: number): Promise<void> {
    return ensureFolder(profile, PROFILE_MODE, numberedUser(uid));
  }

  #isForStreams(uid: number): boolean {
    return isInRange(this.#range, uid) && !this.#others.has(uid);
  }
}
