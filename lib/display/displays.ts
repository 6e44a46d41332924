/** The displays of the running streams: no two streams share a display, and no display is another program's. */
import { DISPLAYS } from "./display.ts";

export class Displays {
  #base: number;
  #isFree: (display: number) => Promise<boolean>;
  #taken = new Set<number>();
  #avoided = new Set<number>();
  #known: Promise<unknown> = Promise.resolve();

  /** @param base one less than the lowest number. @param isFree whether no other program here has a display. */
  constructor(base: number, isFree: (display: number) => Promise<boolean>) {
    this.#base = base;
    this.#isFree = isFree;
  }

  /** Gives no display away before `known`: the displays of running streams are not known yet. */
  opensAfter(known: Promise<unknown>): void {
    this.#known = known.catch(() => {});
  }

  /** Takes over the display of a stream that already runs. */
  adopt(display: number): void {
    this.#taken.add(display);
  }

  /** Another user took it from a stream, and may do so again: all others are given before it. */
  avoid(display: number): void {
    this.#avoided.add(display);
  }

  /** The first free display. @throws {Error} when 500 displays are taken. */
  async take(): Promise<number> {
    await this.#known;
    const all = Array.from({ length: DISPLAYS }, (_, at) => this.#base + 1 + at);
    const isAvoided = (display: number) => this.#avoided.has(display);
    for (const display of [...all.filter((one) => !isAvoided(one)), ...all.filter(isAvoided)]) {
      if (this.#taken.has(display)) continue;
      this.#taken.add(display); // before the await: no other call may try this display meanwhile
      let isFree = false;
      try {
        isFree = await this.#isFree(display);
      } finally {
        if (!isFree) this.#taken.delete(display);
      }
      if (isFree) return display;
    }
    const [first, last] = [this.#base + 1, this.#base + DISPLAYS];
    throw new Error(`all displays from :${first} to :${last} are taken: set DISPLAY_BASE to another number`);
  }

  free(display: number): void {
    this.#taken.delete(display);
  }
}
