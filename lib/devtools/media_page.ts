/**
 * Shows the address of a picture, a video or a PDF as a screen should: full-screen, without controls, for ever.
 * Chromium shows such media in its own documents, and this module sets their look.
 */
import type { DevTools } from "./client.ts";
import { inEachDocument } from "./document.ts";

/** The world of our code, out of reach of the page's scripts. */
const WORLD = "browser-stream-media";

/** The type of a camera's pictures, which never end loading. */
export const ENDLESS_TYPE = "multipart/x-mixed-replace";

/** The default of the field pageSeconds. */
export const DEFAULT_PAGE_SECONDS = 30;

/** In a document: the type of what it shows. Many servers do not know HLS, and give its playlists as text. */
export const SHOWN_TYPE = String.raw`(
  document.contentType === "text/plain" && /\.m3u8$/i.test(location.pathname)
    ? "application/vnd.apple.mpegurl" : document.contentType
)`;

/**
 * Runs in that world, in each document of the tab. @param pageSeconds the seconds for a page of a PDF. @param type of what
 * the document shows.
 */
function fillScreen(pageSeconds: number, type: string): void {
  const isPicture = /^image\/|^multipart\/x-mixed-replace$/.test(type);
  const isVideo = /^(?:video|audio)\/|mpegurl$/i.test(type);
  const isPdf = type === "application/pdf";
  if (self !== top || !(isPicture || isVideo || isPdf)) return;

  const sheet = new CSSStyleSheet();
  const FULL =
    "position: fixed !important; inset: 0 !important; width: 100vw !important; height: 100vh !important;" +
    "margin: 0 !important; border: 0 !important; cursor: default !important";
  sheet.replaceSync(`
    html, body { background: #000 !important; margin: 0 !important; overflow: hidden !important }
    body > img, body > video { ${FULL}; object-fit: contain !important; background: #000 !important }
    body > embed { ${FULL} }
    svg:root { width: 100vw !important; height: 100vh !important }
    video::-webkit-media-controls { display: none !important }`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];

  /** A drawing that says only its size does not scale by itself. */
  const scale = () => {
    const root = document.documentElement;
    if (root.localName !== "svg" || root.hasAttribute("viewBox")) return;
    const [width, height] = ["width", "height"].map((name) => parseFloat(root.getAttribute(name) ?? ""));
    if (width > 0 && height > 0) root.setAttribute("viewBox", `0 0 ${width} ${height}`);
  };

  /** The texts of a PDF's objects, also from compressed streams. */
  async function* objects(bytes: Uint8Array<ArrayBuffer>): AsyncGenerator<string> {
    const text = new TextDecoder("latin1").decode(bytes);
    yield text;
    const MOST = 32 * 1024 * 1024;
    for (const { 0: { length }, index } of text.matchAll(/\/Type\s*\/ObjStm\b[^]{0,300}?stream\r?\n/g)) {
      const from = index + length, to = text.indexOf("endstream", from);
      let found = "";
      try {
        const packed = new Blob([bytes.subarray(from, to)]).stream().pipeThrough(
          new DecompressionStream("deflate"),
        );
        const reader = packed.getReader();
        for (let part = await reader.read(); !part.done && found.length < MOST; part = await reader.read()) {
          found += new TextDecoder("latin1").decode(part.value);
        }
      } catch {
        // the line break behind the last block, or an encrypted block
      }
      yield found;
    }
  }

  async function countPages(bytes: Uint8Array<ArrayBuffer>): Promise<number> {
    const COUNT = /\/Type\s*\/Pages\b[^>]*?\/Count\s+(\d+)|\/Count\s+(\d+)[^>]*?\/Type\s*\/Pages\b/g;
    let most = 1;
    for await (const text of objects(bytes)) {
      for (const [, one, other] of text.matchAll(COUNT)) most = Math.max(most, Number(one ?? other));
    }
    return most;
  }

  /** Shows a PDF by two viewers in turn: the next page is drawn behind the visible page. */
  async function showPdf(): Promise<void> {
    const address = location.href.replace(/#.*/, "");
    const DRAW_MS = 3000;
    const open = (page: number) => {
      const viewer = document.createElement("embed");
      viewer.type = "application/pdf";
      viewer.src = `${address}#toolbar=0&navpanes=0&scrollbar=0&view=Fit&page=${page}`;
      return viewer;
    };
    let shown = open(1);
    document.body.replaceChildren(shown);
    const answer = await fetch(address);
    const pages = await countPages(new Uint8Array(await answer.arrayBuffer()));
    if (pages < 2) return;
    for (let page = 2;; page = page % pages + 1) {
      await new Promise((done) => setTimeout(done, Math.max(pageSeconds * 1000, 2 * DRAW_MS) - DRAW_MS));
      const next = open(page);
      document.body.prepend(next); // a later element lies above
      await new Promise((done) => setTimeout(done, DRAW_MS));
      shown.remove();
      shown = next;
    }
  }

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
    if (isPdf) showPdf().catch(() => {});
    if (isVideo) showVideo();
  });
}

/** Acts on documents opened from now on, until the connection ends. @returns a function that ends this earlier. */
export function showMedia(page: DevTools, pageSeconds: number): Promise<() => Promise<void>> {
  return inEachDocument(page, WORLD, `(${fillScreen})(${Number(pageSeconds)}, ${SHOWN_TYPE})`);
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
