/**
 * Shows the address of a picture, a video or a PDF as a screen should: full-screen, without controls, for ever.
 * Chromium shows such media in its own documents, and this module sets their look.
 */
import type { DevTools } from "../../../browser/client.ts";
import { inEachDocument } from "../../../browser/document.ts";
import { barePdfs, countPages, showPdf } from "./pdf_page.ts";

/** The world of our code, out of reach of the page's scripts. */
const WORLD = "browser-stream-media";

/** The type of a camera's pictures, which never end loading. */
export const ENDLESS_TYPE = "multipart/x-mixed-replace";

/** In a document: the type of its content. Many servers do not know HLS, and send its playlists as text. */
export const SHOWN_TYPE = String.raw`(
  document.contentType === "text/plain" && /\.m3u8$/i.test(location.pathname)
    ? "application/vnd.apple.mpegurl" : document.contentType
)`;

/** Runs in that world, in each document of the tab. @param type of the document's content. */
function fillScreen(type: string): void {
  const isPicture = /^image\/|^multipart\/x-mixed-replace$/.test(type);
  const isVideo = /^(?:video|audio)\/|mpegurl$/i.test(type);
  const isPdf = type === "application/pdf";
  if (self !== top || !(isPicture || isVideo || isPdf)) return;

  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    html, body { background: #000 !important; margin: 0 !important; overflow: hidden !important }
    body > img, body > video {
      position: fixed !important; inset: 0 !important; width: 100vw !important; height: 100vh !important;
      margin: 0 !important; border: 0 !important; cursor: default !important;
      object-fit: contain !important; background: #000 !important
    }
    svg:root { width: 100vw !important; height: 100vh !important }
    video::-webkit-media-controls { display: none !important }`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];

  /** A drawing that says only its size does not scale by itself. */
  const scale = () => {
    const root = document.documentElement;
    if (!(root instanceof SVGSVGElement) || root.hasAttribute("viewBox")) return;
    const [width, height] = [root.width.baseVal, root.height.baseVal];
    // a part of the screen scales by itself
    if ([width, height].some(({ unitType }) => unitType === SVGLength.SVG_LENGTHTYPE_PERCENTAGE)) return;
    if (width.value > 0 && height.value > 0) {
      root.setAttribute("viewBox", `0 0 ${width.value} ${height.value}`);
    }
  };

  /** Paints a light ground under transparent pictures, as Chromium does: most of them hold dark text. */
  const layGround = () => {
    const picture = document.querySelector<HTMLImageElement>("body > img");
    if (!picture) return;
    const { naturalWidth: width, naturalHeight: height } = picture;
    const size = `min(100vw, 100vh * ${width / height}) min(100vh, 100vw * ${height / width})`;
    const ground = `linear-gradient(hsl(0 0% 90%) 0 0) center / ${size} no-repeat`;
    picture.style.setProperty("background", ground, "important");
  };

  /** Chromium makes a video of its own of a document whose server names the type. */
  function showVideo(): void {
    if (document.querySelector("video")) return;
    const video = document.createElement("video");
    video.autoplay = true;
    video.src = location.href;
    document.body.replaceChildren(video);
  }

  const AGAIN_MS = 10_000;
  document.addEventListener("ended", ({ target }) => void (target as HTMLVideoElement).play(), true);
  // a source that is gone for a moment comes back by itself
  document.addEventListener("error", () => setTimeout(() => location.reload(), AGAIN_MS), true);
  document.addEventListener("DOMContentLoaded", () => {
    scale();
    if (isVideo) showVideo();
  });
  if (isPicture) addEventListener("load", layGround);
}

/** Acts on documents opened from now on, until the connection ends. @param pageSeconds the seconds for a page of a PDF. */
export function showMedia(page: DevTools, pageSeconds: number): Promise<void> {
  const source = `{
    const type = ${SHOWN_TYPE};
    (${fillScreen})(type);
    if (type === "application/pdf") (${showPdf})(${Number(pageSeconds)}, ${countPages});
    (${barePdfs})();
  }`;
  return inEachDocument(page, WORLD, source);
}

/** The kind of medium that has this type, in words for people; null: a page. */
export function mediaText(type: string): string | null {
  if (type === "application/pdf") return "a PDF: its pages are shown in turn, each filling the screen";
  if (type === ENDLESS_TYPE) {
    return "a camera's stream of pictures (MJPEG), which fills the screen";
  }
  if (/^image\//.test(type)) return "a picture, which fills the screen";
  if (/^(?:video|audio)\/|mpegurl$/i.test(type)) {
    return "a video, which fills the screen and is played again and again";
  }
  return null;
}
