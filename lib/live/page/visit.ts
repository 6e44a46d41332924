/**
 * Undoes a person's visit to a stream's browser by VNC: the page comes back, and the browser's own menus and dialogs
 * close. The page comes back after a sign-in as well, since sites then lead to their first page.
 */
import type { PageLook } from "../../devtools/page_look.ts";
import { shortSeen } from "../../model/answers/page_health.ts";
import { type Action, isAtAddress } from "./history.ts";

/** The wait after the last visitor, in ms: the visitor may only have lost the connection. */
const VISIT_MS = 10_000;

/** Presses of Escape after a visit: each may close one thing. */
const MOST_ESCAPES = 4;

/** The actions after a look. */
export interface VisitEnd {
  /** Escape is pressed, since something else than the page has the keys. */
  pressesEscape: boolean;
  /** The way back to the stream's own page. */
  action: Action;
  /** A text for the stream's events; null: none. */
  says: string | null;
  /** Where the page is scrolled to again, with the pointer taken off; null: the page stays. */
  scroll: readonly [x: number, y: number] | null;
}

const NOTHING: VisitEnd = { pressesEscape: false, action: { do: "nothing" }, says: null, scroll: null };

export class Visit {
  /** When the last visitor left, in ms of the steady clock; null: there was none. */
  #leftAt: number | null = null;
  /** Whether the keys went to the browser itself since somebody came. */
  #wasAway = false;
  /** How many looks may still press Escape. */
  #escapes = 0;
  /** Where the page was scrolled to when nobody was there. */
  #scroll: readonly [x: number, y: number] = [0, 0];
  /** Somebody was signed in, and the site may show another page of its own since. */
  #isReturnDue = false;

  /** A visitor is there. @param now ms of the steady clock. */
  goesOn(now: number): void {
    this.#leftAt = now;
  }

  /** Somebody was signed in: sites lead to their first page then, whatever was asked for. */
  signedIn(): void {
    this.#isReturnDue = true;
  }

  /** The actions after a look. @param isWell whether the page is known to be well. @param now ms of a steady clock. */
  end(look: PageLook | null, url: string, isWell: boolean, isAlone: boolean, now: number): VisitEnd {
    const isOver = this.#leftAt !== null && now - this.#leftAt >= VISIT_MS;
    // later changes are not the visitor's, though a broken page delays the visit's end
    if (this.#leftAt !== null && !isOver) this.#wasAway ||= look?.wasAway === true;
    if (look === null || look.isOpening || !isAlone) return NOTHING;
    if (this.#leftAt === null) this.#scroll = look.scroll;
    if (isOver && this.#wasAway) {
      this.#wasAway = false;
      this.#escapes = MOST_ESCAPES;
    }
    const pressesEscape = this.#escapes > 0 && this.#closes(look.isAway);
    if (!isWell || !(isOver || this.#isReturnDue)) return { ...NOTHING, pressesEscape };
    this.#isReturnDue = false;
    this.#leftAt = null;
    if (isAtAddress(look.href, url)) {
      return { ...NOTHING, pressesEscape, scroll: isOver ? this.#scroll : null };
    }
    const why = isOver ? "a visit had left it there" : "the sign-in led there";
    const says = `Brought back from ${shortSeen(new URL(look.href).pathname)}: ${why}.`;
    return { pressesEscape, action: { do: "navigate", why }, says, scroll: null };
  }

  /**
   * Whether a part of the browser that a person opened is to be closed now: its search, menus or questions, a file
   * dialog. All of these take the keys from the page, but the search gives them back at a click.
   */
  #closes(isAway: boolean): boolean {
    const isFirst = this.#escapes === MOST_ESCAPES;
    this.#escapes = isFirst || isAway ? this.#escapes - 1 : 0;
    return isFirst || isAway;
  }
}
