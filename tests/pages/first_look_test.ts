/** When a page has loaded that waits for what never ends. */
import type { Browser } from "playwright-core";
import { documentOf } from "../../lib/browser/document.ts";
import { lookFirst } from "../../lib/live/page/first_look.ts";
import { launchShell } from "../support/browser.ts";
import { devtoolsOf } from "../support/devtools_of.ts";
import { same } from "../support/same.ts";
import { zooServer } from "../support/zoo.ts";

let browser: Browser;
Deno.test.beforeAll(async () => {
  browser = await launchShell();
});
Deno.test.afterAll(() => browser.close());

Deno.test("a page with a camera in a frame, for whose end the page waits, has loaded once it is seen", async () => {
  // its camera ends with it: the page may be closed before the answer knows
  await using server = zooServer();
  const page = await browser.newPage();
  using devtools = await devtoolsOf(page);
  await devtools.send("Page.enable");
  await page.goto(new URL("/zoo/camera-in-frame", server.url).href, { waitUntil: "commit" });
  const { frameId } = await documentOf(devtools);
  await same(async () => (await lookFirst(devtools, frameId)).isLoaded, true);
  await same(() => page.evaluate("document.readyState"), "interactive", "the camera goes on");
  await page.close();
});
