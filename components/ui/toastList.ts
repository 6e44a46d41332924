/** Lines that say that an action worked, each for some seconds. An action that can be taken back has Undo meanwhile. */

/** The time to read one line twice. */
const SHOWN_MS = 5000;
/** The time to take an action back. */
const UNDO_MS = 10_000;

export interface Toast {
  text: string;
  /** Takes the action back. */
  undo?: () => void;
}

/** An action that can be taken back. */
export interface Undoable {
  undo: () => void;
  /** The action is final: its time is over, or the page is left. */
  end?: () => void;
}

/** Calls back once after so many ms. @returns a function that cancels the call. */
type After = (ms: number, call: () => void) => () => void;

interface Shown {
  ms: number;
  end?: () => void;
  cancel: () => void;
}

export class ToastList {
  readonly #after: After;
  readonly #onchange: (toasts: readonly Toast[]) => void;
  readonly #shown = new Map<Toast, Shown>();
  #isHeld = false;

  constructor(after: After, onchange: (toasts: readonly Toast[]) => void) {
    this.#after = after;
    this.#onchange = onchange;
  }

  /** Shows a line. A line without Undo takes the place of the last one. */
  show(text: string, action?: Undoable): void {
    const toast: Toast = { text };
    if (action) toast.undo = () => this.#remove(toast) && action.undo();
    else for (const other of this.#shown.keys()) if (!other.undo) this.#remove(other);
    this.#shown.set(toast, { ms: action ? UNDO_MS : SHOWN_MS, end: action?.end, cancel: () => {} });
    if (!this.#isHeld) this.#wait(toast);
    this.#changed();
  }

  /** Keeps the lines while somebody points at them, or has the focus there: their time begins anew afterwards. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    for (const [toast, { cancel }] of this.#shown) {
      cancel();
      if (!isHeld) this.#wait(toast);
    }
  }

  /** Takes the last action back that can be. @returns whether there was one. */
  undo(): boolean {
    const last = [...this.#shown.keys()].findLast((toast) => toast.undo);
    last?.undo?.();
    return last !== undefined;
  }

  /** Makes all actions final: the page is left. */
  endAll(): void {
    for (const toast of [...this.#shown.keys()]) this.#end(toast);
  }

  #wait(toast: Toast): void {
    const shown = this.#shown.get(toast)!;
    shown.cancel = this.#after(shown.ms, () => this.#end(toast));
  }

  #end(toast: Toast): void {
    const { end } = this.#shown.get(toast)!;
    this.#remove(toast);
    end?.();
  }

  /** @returns whether it was still there. */
  #remove(toast: Toast): boolean {
    this.#shown.get(toast)?.cancel();
    const isThere = this.#shown.delete(toast);
    if (isThere && this.#shown.size === 0) this.#isHeld = false; // a line that goes tells nothing of the pointer
    if (isThere) this.#changed();
    return isThere;
  }

  #changed(): void {
    this.#onchange([...this.#shown.keys()]);
  }
}
