/** The display of each running stream: no two share one, and none is somebody else's. */
import { displayLock, DISPLAYS, isDisplayBlocked, isDisplayHeld, lockOwner } from "../pipeline/display.ts";
import type { StreamId } from "../model/id.ts";

export interface Slot {
  display: number;
}

/**
 * Whether an X server of somebody else has the display. A lock counts if the process that it names runs, and is of the
 * user who made the lock: every user can make one for each display, which nobody would have then.
 */
async function isDisplayTaken(display: number): Promise<boolean> {
  if (await isDisplayHeld(display) || await isDisplayBlocked(display)) return true;
  const lock = displayLock(display);
  const pid = await lockOwner(lock);
  if (pid === null) return false;
  const [file, process] = await Promise.all(
    [lock, `/proc/${pid}`].map((path) => Deno.lstat(path).catch(() => null)),
  );
  return process !== null && process.uid === file?.uid;
}

/** Whether nobody has the slot's display. */
export async function isSlotFree({ display }: Slot): Promise<boolean> {
  return !await isDisplayTaken(display);
}

export class Slots {
  #first: Slot;
  #isFree: (slot: Slot) => Promise<boolean>;
  #taken = new Map<StreamId, number>();

  /** @param first one less than the lowest number. */
  constructor(first: Slot, isFree: (slot: Slot) => Promise<boolean>) {
    this.#first = first;
    this.#isFree = isFree;
  }

  /** Takes over the slot of a stream that already runs. */
  adopt(id: StreamId, slot: Slot): void {
    this.#taken.set(id, slot.display - this.#first.display);
  }

  /** The stream's slot, or the first free one. @throws {Error} when 500 are taken. */
  async take(id: StreamId): Promise<Slot> {
    const own = this.#taken.get(id);
    if (own !== undefined) return this.#slot(own);
    for (let number = 1; number <= DISPLAYS; number++) {
      if ([...this.#taken.values()].includes(number)) continue;
      this.#taken.set(id, number); // before the await: nobody else may try it meanwhile
      const slot = this.#slot(number);
      let isFree = false;
      try {
        isFree = await this.#isFree(slot);
      } finally {
        if (!isFree) this.#taken.delete(id);
      }
      if (isFree) return slot;
    }
    const [first, last] = [this.#slot(1).display, this.#slot(DISPLAYS).display];
    throw new Error(`all displays from :${first} to :${last} are taken: set DISPLAY_BASE to another number`);
  }

  free(id: StreamId): void {
    this.#taken.delete(id);
  }

  #slot(number: number): Slot {
    return { display: this.#first.display + number };
  }
}
