/** Pictures and PDFs at an address, and PDFs in frames of a page, in the whole Chromium: its shell has no viewer. */
import { strict as assert } from "node:assert";
import type { Browser, Page } from "playwright-core";
import { showMedia } from "../../lib/live/page/looks/media_page.ts";
import { launchBrowser } from "../support/browser.ts";
import { devtoolsOf } from "../support/devtools_of.ts";
import { root } from "../support/fixture.ts";
import { same } from "../support/same.ts";
import { GREEN } from "../support/zoo.ts";
import { inSoak } from "../support/soak.ts";

/** Half a picture of 4:3, so that a window of 16:9 has bars beside it: its right half is not painted. */
const HALF =
  "iVBORw0KGgoAAAANSUhEUgAAACgAAAAeCAYAAABe3VzdAAAAM0lEQVR42u3OMQ0AAAgEMSQiEaeggO3HXnJ7q6Y3ejxAQEBAQEBAQEBAQEBAQEBAQMCnAzOViGWDxK3BAAAAAElFTkSuQmCC";
const SVG = "http://www.w3.org/2000/svg";
const drawing = (size: string) =>
  `<svg xmlns="${SVG}" ${size}><rect width="100%" height="100%" fill="#00a050"/></svg>`;

let browser: Browser;
let server: Deno.HttpServer<Deno.NetAddr>;
let pdf: Uint8Array<ArrayBuffer>;
/** Requests for what is given once. */
let onces = 0;
/** What is at "/". */
let answer: { type: string; body: string };

Deno.test.beforeAll(async () => {
  pdf = await Deno.readFile(`${root}/tests/fixtures/zoo/green.pdf`);
  server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ url }) => {
    const { pathname } = new URL(url);
    const isRefused = pathname === "/refused";
    if (pathname === "/once" && onces++ > 0) return new Response("gone", { status: 403 });
    if (pathname === "/") return new Response(answer.body, { headers: { "content-type": answer.type } });
    if (pathname === "/half") {
      return new Response(Uint8Array.fromBase64(HALF), { headers: { "content-type": "image/png" } });
    }
    return new Response(pdf, {
      headers: { "content-type": "application/pdf", ...(isRefused ? { "x-frame-options": "DENY" } : {}) },
    });
  });
  browser = await launchBrowser();
});
Deno.test.afterAll(async () => {
  await browser.close();
  await server.shutdown();
});

/** A page of a stream. */
async function aPage(): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  const devtools = await devtoolsOf(page);
  await devtools.send("Page.enable");
  await showMedia(devtools, 600);
  return page;
}

const goto = (page: Page, path: string) => page.goto(`http://127.0.0.1:${server.addr.port}${path}`);

const hashes = (page: Page) => page.frames().map((frame) => new URL(frame.url()).hash);

/** A pixel of what is seen. */
async function pixelOf(page: Page, x: number, y: number): Promise<number[]> {
  const picture = await page.screenshot({ clip: { x, y, width: 1, height: 1 } });
  const at = picture.indexOf("IDAT");
  const packed = picture.subarray(at + 4, at + 4 + picture.readUInt32BE(at - 4));
  const row = new Blob([new Uint8Array(packed)]).stream().pipeThrough(new DecompressionStream("deflate"));
  // the first byte says how the row is written, which is all the same for one pixel
  return [...await new Response(row).bytes()].slice(1, 4);
}

const isNear = (one: readonly number[], other: readonly number[]) =>
  one.every((value, at) => Math.abs(value - other[at]) < 8);

/** Whether the page is green up to its edges. */
async function isGreen(page: Page): Promise<boolean> {
  const places = [[8, 8], [1271, 8], [640, 360], [8, 711], [1271, 711]];
  for (const [x, y] of places) if (!isNear(await pixelOf(page, x, y), GREEN)) return false;
  return true;
}

inSoak(Deno.test)(
  "a drawing that says only its size fills the screen, whatever the size's unit",
  async () => {
    const page = await aPage();
    const found: Record<string, string | null> = {};
    for (
      const size of [
        'width="160" height="90"',
        'width="160px" height="90px"',
        'width="1.6in" height="22.86mm"',
        'width="100%" height="100%"',
        'width="100%" height="90"',
        'height="90"',
        "",
        'width="160" height="90" viewBox="0 0 16 9"',
      ]
    ) {
      answer = { type: "image/svg+xml", body: drawing(size) };
      await goto(page, "/");
      const viewBox = await page.evaluate(() => document.documentElement.getAttribute("viewBox"));
      found[size] = viewBox?.replace(/(\.\d)\d+/g, "$1") ?? null;
      if (!/^$|="90"$/.test(size)) assert.ok(await isGreen(page), size);
    }
    assert.deepEqual(found, {
      'width="160" height="90"': "0 0 160 90",
      'width="160px" height="90px"': "0 0 160 90",
      'width="1.6in" height="22.86mm"': "0 0 153.6 86.4",
      'width="100%" height="100%"': null,
      'width="100%" height="90"': null,
      'height="90"': null,
      "": null,
      'width="160" height="90" viewBox="0 0 16 9"': "0 0 16 9",
    });
    await page.close();
  },
);

Deno.test("what a picture leaves unpainted is light grey, as in Chromium's own document, and its bars are black", async () => {
  const page = await aPage();
  await goto(page, "/half");
  const places = { bar: 80, painted: 400, unpainted: 900, otherBar: 1200 };
  const seen: number[][] = [];
  for (const x of Object.values(places)) seen.push(await pixelOf(page, x, 360));
  const wanted = [[0, 0, 0], GREEN, [230, 230, 230], [0, 0, 0]];
  assert.ok(seen.every((colour, at) => isNear(colour, wanted[at])), JSON.stringify(seen));
  await page.close();
});

inSoak(Deno.test)("a PDF in a page has no toolbar, whatever holds it", async () => {
  const page = await aPage();
  const WIDTH = 426, HEIGHT = 240; // a smaller viewer has no toolbar anyway
  const places = Array.from({ length: 5 }, (_, at) => ({ x: at % 3 * WIDTH, y: at < 3 ? 0 : HEIGHT }));
  const styles = places.map(({ x, y }) =>
    `style="position:fixed;border:0;width:${WIDTH}px;height:${HEIGHT}px;left:${x}px;top:${y}px"`
  );
  const other = `http://localhost:${server.addr.port}/plan.pdf`;
  answer = {
    type: "text/html",
    body: `<!doctype html>
      <iframe src="/plan" ${styles[0]}></iframe>
      <embed src="/plan" ${styles[1]}>
      <object data="/plan" type="application/pdf" ${styles[2]}></object>
      <iframe src="${other}" ${styles[3]}></iframe>
      <iframe id="later" ${styles[4]}></iframe>
      <script>addEventListener("DOMContentLoaded", () => document.getElementById("later").src = "${other}")</script>`,
  };
  await goto(page, "/");
  const areGreen = async () => {
    const seen: boolean[] = [];
    for (const { x, y } of places) seen.push(isNear(await pixelOf(page, x + 20, y + 10), GREEN));
    return seen;
  };
  // a viewer, which holds another frame, has no toolbar for a moment while it begins
  await same(() => hashes(page).filter((hash) => hash === "#toolbar=0&navpanes=0&view=Fit").length, 10);
  await same(areGreen, places.map(() => true));
  await page.close();
});

Deno.test("a PDF in a frame stays as the page's author wants it", async () => {
  const page = await aPage();
  answer = { type: "text/html", body: `<!doctype html><iframe src="/plan#page=2"></iframe>` };
  await goto(page, "/");
  await same(() => hashes(page).includes("#page=2"), true);
  assert.ok(!hashes(page).some((hash) => hash.includes("toolbar")));
  await page.close();
});
