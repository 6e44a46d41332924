/** Where a page is scrolled to, and how it is scrolled there again. */
import type { DevTools } from "../../../browser/client.ts";
import { worldOf } from "../../../browser/document.ts";

/**
 * Of each part that is scrolled: pixels from the left and from the top, and the way to it, by numbers of elements in the
 * one around them, or SHADOW or FRAME. The page itself is always the first.
 */
export type ScrollPlaces = readonly (readonly number[])[];

/** Most parts that are remembered, and the longest way to one. */
const MAX_PLACES = 10;
const MAX_WAY = 200;

/**
 * In the page's isolated world: the page itself, and the scrolled elements in it, in its open shadows and in its frames of
 * the same origin. Asking each element how far it is scrolled takes long, so each document is asked once.
 */
function scrollers(): [way: number[], element: Element][] {
  const MOST_SEEN = 10_000;
  const [SHADOW, FRAME] = [-1, -2];
  const known = globalThis as {
    scrolled?: Set<Element>;
    watched?: WeakSet<Element>;
    note?: (event: Event) => void;
  };
  const scrolled = known.scrolled ??= new Set();
  const watched = known.watched ??= new WeakSet();
  const note = known.note ??= ({ target }) => scrolled.add(target as Element);

  // a frame has classes of its own, so nodes are recognized by their types
  const wayTo = (element: Element): number[] => {
    const parent = element.parentNode;
    if (!parent || parent.nodeType === Node.DOCUMENT_NODE) {
      const frame = element.ownerDocument.defaultView?.frameElement;
      return frame ? [...wayTo(frame), FRAME] : [];
    }
    const before = parent.nodeType === Node.ELEMENT_NODE
      ? wayTo(parent as Element)
      : [...wayTo((parent as ShadowRoot).host), SHADOW];
    return [...before, [...(parent as ParentNode).children].indexOf(element)];
  };

  const pages: Element[] = [];
  let seen = 0;
  const look = (root: Document | ShadowRoot) => {
    const page = "scrollingElement" in root ? root.scrollingElement ?? root.documentElement : null;
    if (page) pages.push(page);
    // a document that is written anew has forgotten its listeners
    const { firstElementChild } = root;
    const isNew = firstElementChild !== null && !watched.has(firstElementChild);
    if (isNew) {
      watched.add(firstElementChild);
      root.addEventListener("scroll", note, { capture: true });
    }
    for (const element of root.querySelectorAll("*")) {
      if (++seen > MOST_SEEN) return;
      if (isNew && (element.scrollTop !== 0 || element.scrollLeft !== 0)) scrolled.add(element);
      const { shadowRoot } = element;
      if (shadowRoot) look(shadowRoot);
    }
    for (const { contentDocument } of root.querySelectorAll<HTMLIFrameElement>("iframe, frame")) {
      if (contentDocument) look(contentDocument);
    }
  };
  look(document);
  for (const element of scrolled) {
    const isThere = element.isConnected && element.nodeType === Node.ELEMENT_NODE && !pages.includes(element);
    if (!isThere) scrolled.delete(element);
  }
  const parts = [...scrolled].filter((element) => /auto|scroll/.test(getComputedStyle(element).overflow));
  return [...pages, ...parts].map((element) => [wayTo(element), element]);
}

/** In the page's isolated world: where it and its parts are scrolled to. */
export const PLACES =
  `(${scrollers})().map(([way, { scrollLeft, scrollTop }]) => [scrollLeft, scrollTop, ...way])
  .filter(([left, top], at) => at === 0 || left !== 0 || top !== 0).slice(0, ${MAX_PLACES})`;

/** In the page's isolated world: parts that were not scrolled go back to their beginning, as far as they are known. */
function scrollBack(places: ScrollPlaces, find: typeof scrollers, mostPlaces: number): void {
  const before = new Map(places.map(([left, top, ...way]) => [way.join(), [left, top]]));
  for (const [way, element] of find()) {
    const place = before.get(way.join()) ?? (places.length < mostPlaces ? [0, 0] : null);
    if (place) element.scrollTo({ left: place[0], top: place[1], behavior: "instant" });
  }
}

/** The places that a page has told, of which little is believed. */
export function readPlaces(value: unknown): ScrollPlaces {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_PLACES).map((place) => {
    const [left = 0, top = 0, ...way] = Array.isArray(place) ? place.slice(0, MAX_WAY) : [];
    return [left, top, ...way].map((part) => Number(part) || 0);
  });
}

/** Scrolls a page whose Page domain is enabled. @throws {Error} when the page does not answer, or moves on. */
export async function scrollPage(page: DevTools, frameId: string, places: ScrollPlaces): Promise<void> {
  if (places.length === 0) return;
  const ask = await worldOf(page, frameId, "browser-stream-look");
  await ask(`(${scrollBack})(${JSON.stringify(places)}, ${scrollers}, ${MAX_PLACES})`);
}
