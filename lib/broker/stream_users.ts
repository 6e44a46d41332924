/**
 * The user of each stream: a number without an entry in /etc/passwd. The number's record is the owner of the stream's
 * profile, which lies in a folder of root's; so no other stream gets a number that still owns files.
 */
import { join } from "node:path";
import type { StreamId } from "../model/id.ts";
import type { Identity } from "../os/exec.ts";
import { ensureFolder, giveTree, removeTree } from "../os/files.ts";
import { log } from "../system/log.ts";
import type { UserRecords } from "../os/user_records.ts";
import { isInRange, numberedUser, ownerOf, pickUid, type UidRange, usersOf } from "../os/users.ts";

export interface StreamUsers {
  /** The stream's user; null before `ensure`. */
  of(id: StreamId): Promise<Identity | null>;
  /** Gives the stream a user and a profile, and takes over a profile of an earlier version. */
  ensure(id: StreamId): Promise<Identity>;
  /** Makes an empty profile for a user. */
  makeProfile(id: StreamId, uid: number): Promise<void>;
  /** Ends all processes of the stream's user, whatever their names and environments. */
  endProcesses(id: StreamId): Promise<void>;
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
    const uid = await pickUid(this.#range, profile, await this.#taken());
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

  #profile(id: StreamId): string {
    return join(this.#profilesDir, id);
  }

  #makeFolder(profile: string, uid: number): Promise<void> {
    return ensureFolder(profile, PROFILE_MODE, numberedUser(uid));
  }

  #isForStreams(uid: number): boolean {
    return isInRange(this.#range, uid) && !this.#others.has(uid);
  }

  /** Users that run a process, own a file where our users could, or belong to a service of this machine. */
  async #taken(): Promise<Set<number>> {
    const found = await usersOf([this.#profilesDir, "/tmp", "/tmp/.X11-unix", "/dev/shm"]);
    return found.union(this.#others).union(await this.#records.others());
  }
}
