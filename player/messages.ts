/** What the player says: its state as long as it holds, hints for a while. */
export interface Messages {
  /** "" when all is well. @param delay milliseconds until it shows, so that short breaks stay silent. */
  state(text: string, delay?: number): void;
  hint(text: string, ms?: number): void;
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
    state(text, delay = 0) {
      clearTimeout(stateTimer);
      const set = () => {
        state = text;
        show();
      };
      if (delay > 0) stateTimer = setTimeout(set, delay);
      else set();
    },
    hint(text, ms = HINT_MS) {
      clearTimeout(hintTimer);
      hint = text;
      show();
      hintTimer = setTimeout(() => {
        hint = "";
        show();
      }, ms);
    },
  };
}
