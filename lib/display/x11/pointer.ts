/**
 * Takes the pointer off a display's pages. It lies in a window of one pixel at the lower right, without a picture: open pages
 * see it leave, and later pages never see it. The window stays when we have
 * disconnected. Source: X Protocol, section 9.
 */
import type { XConnection } from "./connection.ts";
import { pair, request } from "./messages.ts";

const X = { createWindow: 1, mapWindow: 8, warpPointer: 41, setCloseDownMode: 112, killClient: 113 };

/** Moves the pointer by a pixel, so that a page sees where the pointer is. @throws {Error} when the display does not answer. */
export async function stirPointer(x: XConnection): Promise<void> {
  const { width, height } = x.screen;
  const NONE = 0;
  const to = (offset: number) =>
    request(X.warpPointer, 0, [
      NONE,
      x.screen.root,
      pair(0, 0),
      pair(0, 0),
      pair(width - 2 - offset, height - 2),
    ]);
  x.send(request(X.killClient, 0, [NONE]), to(1), to(0));
  await x.done();
}

/** @throws {Error} when the display does not answer. */
export async function takePointer(x: XConnection): Promise<void> {
  const { root, width, height } = x.screen;
  const [ALL_TEMPORARY, RETAIN_TEMPORARY] = [0, 2];
  const [INPUT_ONLY, COPY_FROM_PARENT, OVERRIDE_REDIRECT, NONE] = [2, 0, 1 << 9, 0];
  const window = x.newId();
  x.send(
    // the window of the time before: other windows may be above it
    request(X.killClient, 0, [ALL_TEMPORARY]),
    request(X.createWindow, 0, [
      ...[window, root, pair(width - 1, height - 1), pair(1, 1), pair(0, INPUT_ONLY)],
      ...[COPY_FROM_PARENT, OVERRIDE_REDIRECT, 1],
    ]),
    request(X.mapWindow, 0, [window]),
    request(X.warpPointer, 0, [NONE, window, pair(0, 0), pair(0, 0), pair(0, 0)]),
    request(X.setCloseDownMode, RETAIN_TEMPORARY, []),
  );
  await x.done();
}
