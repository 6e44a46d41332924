/** Watches the room on the disks of DATA_DIR and RUN_DIR, and warns of little room. */
import { isShort, type Space } from "../machine/os/disk.ts";
import { errorText, log } from "../machine/tools/log.ts";
import type { Part } from "../machine/tools/part.ts";
import { Loop } from "../machine/tools/time.ts";
import type { Timings } from "../timings.ts";

/** A folder whose disk is watched. */
export interface WatchedFolder {
  name: "DATA_DIR" | "RUN_DIR";
  path: string;
}

type Limits = Pick<Timings, "disk">;

export interface DiskWatchParts {
  folders: readonly WatchedFolder[];
  space(path: string): Promise<Space>;
  /** Keeps room for the files that must be written on a full disk. */
  reserve: { keep(): Promise<void> };
  limits: Limits;
}

const MEGABYTE = 1_000_000;

const ADVICE: Record<WatchedFolder["name"], string> = {
  DATA_DIR: "When it is full, settings and pages' logins are no longer saved. " +
    "Delete other files on this disk, or streams whose pages store much.",
  RUN_DIR: "When it is full, channels stop. " +
    "Stop streams, or make the disk larger (for a container's /dev/shm, Docker's shm-size).",
};

/** The problem of the room on a folder's disk, for people; null: there is enough. Pure. */
export function spaceProblem(name: WatchedFolder["name"], space: Space, { disk }: Limits): string | null {
  const { totalBytes, freeBytes, totalFiles, freeFiles } = space;
  const isLow = isShort(space, disk);
  const isOutOfFiles = totalFiles > 0 && freeFiles < totalFiles * disk.leastFreeFilesPercent / 100;
  if (!isLow && !isOutOfFiles) return null;
  const free = isLow
    ? `${sizeText(freeBytes)} of ${sizeText(totalBytes)} are free`
    : `${freeFiles} more files fit`;
  return `The disk of ${name} is nearly full: ${free}. ${ADVICE[name]}`;
}

/** "120 MB", "1.5 GB" */
function sizeText(bytes: number): string {
  const megabytes = bytes / MEGABYTE;
  return megabytes < 1000 ? `${Math.round(megabytes)} MB` : `${Number((megabytes / 1000).toFixed(1))} GB`;
}

export class DiskWatch implements Part {
  #parts: DiskWatchParts;
  #loop = new Loop("the disks could not be read");
  #problems = new Map<WatchedFolder["name"], string>();
  #spaces = new Map<WatchedFolder["name"], Space>();

  constructor(parts: DiskWatchParts) {
    this.#parts = parts;
  }

  /** Whether a folder's disk is nearly full. */
  isLow(name: WatchedFolder["name"]): boolean {
    return this.#problems.has(name);
  }

  /** The problems of the disks, for people. */
  problems(): string[] {
    return [...this.#problems.values()];
  }

  /** The room on each folder's disk at the last look. */
  spaces(): { folder: WatchedFolder["name"]; totalBytes: number; freeBytes: number }[] {
    return Array.from(
      this.#spaces,
      ([folder, { totalBytes, freeBytes }]) => ({ folder, totalBytes, freeBytes }),
    );
  }

  start(): void {
    this.#loop.start(this.#parts.limits.disk.checkMs, () => this.round());
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async round(): Promise<void> {
    const { folders, space, reserve, limits } = this.#parts;
    for (const { name, path } of folders) {
      try {
        const seen = await space(path);
        this.#spaces.set(name, seen);
        const problem = spaceProblem(name, seen, limits);
        if (problem && !this.#problems.has(name)) {
          log("warn", "the disk is nearly full", { what: name, problem });
        }
        if (!problem && this.#problems.has(name)) log("info", "the disk has room again", { what: name });
        if (problem) this.#problems.set(name, problem);
        else this.#problems.delete(name);
      } catch (error) {
        this.#spaces.delete(name);
        log("debug", "a disk could not be read", { what: name, error: errorText(error) });
      }
    }
    if (!this.isLow("DATA_DIR")) await reserve.keep();
  }
}
