/** What a message offers to do; it replaces the whole page. */
export interface Link {
  text: string;
  href: string;
}

/** What the player says: its state as long as it holds, hints for a while. */
export interface Messages {
  /** "" when all is well. @param delayMs until it shows, so that short breaks stay silent. */
  state(text: string, delayMs?: number, link?: Link): void;
  hint(text: string, shownMs?: number): void;
}

const HINT_MS = 5000;

export function messagesIn(element: HTMLElement): Messages {
  let state = "";
  let link: Link | undefined;
  let hint = "";
  let stateTimer: ReturnType<typeof setTimeout> | undefined;
  let hintTimer: ReturnType<typeof setTimeout> | undefined;

  function show() {
    const text = hint || state;
    const offer = hint ? undefined : link;
    // a write of the same text would be read out again, and take the focus from the link
    if (element.textContent === (offer ? `${text} ${offer.text}` : text)) return;
    element.textContent = text;
    if (!offer) return;
    const anchor = document.createElement("a");
    anchor.href = offer.href;
    anchor.target = "_top";
    anchor.textContent = offer.text;
    element.appendChild(document.createTextNode(" "));
    element.appendChild(anchor);
    anchor.focus();
  }

  return {
    state(text, delayMs = 0, offer) {
      clearTimeout(stateTimer);
      const set = () => {
        state = text;
        link = offer;
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
