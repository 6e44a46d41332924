/** The whole screen for the picture, with the names that older browsers have for it. */

interface OldDocument extends Document {
  webkitFullscreenEnabled?: boolean;
  webkitFullscreenElement?: Element | null;
  webkitExitFullscreen?: () => void;
}

type OldElement = HTMLElement & { webkitRequestFullscreen?: () => void };

/** Of the page around the frame, whose next frame stays in full screen when the player is loaded again. */
function page(): OldDocument {
  return (self.top || self).document;
}

export function canFillScreen(): boolean {
  const { fullscreenEnabled, webkitFullscreenEnabled } = page();
  return !!(fullscreenEnabled || webkitFullscreenEnabled);
}

export function isFullScreen(): boolean {
  const { fullscreenElement, webkitFullscreenElement } = page();
  return !!(fullscreenElement || webkitFullscreenElement);
}

/** Needs a gesture of the viewer's; without one the browser refuses, and nothing changes. */
export function toggleFullScreen(): void {
  const shown = page();
  const root: OldElement = shown.documentElement;
  const done: Promise<void> | void = isFullScreen()
    ? (shown.exitFullscreen || shown.webkitExitFullscreen!).call(shown)
    : (root.requestFullscreen || root.webkitRequestFullscreen!).call(root);
  if (done) done.catch(() => {});
}

/** Tells of every change, also of those by the browser's own keys. */
export function onFullScreen(changed: () => void): void {
  for (const name of ["fullscreenchange", "webkitfullscreenchange"]) page().addEventListener(name, changed);
}
