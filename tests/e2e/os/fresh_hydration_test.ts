import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../../support/browser.ts";
import { buildFixture } from "../../unit/fresh/fixture.ts";

const { handle } = await buildFixture();

/** The strictest policy that a page without nonce can have. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'";

async function withPage(path: string, action: (page: Page, problems: string[]) => Promise<void>) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (req, info) => {
    const response = await handle(req, info);
    response.headers.set("content-security-policy", POLICY);
    return response;
  });
  let browser: Browser | undefined;
  try {
    browser = await launchBrowser();
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    await page.goto(`http://127.0.0.1:${server.addr.port}${path}`);
    await action(page, problems);
  } finally {
    await browser?.close();
    await server.shutdown();
  }
}

Deno.test({
  name: "islands hydrate, count and insert in place, under a strict policy",
  // Playwright keeps handles of its own until its process ends.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () =>
    withPage("/islands", async (page, problems) => {
      await page.waitForSelector("button[data-ready=true]");
      const nodesBefore = await page.locator("#islands > *").count();

      const second = page.locator("ul > button");
      await second.click();
      await second.click();
      assert.equal(await second.textContent(), "3");
      const order = await page.locator("ul").evaluate((list) =>
        [...list.children].map((child) => child.tagName)
      );
      assert.deepEqual(order, ["BUTTON", "SPAN", "I", "EM", "LI"], "new nodes stay inside of the island");
      assert.equal(
        await page.locator("#islands > button").first().textContent(),
        "5",
        "the other counter is its own",
      );

      assert.match((await page.locator("#holder").textContent())!, /^0\s+100/);
      assert.equal(await page.locator("#islands > *").count(), nodesBefore);

      const title = await page.locator("ul > span").getAttribute("title");
      assert.match(
        title!,
        /^\/style\.css\?__frsh_c=\w{32}$/,
        "asset() gives the server's URL in the browser",
      );
      assert.deepEqual(problems.filter((problem) => !problem.includes("favicon")), []);
    }),
});
