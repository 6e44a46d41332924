/**
 * The windows that a browser opens above its page: lists, pickers of dates and colours, menus. The page keeps the focus of
 * the keys meanwhile, so that its scripts notice nothing. Source: X Protocol, section 9.
 */
import { sleep } from "../../machine/tools/time.ts";
import type { XConnection } from "./connection.ts";
import { ESCAPE, pressKey } from "./keys.ts";
import { request } from "./messages.ts";
import { stirPointer, takePointer } from "./pointer.ts";

const X = { getWindowAttributes: 3, getGeometry: 14, queryTree: 15 };

/** Windows that are looked at. */
const MOST_WINDOWS = 200;
/** Presses of Escape, each of which may close one; and the milliseconds until it has, or a tooltip has gone by itself. */
const [MOST_TRIES, CLOSING_MS] = [4, 300];

/** The windows of the root, the uppermost first. */
async function windowsOf(x: XConnection): Promise<number[]> {
  const HEAD = 32;
  const tree = await x.answer(request(X.queryTree, 0, [x.screen.root]));
  const count = Math.min(tree.getUint16(16, true), (tree.byteLength - HEAD) / 4);
  return Array.from({ length: count }, (_, at) => tree.getUint32(HEAD + 4 * at, true))
    .toReversed().slice(0, MOST_WINDOWS);
}

/** Whether a window that no window manager has is seen above a part of the screen. */
async function isPopup(x: XConnection, window: number): Promise<boolean> {
  const [INPUT_OUTPUT, VIEWABLE] = [1, 2];
  const attributes = await x.answer(request(X.getWindowAttributes, 0, [window]));
  const isSeen = attributes.getUint16(12, true) === INPUT_OUTPUT && attributes.getUint8(26) === VIEWABLE;
  if (!isSeen || attributes.getUint8(27) === 0) return false;
  const geometry = await x.answer(request(X.getGeometry, 0, [window]));
  const [width, height] = [geometry.getUint16(16, true), geometry.getUint16(18, true)];
  // a window manager's own have a pixel, and a cover has all of the screen
  return width > 1 && height > 1 && (width < x.screen.width || height < x.screen.height);
}

/** Whether something is open above the page. @throws {Error} when the display does not answer. */
async function hasPopup(x: XConnection): Promise<boolean> {
  for (const window of await windowsOf(x)) {
    // one may be gone since the list of them
    if (await isPopup(x, window).catch(() => false)) return true;
  }
  return false;
}

/**
 * Closes the windows above the page. Tooltips are left, since they end without the pointer.
 * @throws {Error} when the display does not answer.
 */
async function closePopups(x: XConnection): Promise<void> {
  await sleep(CLOSING_MS);
  for (let tries = 0; tries < MOST_TRIES && await hasPopup(x); tries++) {
    await pressKey(x, ESCAPE);
    await sleep(CLOSING_MS);
  }
}

/** Milliseconds until a page has been told where the pointer is. */
const STIRRED_MS = 200;

/**
 * Takes the pointer off a display's pages, and closes the windows above them. @throws {Error} when the display does not
 * answer.
 */
export async function leavePages(x: XConnection): Promise<void> {
  const isCovered = await hasPopup(x);
  await takePointer(x);
  if (!isCovered) return;
  await closePopups(x);
  // a page is not told that the pointer has left while it has a list open
  await stirPointer(x);
  await sleep(STIRRED_MS);
  await takePointer(x);
}
