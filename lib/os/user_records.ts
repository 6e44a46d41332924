/**
 * Which service of this machine has which number for a user of its own. Root's records say so, and not what a process has
 * in its environment, which is its own to change: what a user of ours runs is ended by its number, whatever it looks like.
 */
import { join } from "node:path";
import { Semaphore } from "../system/concurrency.ts";
import { lockOwner } from "./file_lock.ts";
import { ensureFolder, readOrNull, removeTree, writeFileAtomic } from "./files.ts";
import { errorText, log } from "../system/log.ts";
import { endUser } from "./orphans.ts";

/** Only root can put anything there, and it goes with the machine's next start. */
const FOLDER = "/run/browser-stream-users";

/** Users whose processes are ended at once. */
const AT_ONCE = 8;

/** The users whose numbers a run has. */
export interface Owner {
  runDir: string;
  /** The file that `up` keeps locked while it runs. */
  upLock: string;
}

export class UserRecords {
  #owner: Owner;
  #folder: string;
  /** Those of this run. */
  #kept = new Set<number>();

  /** @param folder tests have their own. */
  constructor({ runDir, upLock }: Owner, folder = FOLDER) {
    this.#owner = { runDir, upLock };
    this.#folder = folder;
  }

  /** Records that a number is ours from now on; where nothing can be written, other services do not know it. */
  async keep(uid: number): Promise<void> {
    this.#kept.add(uid);
    try {
      await ensureFolder(this.#folder, 0o755);
      await writeFileAtomic(this.#file(uid), JSON.stringify(this.#owner));
    } catch (error) {
      log("warn", "a user's number is not recorded", { user: uid, error: errorText(error) });
    }
  }

  /** Whether another service that runs has the number. One that was killed has none any more. */
  async isOthers(uid: number): Promise<boolean> {
    const owner = await this.#ownerOf(uid);
    if (owner === null || owner.runDir === this.#owner.runDir) return false;
    return await lockOwner(owner.upLock).catch(() => null) !== null;
  }

  /** The numbers that other services have. */
  async others(): Promise<Set<number>> {
    const found = new Set<number>();
    for (const uid of await this.#all()) if (await this.isOthers(uid)) found.add(uid);
    return found;
  }

  /** Ends what a user runs that is not another service's. @returns false when something of it cannot be ended. */
  async end(uid: number): Promise<boolean> {
    return await this.isOthers(uid) || await endUser(uid);
  }

  /** Ends what all users of this service run, those of an earlier run of it, too. */
  async endAll(): Promise<void> {
    const some = new Semaphore(AT_ONCE);
    await Promise.all((await this.#ours()).map((uid) => some.run(() => this.end(uid))));
  }

  /** Removes the records of users who run nothing any more. */
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
    const recorded = uids.filter((_, at) => owners[at]?.runDir === this.#owner.runDir);
    return [...new Set([...this.#kept, ...recorded])];
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
