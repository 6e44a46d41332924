/** The button of a message: it goes to a page, which replaces the whole one, or acts here. */
export interface Offer {
  text: string;
  go: string | (() => void);
}

/** The player's messages: its state as long as it holds, hints for a while. */
export interface Messages {
  /** "" when all is well. @param delayMs until it shows, so that short breaks stay silent. */
  state(text: string, delayMs?: number, offer?: Offer): void;
  hint(text: string): void;
}

const HINT_MS = 5000;

export function messagesIn(element: HTMLElement): Messages {
  let state = "";
  let link: Offer | undefined;
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
    element.appendChild(document.createTextNode(" "));
    const { go } = offer;
    const control = element.appendChild(document.createElement(typeof go === "string" ? "a" : "button"));
    control.textContent = offer.text;
    if (typeof go === "string") {
      (control as HTMLAnchorElement).href = go;
      (control as HTMLAnchorElement).target = "_top";
      control.focus();
    } else control.onclick = go;
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
    hint(text) {
      clearTimeout(hintTimer);
      hint = text;
      show();
      hintTimer = setTimeout(() => {
        hint = "";
        show();
      }, HINT_MS);
    },
  };
}
