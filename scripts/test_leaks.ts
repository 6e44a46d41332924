/** Remains that a run of the tests must not leave on the machine. */
import { existsSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { RUN_MARKER } from "../lib/machine/os/orphans.ts";
import { RECORDS_FOLDER } from "../lib/machine/os/user_records.ts";

/** Files in memory. */
const MEMORY = "/dev/shm";
/** Bytes: the temporary files of a whole run have 137 MB at most. */
const ROOM_BYTES = 2 ** 30;
const X_LOCK = /^\.X\d+-lock$/;

/** The temporary files and other remains of a run of the tests. */
export class TestRun implements AsyncDisposable {
  /** Part of the names of all run directories. */
  readonly id = crypto.randomUUID().slice(0, 8);
  /** The folder of temporary files; gone after the run. */
  readonly folder: string;
  readonly #locksBefore: string[];
  readonly #slotsBefore: string[];

  constructor() {
    const dir = isRoomy(MEMORY) ? MEMORY : undefined;
    this.folder = Deno.makeTempDirSync({ dir, prefix: "bs-tests-" });
    Deno.chmodSync(this.folder, 0o755); // the services' users have data in it
    this.#locksBefore = locks();
    this.#slotsBefore = staleSlots();
  }

  /** The environment of `deno test`. */
  get env(): Record<string, string> {
    return { TMPDIR: this.folder, TEST_RUN: this.id };
  }

  /** A line for each process, file, lock and number of a user that is left. */
  leaks(): string[] {
    const runDir = `/dev/shm/bs-test-${this.id}`;
    const ofRun = names("/dev/shm").filter((name) => name.startsWith(`bs-test-${this.id}`));
    const temporary = names(this.folder).filter((name) => name.startsWith("bs-"));
    const newLocks = locks().filter((name) => !this.#locksBefore.includes(name) && isOwnerDead(name));
    return [
      ...markedProcesses(`${RUN_MARKER}=${runDir}`).map((pid) => `process ${pid}`),
      ...ofRun.map((name) => `/dev/shm/${name}`),
      ...staleSlots().filter((name) => !this.#slotsBefore.includes(name)).map((name) => `/dev/shm/${name}`),
      ...temporary.map((name) => join(this.folder, name)),
      ...newLocks.map((name) => `/tmp/${name}`),
      ...recordsOf(runDir).map((name) => join(RECORDS_FOLDER, name)),
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder, { recursive: true });
  }
}

/**
 * Whether a folder of files in memory can have those of a run. They are made and removed by the ten thousand, which takes a
 * disk's file system 5 to 10 % of the processors' time. A container's has little room, and runs no programs.
 */
function isRoomy(folder: string): boolean {
  const options = textOf("/proc/self/mounts").match(new RegExp(`^tmpfs ${folder} tmpfs (\\S+)`, "m"))?.[1];
  if (options === undefined || options.split(",").includes("noexec")) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= ROOM_BYTES;
}

function names(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name);
}

function locks(): string[] {
  return names("/tmp").filter((name) => X_LOCK.test(name));
}

/** Whether a lock's display has ended; the display of another program runs on. */
function isOwnerDead(lock: string): boolean {
  try {
    const pid = Number(Deno.readTextFileSync(`/tmp/${lock}`));
    return !names("/proc").includes(String(pid));
  } catch {
    return false; // its display has ended and removed it just now
  }
}

function staleSlots(): string[] {
  return names("/dev/shm").filter(isStaleSlot);
}

/** Whether a reservation of ports and displays stands without an owner. */
function isStaleSlot(name: string): boolean {
  if (!/^bs-test-slot-\d+\.lock$/.test(name)) return false;
  try {
    using file = Deno.openSync(`/dev/shm/${name}`, { write: true });
    return file.tryLockSync(true);
  } catch {
    return false; // removed just now
  }
}

/** Numbers of users that are recorded for services of the run; no service of root's has recorded any where there is no folder. */
function recordsOf(runDir: string): string[] {
  if (!existsSync(RECORDS_FOLDER)) return [];
  return names(RECORDS_FOLDER).filter((name) => textOf(join(RECORDS_FOLDER, name)).includes(runDir));
}

/** Processes with an environment variable that begins with the marker. */
function markedProcesses(marker: string): number[] {
  return names("/proc").map(Number).filter(Number.isInteger)
    .filter((pid) => textOf(`/proc/${pid}/environ`).split("\0").some((one) => one.startsWith(marker)));
}

/** A file's text; none of what is gone by now, or another user's. */
function textOf(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}
