/** What the player says: its state as long as it holds, hints for a while. */
export interface Messages {
  /** "" when all is well. @param delayMs until it shows, so that short breaks stay silent. */
  state(text: string, delayMs?: number): void;
  hint(text: string, shownMs?: number): void;
}

const HINT_MS = 5000;

export function messagesIn(element: HTMLElement): Messages {
  let state = "";
  let hint = "";
  let stateTimer: ReturnType<typeof setTimeout> | undefined;
  let hintTimer: ReturnType<typeof setTimeout> | undefined;

  function show() {
    const text = hint || state;
    // a write of the same text would be read out again
    if (element.textContent !== text) element.textContent = text;
  }

  return {
    state(text, delayMs = 0) {
      clearTimeout(stateTimer);
      const set = () => {
        state = text;
        show();
      };
      if (delayMs > 0) stateTimer = setTimeout(set, delayMs);
      else set();
    },
    hint(text, shownMs = HINT_MS) {
      clearTimeout(hintTimer);
      hint = text;
      show();
      hintTimer = setTimeout(() => {
        hint = "";
        show();
      }, shownMs);
    },
  };
}
