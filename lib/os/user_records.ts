/**
 * The services of this machine, and the numbers of their own users. Root's records count, and not the environment of a
 * process, which the process can change: the processes of our users are ended by the user's number.
 */
import { join } from "node:path";
import { Semaphore } from "../system/concurrency.ts";
import { lockOwner } from "./file_lock.ts";
import { ensureFolder, readOrNull, removeTree, writeFileAtomic } from "./files.ts";
import { errorText, log } from "../system/log.ts";
import { endUser } from "./orphans.ts";
import { PacketFilter } from "./packet_filter.ts";
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

function isRunning({ upLock }: Owner): Promise<boolean> {
  return lockOwner(upLock).then((owner) => owner !== null, () => false);
}

export class UserRecords {
  #owner: Owner;
  #folder: string;
  /** The numbers of this run's users. */
  #kept = new Set<number>();

  #removeTable: (table: string) => Promise<void>;

  /** @param folder, removeTable tests have their own. */
  constructor(
    { runDir, upLock, filterTable }: Owner,
    folder = RECORDS_FOLDER,
    removeTable = (table: string) => new PacketFilter(table).remove(),
  ) {
    this.#owner = { runDir, upLock, filterTable };
    this.#folder = folder;
    this.#removeTable = removeTable;
  }

  /** Records that a number is ours from now on; without a written record, other services do not know it. */
  async keep(uid: number): Promise<void> {
    this.#kept.add(uid);
    const before = await this.#ownerOf(uid);
    if (before && !this.#isOurs(before)) await this.clearKilled();
    try {
      await ensureFolder(this.#folder, 0o755);
      await writeFileAtomic(this.#file(uid), JSON.stringify(this.#owner));
    } catch (error) {
      log("warn", "a user's number is not recorded", { user: uid, error: errorText(error) });
    }
  }

  /** Whether another running service has the number. A killed service has no numbers any more. */
  async isOthers(uid: number): Promise<boolean> {
    const owner = await this.#ownerOf(uid);
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
      if (!owner?.filterTable || this.#isOurs(owner)) continue;
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
    const names = await Array.fromAsync(Deno.readDir(this.#folder), ({ name }) => name).catch(() => []);
    return names.map(Number).filter(Number.isInteger);
  }

  async #ours(): Promise<number[]> {
    const uids = await this.#all();
    const owners = await Promise.all(uids.map((uid) => this.#ownerOf(uid)));
    const recorded = uids.filter((_, at) => owners[at] && this.#isOurs(owners[at]));
    return [...new Set([...this.#kept, ...recorded])];
  }

  #isOurs({ runDir }: Owner): boolean {
    return runDir === this.#owner.runDir;
  }

  async #ownerOf(uid: number): Promise<Owner | null> {
    try {
      return JSON.parse(await readOrNull(this.#file(uid)) ?? "null");
    } catch {
      return null; // cut off
    }
  }

  #file(uid: number): string {
    return join(this.#folder, String(uid));
  }
}
