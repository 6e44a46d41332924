/** A page is scrolled back to where it was, with what scrolls in its middle. */
import { strict as assert } from "node:assert";
import type { Browser } from "playwright-core";
import { documentOf } from "../../lib/devtools/document.ts";
import { lookAtPage } from "../../lib/devtools/page_look.ts";
import { scrollPage } from "../../lib/devtools/page_scroll.ts";
import { launchShell } from "../support/browser.ts";
import { devtoolsOf } from "../support/devtools_of.ts";

let browser: Browser;
Deno.test.beforeAll(async () => void (browser = await launchShell()));
Deno.test.afterAll(() => browser.close());

const TALL = `<div style="height:3000px">tall</div>`;
const PART = `<div class="part" style="height:90vh;overflow:auto;scroll-behavior:smooth">${TALL}</div>`;

/** Bodies, and what a person scrolls in them: the page itself is "page". */
const PAGES: Record<string, [html: string, scrolled: string[]]> = {
  "a page": [TALL, ["page"]],
  "an app whose middle scrolls": [`<style>body{margin:0;overflow:hidden}</style>${PART}`, [".part"]],
  "a part of a page that scrolls as well": [PART + TALL, [".part", "page"]],
  "a part in web components": [
    `<x-app><p style="height:3000px">tall</p></x-app><script>
      document.querySelector("x-app").attachShadow({ mode: "open" }).innerHTML =
        '<div class="part" style="height:90vh;overflow:auto"><slot></slot></div>';
    </script>`,
    [".part"],
  ],
  "a page of old": [`<body>${TALL}`, ["page"]],
};

const POSITIONS = `(selectors) => selectors.map((selector) => {
  const app = document.querySelector("x-app");
  const part = selector === "page" ? document.scrollingElement : (app?.shadowRoot ?? document).querySelector(selector);
  return part;
})`;

Deno.test("what scrolls in the middle of a page, and the page itself, are scrolled back", async () => {
  const page = await browser.newPage();
  using devtools = await devtoolsOf(page);
  await devtools.send("Page.enable");
  const wrong: string[] = [];
  for (const [name, [html, scrolled]] of Object.entries(PAGES)) {
    const doctype = name === "a page of old" ? "" : "<!doctype html>";
    await page.setContent(doctype + html);
    const { frameId } = await documentOf(devtools);
    const places = JSON.stringify(scrolled);
    const scrollTo = (top: number) =>
      page.evaluate(`(${POSITIONS})(${places}).forEach((part, at) =>
        part.scrollTo({ top: ${top} + at, behavior: "instant" }))`);
    await scrollTo(120);
    const before = (await lookAtPage(devtools, frameId)).scroll;
    await scrollTo(700);
    await scrollPage(devtools, frameId, before);
    const seen = await page.evaluate(`(${POSITIONS})(${places}).map((part) => part.scrollTop)`) as number[];
    if (!seen.every((top, at) => top === 120 + at)) wrong.push(`${name}: ${seen}`);
  }
  assert.deepEqual(wrong, []);
  await page.close();
});
