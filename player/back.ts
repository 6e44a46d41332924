/** Leaves the player for the page with all streams. */

const BOARD = "/";
/** A page that can go back, or close, has done so after this. */
const FALLBACK_MS = 500;

export function goBack(): void {
  // in the frame of /player/{id} it is the page around it that goes; only our own pages may frame us
  const page = self.top || self;
  const isFromBoard = isBoard(page.document.referrer, page.location.origin);
  if (!isFromBoard) {
    page.location.href = BOARD;
    return;
  }
  const timer = setTimeout(() => page.location.href = BOARD, FALLBACK_MS);
  // a page that was only put aside would run on when someone returns to it
  addEventListener("pagehide", () => clearTimeout(timer), { once: true });
  if (page.history.length > 1) page.history.back();
  else page.close(); // the board opened this tab and is still there beside it
}

/** Whether a page was reached from the board of `origin`. */
export function isBoard(referrer: string, origin: string): boolean {
  return referrer.split(/[?#]/)[0] === origin + BOARD;
}
