/** The calm slate that viewers see instead of a broken page. The stream's browser has the fonts for all names. */
import { inflated } from "../../../machine/tools/inflated.ts";
import { withTimeout } from "../../../machine/tools/time.ts";
import type { BrowserControl } from "../../../browser/client.ts";

export interface Size {
  width: number;
  height: number;
}

/** Milliseconds for a blank tab and some letters. */
const DRAW_MS = 8000;

/** In a blank tab: the slate as base64 of deflated pixels; each pixel is blue, green, red and an unused byte. */
async function drawSlate(name: string, { width, height }: Size): Promise<string> {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d")!;
  context.fillStyle = "#141a22";
  context.fillRect(0, 0, width, height);
  const write = (text: string, colour: string, size: number, weight: number, y: number) => {
    context.fillStyle = colour;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.font = `${weight} ${size}px "Noto Sans", "DejaVu Sans", sans-serif`;
    context.fillText(text, width / 2, y, width * 0.86);
  };
  const unit = Math.min(width / 16, height / 9);
  write(name, "#e8edf3", unit * 0.8, 600, height / 2 - unit * 0.35);
  write("No signal. Trying again.", "#93a1b1", unit * 0.3, 400, height / 2 + unit * 0.5);
  const { data } = context.getImageData(0, 0, width, height);
  for (let at = 0; at < data.length; at += 4) [data[at], data[at + 2]] = [data[at + 2], data[at]];
  const packed = new Blob([data]).stream().pipeThrough(new CompressionStream("deflate"));
  let text = "";
  for (const byte of new Uint8Array(await new Response(packed).arrayBuffer())) {
    text += String.fromCharCode(byte);
  }
  return btoa(text);
}

/** Draws the slate in a tab that is there for a moment only. @throws {Error} when the browser draws no slate. */
export async function slatePixels(
  browser: BrowserControl,
  name: string,
  size: Size,
): Promise<Uint8Array> {
  const [shown] = await browser.pages();
  const tab = await browser.openTab();
  try {
    await using page = await browser.connect(tab);
    const expression = `(${drawSlate})(${JSON.stringify(name)}, ${JSON.stringify(size)})`;
    const value = await withTimeout(DRAW_MS, page.evaluate<unknown>(expression, { awaitPromise: true }));
    if (typeof value !== "string") throw new Error("the browser drew no slate");
    return await pixelsIn(Uint8Array.from(atob(value), (letter) => letter.charCodeAt(0)), size);
  } finally {
    await browser.closeTab(tab.id).catch(() => {});
    if (shown) await browser.showTab(shown.id).catch(() => {});
  }
}

/** @throws {Error} when the pixels are not exactly as large as the picture: only our size decides on the memory. */
async function pixelsIn(packed: Uint8Array<ArrayBuffer>, { width, height }: Size): Promise<Uint8Array> {
  const pixels = new Uint8Array(width * height * 4);
  let length = 0;
  for await (const part of inflated(packed, "deflate")) {
    if (length + part.length > pixels.length) throw new Error("the slate is too large");
    pixels.set(part, length);
    length += part.length;
  }
  if (length < pixels.length) throw new Error("the slate is too small");
  return pixels;
}
