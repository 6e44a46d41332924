/** Types into a page what no key of its display has: letters of other alphabets, emoji, what an input method composed. */
import { withTimeout } from "../system/time.ts";
import type { BrowserControl } from "./client.ts";

const TYPE_MS = 2000;

/**
 * Types into what has the focus, as an input method does.
 * @returns false where the page has not got it, as under a dialog of the browser's own: only keys get there.
 */
export async function typeText(browser: BrowserControl, text: string): Promise<boolean> {
  const type = async () => {
    await using page = await browser.connectFirst();
    if (!await page.evaluate<boolean>("document.hasFocus()")) return false;
    await page.send("Input.insertText", { text });
    return true;
  };
  return await withTimeout(TYPE_MS, type());
}
