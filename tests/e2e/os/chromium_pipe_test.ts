/** A real Chromium at its pipe: when nobody reads it, and when another takes the place of who did. */
import { strict as assert } from "node:assert";
import { type LoneBrowser, loneBrowser } from "../../support/lone_browser.ts";
import { until } from "../../support/same.ts";
import { inSoak } from "../../support/soak.ts";

/** A page that says that it goes on, and fills a console. */
const PAGE = `<!doctype html><link rel="icon" href="data:,"><script>
  setInterval(() => fetch("/beat"), 50);
  setInterval(() => { for (let line = 0; line < 50; line++) console.log("x".repeat(1000)); }, 50);
</script>`;

let beats = 0;
let server: Deno.HttpServer<Deno.NetAddr>;
let browser: LoneBrowser;
let url = "";
Deno.test.beforeAll(async () => {
  server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const isBeat = new URL(request.url).pathname === "/beat";
    if (isBeat) beats++;
    return new Response(isBeat ? "" : PAGE, { headers: { "content-type": "text/html" } });
  });
  url = `http://wall.test:${server.addr.port}/`;
  browser = await loneBrowser(url, { "wall.test": [{ port: server.addr.port, space: "public" }] });
});
Deno.test.afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await server.shutdown();
});

async function untilMoreBeats(count: number): Promise<void> {
  const before = beats;
  await until("the page to go on", () => beats >= before + count);
}

inSoak(Deno.test)(
  "Chromium goes on while nobody reads what it says, and then serves the next who does",
  async () => {
    {
      await using page = await browser.control.connectFirst();
      await page.send("Runtime.enable");
      await page.send("Page.navigate", { url });
      await untilMoreBeats(3);
      browser.killHub();
      await page.ended;
    }
    // 1 MB a second: the pipe, which holds 64 KiB, is full at once
    await untilMoreBeats(60);
    await browser.restartHub();
    assert.equal(await browser.control.answers(10_000), true);
    await using page = await browser.control.connectFirst();
    assert.equal(await page.evaluate("location.href"), url);
  },
);

Deno.test("a session that holds a page's requests back ends with who had it, however that ended", async () => {
  {
    await using page = await browser.control.connectFirst();
    await page.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] });
    // the page's beats are held back as well, and sooner
    const paused = new Promise<void>((done) =>
      page.onevent = (method, { request }) =>
        method === "Fetch.requestPaused" && (request as { url: string }).url === `${url}again` && done()
    );
    page.send("Page.navigate", { url: `${url}again` }).catch(() => {}); // answered when the page is there
    await paused;
    browser.killHub();
    await page.ended;
  }
  await browser.restartHub();
  await using page = await browser.control.connectFirst();
  await until(
    "the page to be loaded",
    async () => await page.evaluate("location.pathname") === "/again",
  );
  await untilMoreBeats(3);
});
