/**
 * The services of this machine, and the numbers of their own users. Root's records count, and not the environment of a
 * process, which the process can change: the processes of our users are ended by the user's number.
 */
import { join } from "node:path";
import { Semaphore } from "../tools/concurrency.ts";
import { lockOwner } from "./file_lock.ts";
import { ensureFolder, namesIn, readOrNull, removeTree, writeFileAtomic } from "./files.ts";
import { errorText } from "../tools/log.ts";
import { endUser } from "./orphans.ts";
import { removeTable } from "./packet_filter.ts";
import { processUsers } from "./users.ts";

/** Only root can write there, and the folder is gone after the machine's next start. */
export const RECORDS_FOLDER = "/run/browser-stream-users";

/** Users whose processes are ended at once. */
const AT_ONCE = 8;

/** The run that has the numbers of users. */
export interface Owner {
  runDir: string;
  /** The file that `up` keeps locked while it runs. */
  upLock: string;
  /** Its table of the kernel's packet filter; older records have none. */
  filterTable?: string;
}

/** Whether a run goes on; a run whose lock cannot be examined does. A run whose lock is gone has ended. */
function isRunning({ upLock }: Owner): Promise<boolean> {
  return lockOwner(upLock).then(
    (owner) => owner !== null,
    (error) => !(error instanceof Deno.errors.NotFound),
  );
}

/** A record that cannot be read: the number may be another service's. */
const UNREADABLE = "unreadable";

/** The record of a number; null: there is none. */
type Recorded = Owner | typeof UNREADABLE | null;

/** @throws {Error} when the text is not a record. */
function parseRecord(text: string): Owner {
  const { runDir, upLock, filterTable } = JSON.parse(text);
  if (typeof runDir !== "string" || typeof upLock !== "string") throw new Error("it is no record");
  return { runDir, upLock, filterTable };
}

export class UserRecords {
  #owner: Owner;
  #folder: string;
  /** The numbers of this run's users. */
  #kept = new Set<number>();

  #removeTable: (table: string) => Promise<void>;

  /** @param folder, remove tests have their own. */
  constructor(
    { runDir, upLock, filterTable }: Owner,
    folder = RECORDS_FOLDER,
    remove = removeTable,
  ) {
    this.#owner = { runDir, upLock, filterTable };
    this.#folder = folder;
    this.#removeTable = remove;
  }

  /**
   * Records that a number is ours from now on. @throws {Error} when the record cannot be written: other services would
   * not know of it, and give their users the same number.
   */
  async keep(uid: number): Promise<void> {
    try {
      const before = await this.#ownerOf(uid);
      if (before !== null && !this.#isOurs(before)) await this.clearKilled();
      await this.#write(uid);
    } catch (error) {
      throw new Error(`the number of user ${uid} cannot be recorded: ${errorText(error)}`);
    }
    this.#kept.add(uid);
  }

  /** Writes records of this run anew that are gone, or say something else. @returns whether there were any. @throws {Error} */
  async look(): Promise<boolean> {
    let isUndone = false;
    for (const uid of this.#kept) {
      if (this.#isOurs(await this.#ownerOf(uid))) continue;
      isUndone = true;
      await this.#write(uid);
    }
    return isUndone;
  }

  async #write(uid: number): Promise<void> {
    await ensureFolder(this.#folder, 0o755);
    await writeFileAtomic(this.#file(uid), JSON.stringify(this.#owner));
  }

  /** Whether another running service has the number, or may have it. A killed service has no numbers any more. */
  async isOthers(uid: number): Promise<boolean> {
    const owner = await this.#ownerOf(uid);
    if (owner === UNREADABLE) return !this.#kept.has(uid);
    return owner !== null && !this.#isOurs(owner) && await isRunning(owner);
  }

  /**
   * Removes the kernel's rules of services that were killed, and of whose users nothing runs: the rules would hold for
   * whoever gets their ports and numbers next.
   */
  async clearKilled(): Promise<void> {
    const [busy, kept] = [
      new Set(processUsers().flatMap(({ uids }) => uids)),
      new Set([this.#owner.filterTable]),
    ];
    const killed = new Set<string>();
    for (const uid of await this.#all()) {
      const owner = await this.#ownerOf(uid);
      if (owner === null || owner === UNREADABLE || !owner.filterTable || this.#isOurs(owner)) continue;
      (busy.has(uid) || await isRunning(owner) ? kept : killed).add(owner.filterTable);
    }
    for (const table of killed.difference(kept)) await this.#removeTable(table);
  }

  /** The numbers that other services have. */
  async others(): Promise<Set<number>> {
    const found = new Set<number>();
    for (const uid of await this.#all()) if (await this.isOthers(uid)) found.add(uid);
    return found;
  }

  /** Ends the processes of a user that no other service has. @returns false when a process cannot be ended. */
  async end(uid: number): Promise<boolean> {
    return await this.isOthers(uid) || await endUser(uid);
  }

  /** Ends the processes of all users of this service, also of its earlier runs' users. */
  async endAll(): Promise<void> {
    const some = new Semaphore(AT_ONCE);
    await Promise.all((await this.#ours()).map((uid) => some.run(() => this.end(uid))));
  }

  /** Removes the records of this service's users, which run nothing any more. */
  async forgetAll(): Promise<void> {
    for (const uid of await this.#ours()) await removeTree(this.#file(uid)).catch(() => {});
    this.#kept.clear();
  }

  async #all(): Promise<number[]> {
    return (await namesIn(this.#folder)).map(Number).filter(Number.isInteger);
  }

  async #ours(): Promise<number[]> {
    const uids = await this.#all();
    const owners = await Promise.all(uids.map((uid) => this.#ownerOf(uid)));
    const recorded = uids.filter((_, at) => this.#isOurs(owners[at]));
    return [...new Set([...this.#kept, ...recorded])];
  }

  #isOurs(owner: Recorded): boolean {
    return owner !== null && owner !== UNREADABLE && owner.runDir === this.#owner.runDir;
  }

  async #ownerOf(uid: number): Promise<Recorded> {
    try {
      const text = await readOrNull(this.#file(uid));
      return text === null ? null : parseRecord(text);
    } catch {
      return UNREADABLE;
    }
  }

  #file(uid: number): string {
    return join(this.#folder, String(uid));
  }
}
