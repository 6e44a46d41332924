/** Reads a QR code off a page, as a phone's camera would. */
import { strict as assert } from "node:assert";
import jsQR from "jsqr";
import type { Locator } from "playwright-core";

/** The text of the QR code that an element shows. */
export async function readQrCode(element: Locator): Promise<string> {
  const png = (await element.screenshot({ scale: "css" })).toString("base64");
  // only the page can decode a PNG; its pixels come back as text, as playwright takes seconds for long arrays
  const { width, height, reds } = await element.page().evaluate(async (png) => {
    const bytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const { width, height } = bitmap;
    const context = new OffscreenCanvas(width, height).getContext("2d")!;
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    let reds = "";
    for (let at = 0; at < data.length; at += 4) reds += String.fromCharCode(data[at]);
    return { width, height, reds: btoa(reds) };
  }, png);
  // black and white: each of the three colours says the same
  const pixels = [...atob(reds)].flatMap((character) => {
    const value = character.charCodeAt(0);
    return [value, value, value, 255];
  });
  const code = jsQR.default(new Uint8ClampedArray(pixels), width, height);
  assert.ok(code, "no QR code is seen");
  return code.data;
}
