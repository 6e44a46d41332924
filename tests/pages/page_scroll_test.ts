/** A page is scrolled back to where it was, with whatever scrolls in it. */
import { strict as assert } from "node:assert";
import type { Browser } from "playwright-core";
import { documentOf } from "../../lib/browser/document.ts";
import { lookAtPage } from "../../lib/live/page/looks/page_look.ts";
import { scrollPage } from "../../lib/live/page/looks/page_scroll.ts";
import { launchShell } from "../support/browser.ts";
import { devtoolsOf } from "../support/devtools_of.ts";
import { same } from "../support/same.ts";

let browser: Browser;
Deno.test.beforeAll(async () => void (browser = await launchShell()));
Deno.test.afterAll(() => browser.close());

const TALL = `<div style="height:3000px">tall</div>`;
const PART = `<div class="part" style="height:90vh;overflow:auto;scroll-behavior:smooth">${TALL}</div>`;
const FRAME = `<iframe srcdoc='<div style="height:3000px">tall</div>' style="height:90vh"></iframe>`;

const ITSELF = "document.scrollingElement";
const part = (selector: string) => `document.querySelector("${selector}")`;
const inFrame = (at: number) => `frames[${at}].document.scrollingElement`;

/** Bodies, and what a person scrolls in them. */
const PAGES: Record<string, [html: string, scrolled: string[]]> = {
  "a page": [TALL, [ITSELF]],
  "an app whose middle scrolls": [`<style>body{margin:0;overflow:hidden}</style>${PART}`, [part(".part")]],
  "a part of a page that scrolls as well": [PART + TALL, [part(".part"), ITSELF]],
  "parts beside the middle": [
    `<div id="list" style="width:200px;height:200px;overflow:auto">${TALL}</div>
    <textarea style="position:fixed;right:0;bottom:0">${"line\n".repeat(500)}</textarea>`,
    [part("#list"), part("textarea")],
  ],
  "a part in web components": [
    `<x-app><p style="height:3000px">tall</p></x-app><script>
      document.querySelector("x-app").attachShadow({ mode: "open" }).innerHTML =
        '<div class="part" style="height:90vh;overflow:auto"><slot></slot></div>';
    </script>`,
    [`document.querySelector("x-app").shadowRoot.querySelector(".part")`],
  ],
  "frames": [FRAME + FRAME + TALL, [inFrame(0), inFrame(1), ITSELF]],
  "a part in a frame": [
    `<iframe srcdoc='<div style="height:100px;overflow:auto"><p style="height:999px">'></iframe>`,
    [`frames[0].document.querySelector("div")`],
  ],
  "a frameset": [
    `<frameset cols="50%,50%"><frame><frame src="javascript:'<p style=height:3000px>tall'"></frameset>`,
    [inFrame(1)],
  ],
  "a page of old": [`<body>${TALL}`, [ITSELF]],
};

Deno.test("whatever is scrolled in a page, and the page itself, is scrolled back", async () => {
  const page = await browser.newPage();
  using devtools = await devtoolsOf(page);
  await devtools.send("Page.enable");
  const wrong: string[] = [];
  for (const [name, [html, scrolled]] of Object.entries(PAGES)) {
    const doctype = name === "a page of old" ? "" : "<!doctype html>";
    await page.setContent(doctype + html);
    const { frameId } = await documentOf(devtools);
    const places = `[${scrolled}]`;
    const scrollTo = (top: number) =>
      page.evaluate(`${places}.forEach((part, at) =>
        part.scrollTo({ top: ${top} && ${top} + at, behavior: "instant" }))`);
    for (const from of [0, 120]) {
      await scrollTo(from);
      const before = (await lookAtPage(devtools, frameId)).scroll;
      await scrollTo(400);
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      await scrollPage(devtools, frameId, before);
      const seen = await page.evaluate(`${places}.map((part) => part.scrollTop)`) as number[];
      if (!seen.every((top, at) => top === (from && from + at))) wrong.push(`${name} from ${from}: ${seen}`);
    }
  }
  assert.deepEqual(wrong, []);
  await page.close();
});

Deno.test("a page with more scrolled parts than are remembered has the others left where they are", async () => {
  const page = await browser.newPage();
  using devtools = await devtoolsOf(page);
  await devtools.send("Page.enable");
  const list = `<div style="height:50px;overflow:auto"><p style="height:999px"></div>`;
  await page.setContent(`<!doctype html><body>${list.repeat(20)}`);
  const { frameId } = await documentOf(devtools);
  const scrollTo = (top: number) =>
    page.evaluate(`document.querySelectorAll("div").forEach((part) => part.scrollTop = ${top})`);
  await scrollTo(50);
  const before = (await lookAtPage(devtools, frameId)).scroll;
  await scrollTo(90);
  await scrollPage(devtools, frameId, before);
  await same(
    () => page.evaluate(`[...document.querySelectorAll("div")].map((part) => part.scrollTop)`),
    Array.from({ length: 20 }, (_, at) => at < 9 ? 50 : 90),
  );
  await page.close();
});
