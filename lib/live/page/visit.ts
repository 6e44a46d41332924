/**
 * What a person who was in a stream's browser by VNC leaves there, and what is undone of it: the page comes back, and what
 * they opened of the browser's own is closed. So does a sign-in, after which sites lead to their first page.
 */
import type { PageLook } from "../../devtools/page_look.ts";
import { shortSeen } from "../../model/answers/page_health.ts";
import { type Action, isAtAddress } from "./history.ts";

/** After the last visitor has left, who may only have lost the connection, in ms. */
const VISIT_MS = 10_000;

/** Of one thing that was left there, each may close one. */
const MOST_ESCAPES = 4;

/** What is to be done after a look. */
export interface VisitEnd {
  /** Escape is pressed, for what has the keys instead of the page. */
  pressesEscape: boolean;
  /** The way back to the stream's own page. */
  action: Action;
  /** For the stream's events; null: nothing. */
  says: string | null;
  /** Where the page is scrolled to again, and the pointer taken off it; null: it stays. */
  scroll: readonly [x: number, y: number] | null;
}

const NOTHING: VisitEnd = { pressesEscape: false, action: { do: "nothing" }, says: null, scroll: null };

export class Visit {
  /** When the last visitor left, in ms of the steady clock; null: there was none. */
  #leftAt: number | null = null;
  /** Whether the keys went to something of the browser's own since somebody came. */
  #wasAway = false;
  /** How many looks may still press Escape. */
  #escapes = 0;
  /** Where the page was scrolled to when nobody was there. */
  #scroll: readonly [x: number, y: number] = [0, 0];
  /** Somebody was signed in, and the site may show another page of its own since. */
  #isReturnDue = false;

  /** Somebody is there. @param now ms of the steady clock. */
  goesOn(now: number): void {
    this.#leftAt = now;
  }

  /** Somebody was signed in: sites lead to their first page then, whatever was asked for. */
  signedIn(): void {
    this.#isReturnDue = true;
  }

  /** What follows from a look. @param isWell whether the page is, as far as is known. @param now ms of the steady clock. */
  end(look: PageLook | null, url: string, isWell: boolean, isAlone: boolean, now: number): VisitEnd {
    const isOver = this.#leftAt !== null && now - this.#leftAt >= VISIT_MS;
    // what comes later is not the visitor's, though a broken page has the visit wait for its end
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
   * Whether what a person opened of the browser's own is to be closed now: its search, its menus, its questions, a file
   * dialog. All of these take the keys from the page, but the search gives them back at a click.
   */
  #closes(isAway: boolean): boolean {
    const isFirst = this.#escapes === MOST_ESCAPES;
    this.#escapes = isFirst || isAway ? this.#escapes - 1 : 0;
    return isFirst || isAway;
  }
}
