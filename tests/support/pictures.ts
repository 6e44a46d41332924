/** Pictures of pages for people to look at, in tests/screenshots: only with PICTURES=1, since each takes 0.2 s of a core. */
import type { Page } from "playwright-core";

const FOLDER = new URL("../screenshots/", import.meta.url).pathname;

/** Takes a picture, if somebody wants to look at it. @param name of the file, without its ending. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (Deno.env.get("PICTURES") === "1") await page.screenshot({ path: `${FOLDER}${name}.png` });
}
