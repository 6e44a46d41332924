/** Decides which of a stream's pages is next. Pure: rotation.ts acts on the decision. */
import type { Page } from "../../model/plan/pages.ts";
import type { Show } from "../../model/plan/timetable.ts";

/** A broken page stays for so long at least, in ms: the trouble may be a hiccup. */
const BROKEN_MS = 10_000;

/** The page that is in front. */
export interface InFront {
  /** The page's entry in its timetable; only the address counts for another timetable. */
  page: Pick<Page, "url">;
  /** Milliseconds of the steady clock. */
  since: number;
}

/** The page's place in the show, as an address may have several; -1: the page has none. */
export function placeOf(show: Show, page: InFront["page"]): number {
  const at = show.indexOf(page as Page);
  return at >= 0 ? at : show.findIndex(({ url }) => url === page.url);
}

/** When another page is due, ms of the steady clock; Infinity: never. @param isBroken whether viewers do not see the page in front. */
export function dueAt(show: Show, { page, since }: InFront, isBroken: boolean, now: number): number {
  const at = placeOf(show, page);
  // off the air, the stream is stopped in a moment
  if (show.length === 0) return Infinity;
  if (at < 0) return now;
  if (show.length === 1) return Infinity;
  const wholeMs = show[at].seconds * 1000;
  return since + (isBroken ? Math.min(BROKEN_MS, wholeMs) : wholeMs);
}

/** The pages that may come next, in their order. */
export function inTurn(show: Show, page: InFront["page"]): Page[] {
  const at = placeOf(show, page);
  return [...show.slice(at + 1), ...show.slice(0, Math.max(0, at))];
}
