/** Number, name and clock over the picture, for a moment after each change of the channel. */

const SHOWN_MS = 3000;

export interface Banner {
  show(number: string, text: string): void;
  hide(): void;
  /** Sets the clock by the service's, since a television's own may be years off. @param date a fresh Date header. */
  setClock(date: string | null): void;
}

/** @param element has one child each for number, text and clock. */
export function bannerIn(element: HTMLElement): Banner {
  const [number, text, clock] = [0, 1, 2].map((at) => element.children[at]);
  let aheadMs = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function hide() {
    clearTimeout(timer);
    element.classList.remove("is-shown");
  }

  return {
    hide,
    show(shownNumber, shownText) {
      number.textContent = shownNumber;
      text.textContent = shownText;
      const now = new Date(Date.now() + aheadMs);
      clock.textContent = now.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
      element.classList.add("is-shown");
      clearTimeout(timer);
      timer = setTimeout(hide, SHOWN_MS);
    },
    setClock(date) {
      aheadMs = Date.parse(date || "") - Date.now() || 0;
    },
  };
}
