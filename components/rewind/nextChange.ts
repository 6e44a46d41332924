/** Finds the next change from a moment on: exactly near it, coarser first farther away. */
import type { Changes, Range } from "./past.ts";

/** Seconds that are looked at in one answer: by the second, and by the minute. */
const NEAR = 1200;
const FAR = 86_400;
const MINUTE = 60;

type Read = (range: Range, scale: number) => Promise<Changes>;

export class ChangeFinder {
  #read: Read;
  /** The last answer by the second. */
  #near: Changes | null = null;

  constructor(read: Read) {
    this.#read = read;
  }

  /** @param within what is kept. Null: there is none. @throws {ApiError} */
  async find(from: number, isBack: boolean, within: Range): Promise<number | null> {
    const isNear = this.#near && from >= this.#near.start && from < this.#near.end;
    const known = isNear ? changeIn(this.#near!, from, isBack) : null;
    if (known !== null) return known;
    // from that second on: a gap that ends with it is followed by a first picture
    let edge = from;
    for (let scale = 1; isBack ? edge > within.start : edge < within.end; scale = MINUTE) {
      const length = scale === 1 ? NEAR : FAR;
      const range = isBack ? { start: edge - length, end: edge } : { start: edge, end: edge + length };
      const found = changeIn(await this.#ask(range, scale, within), from, isBack);
      if (found !== null && scale === 1) return found;
      if (found !== null) {
        const around = { start: found - NEAR / 2, end: found + NEAR / 2 };
        // the minute has one, and others may be beside it
        const limit = isBack ? Math.min(from, found + MINUTE) : Math.max(from, found - 1);
        return changeIn(await this.#ask(around, 1, within), limit, isBack);
      }
      edge = isBack ? range.start : range.end;
    }
    return null;
  }

  async #ask(range: Range, scale: number, within: Range): Promise<Changes> {
    const changes = await this.#read(range, scale);
    if (scale === 1) this.#near = { ...changes, end: Math.min(changes.end, within.end) };
    return changes;
  }
}

/** The nearest moment with another picture than before: one that changed, or the first one after a gap. */
function changeIn({ slots, gaps, end }: Changes, from: number, isBack: boolean): number | null {
  const changed = slots.filter(({ share }) => share > 0).map(({ start }) => start);
  const begun = gaps.map((gap) => gap.end).filter((at) => at < end);
  const there = [...changed, ...begun].filter((at) => isBack ? at < from : at > from);
  if (there.length === 0) return null;
  return isBack ? Math.max(...there) : Math.min(...there);
}
