/** Keeps the list as it is while something holds it: changes of it wait until then. */
export class DragLock {
  #isHeld = false;
  #waiting: (() => void)[] = [];

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Letting go makes the changes that wait, in their order. */
  set(isHeld: boolean): void {
    this.#isHeld = isHeld;
    while (!this.#isHeld && this.#waiting.length > 0) this.#waiting.shift()!();
  }

  /** Makes a change now, or as soon as nothing holds the list. */
  whenFree(change: () => void): void {
    if (this.#isHeld) this.#waiting.push(change);
    else change();
  }
}
