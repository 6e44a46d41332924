/** The whole screen for the picture, with the names that older browsers have for it. */

interface OldDocument extends Document {
  webkitFullscreenElement?: Element | null;
  webkitExitFullscreen?: () => void;
}

type OldElement = HTMLElement & { webkitRequestFullscreen?: () => void };

/** The document of the page around the frame: it stays in full screen when the player is loaded again. */
const page: OldDocument = (self.top || self).document;
const root: OldElement = page.documentElement;
const request = root.requestFullscreen || root.webkitRequestFullscreen;

export const canFillScreen = !!request;

/** Needs a gesture of the viewer's; without one the browser refuses, and nothing changes. */
export function toggleFullScreen(): void {
  if (!request) return;
  const done: Promise<void> | void = page.fullscreenElement || page.webkitFullscreenElement
    ? (page.exitFullscreen || page.webkitExitFullscreen).call(page)
    : request.call(root);
  if (done) done.catch(() => {});
}
