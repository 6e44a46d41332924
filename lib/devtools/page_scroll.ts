/** Where a page is scrolled to, and how it is scrolled there again. */
import type { DevTools } from "./client.ts";
import { worldOf } from "./document.ts";

/** Pixels of what scrolls at the middle of the window, the innermost first; the last are the page's own. */
export type ScrollPlaces = readonly (readonly [x: number, y: number])[];

/** Most parts in each other that are remembered. */
const MAX_PLACES = 10;

/** In the page's isolated world: what scrolls at the middle of the window, the innermost first, the page itself last. */
export function scrollers(): Element[] {
  const page = document.scrollingElement ?? document.documentElement;
  const [x, y] = [innerWidth / 2, innerHeight / 2];
  let at = document.elementFromPoint(x, y);
  for (let inner = at; inner;) {
    at = inner;
    inner = at.shadowRoot?.elementFromPoint(x, y) ?? null;
    if (inner === at) break;
  }
  const found: Element[] = [];
  while (at && at !== page) {
    const isLarger = at.scrollHeight > at.clientHeight || at.scrollWidth > at.clientWidth;
    if (isLarger && /auto|scroll/.test(getComputedStyle(at).overflow)) found.push(at);
    at = at.assignedSlot ?? at.parentElement ?? (at.getRootNode() as ShadowRoot).host ?? null;
  }
  return page ? [...found, page] : found;
}

/** In the page's isolated world. The part in the middle of the window is found again, unless it is another one now. */
function scrollBack(places: ScrollPlaces, find: typeof scrollers): void {
  const scroll = (element: Element | undefined, [left, top]: readonly [number, number]) =>
    element?.scrollTo({ left, top, behavior: "instant" });
  scroll(find().at(-1), places.at(-1)!);
  const found = find();
  if (found.length === places.length) found.forEach((element, at) => scroll(element, places[at]));
}

/** The places that a page has told, of which little is believed. */
export function readPlaces(value: unknown): ScrollPlaces {
  if (!Array.isArray(value)) return [];
  return value.slice(-MAX_PLACES).map((place) => {
    const [x, y] = Array.isArray(place) ? place : [];
    return [Number(x) || 0, Number(y) || 0];
  });
}

/** Scrolls a page whose Page domain is enabled. @throws {Error} when the page does not answer, or moves on. */
export async function scrollPage(page: DevTools, frameId: string, places: ScrollPlaces): Promise<void> {
  if (places.length === 0) return;
  const ask = await worldOf(page, frameId, "browser-stream-look");
  await ask(`(${scrollBack})(${JSON.stringify(places)}, ${scrollers})`);
}
