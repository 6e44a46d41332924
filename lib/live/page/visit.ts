/**
 * Undoes a person's visit to a stream's browser by VNC: the page comes back, the pointer goes, and the browser's own menus
 * and dialogs close. The page comes back after a sign-in as well, since sites then lead to their first page.
 */
import { MAX_HREF, type PageLook } from "./looks/page_look.ts";
import type { ScrollPlaces } from "./looks/page_scroll.ts";
import { shortSeen } from "../../model/answers/page_health.ts";
import type { Action } from "./history.ts";

/** The wait after the last visitor, in ms: the visitor may only have lost the connection. */
const VISIT_MS = 10_000;

/** Presses of Escape after a visit: each may close one thing. */
const MOST_ESCAPES = 4;

/** Tries to give a page its own size again. */
const MOST_RESETS = 3;

/** Addresses that are remembered of a page, which may write itself a new one every second. */
const MOST_ADDRESSES = 50;

/** The longest time in ms from a sign-in's first page to its report: the addresses since then are the sign-in's. */
const SIGN_IN_MS = 60_000;

/**
 * Returns after sign-ins, each within so many ms of the one before: a page that asks for its login at each opening would
 * never be shown. A session lasts longer.
 */
const MOST_RETURNS = 2;
const RETURNS_MS = 600_000;

/** An app that was asked for its page may still lead to its first one so many ms after a sign-in was reported. */
const LEADS_ON_MS = 20_000;

const VISIT = "a visit had left it there";
const SIGN_IN = "the sign-in led there";

/** The look at the page, and the facts around it. */
export interface VisitedPage {
  /** Null: the page did not answer. */
  look: PageLook | null;
  /** The address that the page is opened by. */
  url: string;
  /** Whether the page is known to be well. */
  isWell: boolean;
  /** Whether no login keeps the page from its own content. */
  isSignedIn: boolean;
  /** Whether nobody is in the browser. */
  isAlone: boolean;
}

/** The actions after a look. */
export interface VisitEnd {
  /** Escape is pressed, since something else than the page has the keys. */
  pressesEscape: boolean;
  /** The pointer is taken away, and lists that are open over the page close. */
  takesPointer: boolean;
  /** The page gets its own size again. */
  resetsZoom: boolean;
  /** The way back to the stream's own page. */
  action: Action;
  /** A text for the stream's events; null: none. */
  says: string | null;
  /** Where the page is scrolled to again; null: the page stays. */
  scroll: ScrollPlaces | null;
}

const NOTHING: VisitEnd = {
  pressesEscape: false,
  takesPointer: false,
  resetsZoom: false,
  action: { do: "nothing" },
  says: null,
  scroll: null,
};

export class Visit {
  /** When the last visitor left, in ms of the steady clock; null: there was none. */
  #leftAt: number | null = null;
  /** Whether the keys went to the browser itself since somebody came. */
  #wasAway = false;
  /** How many looks may still press Escape. */
  #escapes = 0;
  /** Whether a visitor may have left the pointer on the page. */
  #hasPointer = false;
  /** The address that the page is opened by. */
  #url = "";
  /**
   * The addresses that the page had while nobody was there, and when each was first seen (ms of the steady clock): apps
   * write their state into their address, or lead to another one at each opening.
   */
  #addresses = new Map<string, number>();
  /** Where the page was scrolled to when nobody was there, and how large it was; null: not known yet. */
  #scroll: ScrollPlaces = [];
  #zoom: number | null = null;
  /** How many looks may still reset the page's size. */
  #resets = 0;
  /** Why the page may show another page of its site; null: it does not. */
  #due: typeof VISIT | typeof SIGN_IN | null = null;
  /** When the last sign-in was reported. */
  #signedInAt = -Infinity;
  /** Returns after sign-ins in a row, and the time of the last one. */
  #returns = { count: 0, at: -Infinity };

  /** A visitor is there. @param now ms of the steady clock. */
  goesOn(now: number): void {
    this.#leftAt = now;
    this.#due = VISIT;
    this.#hasPointer = true;
    this.#resets = MOST_RESETS;
  }

  /** Somebody was signed in: sites lead to their first page then, whatever was asked for. @param now ms of the steady clock. */
  signedIn(now: number): void {
    for (const [href, since] of this.#addresses) {
      if (now - since < SIGN_IN_MS) this.#addresses.delete(href);
    }
    this.#signedInAt = now;
    this.#due ??= SIGN_IN;
  }

  /** The page was sent to its address, or another page was put in front. */
  opened(): void {
    this.#due = null;
  }

  /** The actions after a look. @param now ms of a steady clock. */
  end({ look, url, isWell, isSignedIn, isAlone }: VisitedPage, now: number): VisitEnd {
    const isOver = this.#leftAt !== null && now - this.#leftAt >= VISIT_MS;
    const takesPointer = isOver && isAlone && this.#hasPointer;
    if (takesPointer) this.#hasPointer = false;
    const nothing = { ...NOTHING, takesPointer };
    // later changes are not the visitor's, though a broken page delays the visit's end
    if (this.#leftAt !== null && !isOver) this.#wasAway ||= look?.wasAway === true;
    if (this.#url !== url) {
      this.#url = url;
      this.#addresses.clear();
      this.#zoom = null;
    }
    // of a page whose visitor came at once, the first look is the nearest to its own size
    this.#zoom ??= look?.zoom ?? null;
    if (look === null || look.isOpening || !isAlone || (this.#leftAt !== null && !isOver)) return nothing;
    if (isOver && this.#wasAway) {
      this.#wasAway = false;
      this.#escapes = MOST_ESCAPES;
    }
    const pressesEscape = this.#escapes > 0 && this.#closes(look.isAway);
    if (!isWell) return { ...nothing, pressesEscape };
    const resetsZoom = this.#isEnlarged(look.zoom);
    const why = this.#due;
    this.#leftAt = null;
    if (why === VISIT || now - this.#signedInAt >= LEADS_ON_MS) this.#due = null;
    if (why !== null && !this.#isHome(look.href) && this.#mayReturn(why, now)) {
      this.#due = null;
      const says = `Brought back from ${shortSeen(new URL(look.href).pathname)}: ${why}.`;
      return { ...nothing, pressesEscape, resetsZoom, action: { do: "navigate", why }, says };
    }
    const scroll = why === VISIT ? this.#scroll : null;
    if (scroll === null) this.#scroll = look.scroll;
    if (isSignedIn) this.#remember(look.href, now);
    return { ...nothing, pressesEscape, resetsZoom, scroll };
  }

  /** Whether a visitor has left the page larger or smaller than it was. */
  #isEnlarged(zoom: number | null): boolean {
    if (zoom === null) return false;
    const isEnlarged = this.#resets > 0 && this.#zoom !== null && zoom !== this.#zoom;
    this.#resets = isEnlarged ? this.#resets - 1 : 0;
    if (!isEnlarged) this.#zoom = zoom;
    return isEnlarged;
  }

  /** Whether the page is at its own address, or at one that it has had by itself. */
  #isHome(href: string): boolean {
    return href === new URL(this.#url).href.slice(0, MAX_HREF) || this.#addresses.has(href);
  }

  #mayReturn(why: typeof VISIT | typeof SIGN_IN, now: number): boolean {
    if (why === VISIT) return true;
    const count = now - this.#returns.at < RETURNS_MS ? this.#returns.count : 0;
    if (count >= MOST_RETURNS) return false;
    this.#returns = { count: count + 1, at: now };
    return true;
  }

  #remember(href: string, now: number): void {
    const since = this.#addresses.get(href) ?? now;
    // the address that was not seen for the longest time gives way
    this.#addresses.delete(href);
    this.#addresses.set(href, since);
    if (this.#addresses.size > MOST_ADDRESSES) this.#addresses.delete(this.#addresses.keys().next().value!);
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
