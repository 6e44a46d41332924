/** Keeps the list unchanged while a card is dragged: the list's changes wait for the end of the drag. */
export class DragLock {
  #isLocked = false;
  #waiting: (() => void)[] = [];

  get isLocked(): boolean {
    return this.#isLocked;
  }

  /** Unlocking makes the changes that wait, in their order. */
  set(isLocked: boolean): void {
    this.#isLocked = isLocked;
    while (!this.#isLocked && this.#waiting.length > 0) this.#waiting.shift()!();
  }

  /** Makes a change now, or as soon as the list is unlocked. */
  whenUnlocked(change: () => void): void {
    if (this.#isLocked) this.#waiting.push(change);
    else change();
  }
}
