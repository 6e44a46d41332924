/** Types into a page the text that no key of its display has: other alphabets, emoji, an input method's text. */
import { withTimeout } from "../machine/tools/time.ts";
import type { BrowserControl } from "./client.ts";

const TYPE_MS = 2000;

/**
 * Types into the element with the focus, as an input method does.
 * @returns false where the page has no focus, as under the browser's own dialog: only keys get there.
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
