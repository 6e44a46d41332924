/** Display and DevTools port of each running stream: no two share one, and none is somebody else's. */
import { isDisplayUp } from "../pipeline/display.ts";

export interface Slot {
  display: number;
  devtoolsPort: number;
}

function isPortFree(port: number): boolean {
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return true;
  } catch {
    return false;
  }
}

/** Whether an X server of somebody else holds the display; a stale lock of a dead one does not count. */
async function isDisplayTaken(display: number): Promise<boolean> {
  if (await isDisplayUp(display)) return true;
  const lock = await Deno.readTextFile(`/tmp/.X${display}-lock`).catch(() => "");
  const pid = Number(lock.trim());
  return pid > 0 && await Deno.stat(`/proc/${pid}`).then(() => true, () => false);
}

export class Slots {
  #bases: Slot;
  #taken = new Map<string, number>();

  constructor(displayBase: number, devtoolsPortBase: number) {
    this.#bases = { display: displayBase, devtoolsPort: devtoolsPortBase };
  }

  /** Takes over the slot of a stream that already runs. */
  adopt(id: string, slot: Slot): void {
    this.#taken.set(id, slot.display - this.#bases.display);
  }

  /** The stream's slot, or the first free one. @throws {Error} when 500 are taken. */
  async take(id: string): Promise<Slot> {
    const own = this.#taken.get(id);
    if (own !== undefined) return this.#slot(own);
    for (let number = 1; number <= 500; number++) {
      if ([...this.#taken.values()].includes(number)) continue;
      this.#taken.set(id, number); // before the await: nobody else may try it meanwhile
      const slot = this.#slot(number);
      if (isPortFree(slot.devtoolsPort) && !await isDisplayTaken(slot.display)) return slot;
      this.#taken.delete(id);
    }
    throw new Error("no free display was found");
  }

  free(id: string): void {
    this.#taken.delete(id);
  }

  #slot(number: number): Slot {
    return { display: this.#bases.display + number, devtoolsPort: this.#bases.devtoolsPort + number };
  }
}
