/** Reads a QR code off a page, as a phone's camera would. */
import { strict as assert } from "node:assert";
import jsQR from "jsqr";
import type { Locator } from "playwright-core";

/** The text of the QR code that an element shows. */
export async function readQrCode(element: Locator): Promise<string> {
  const png = (await element.screenshot()).toString("base64");
  const page = await element.page().context().newPage(); // whose content policy allows data: addresses
  try {
    const { width, height, pixels } = await page.evaluate(async (png) => {
      const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
      const { width, height } = picture;
      const canvas = new OffscreenCanvas(width, height);
      const context = canvas.getContext("2d")!;
      context.drawImage(picture, 0, 0);
      return { width, height, pixels: [...context.getImageData(0, 0, width, height).data] };
    }, png);
    const code = jsQR.default(new Uint8ClampedArray(pixels), width, height);
    assert.ok(code, "no QR code is seen");
    return code.data;
  } finally {
    await page.close();
  }
}
