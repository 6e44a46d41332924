/** Paste, Enter, watching: a person before an empty board, and real programs. */
import { strict as assert } from "node:assert";
import { launchShell, openPage } from "../support/browser.ts";
import { DashboardPage } from "../support/dashboard_page.ts";
import { Person } from "../support/person.ts";
import { same } from "../support/same.ts";
import { sharedService } from "../support/service.ts";

/** Milliseconds until the page is there, of a machine that other tests keep busy: an idle one needs 2 to 3 s. */
const PAGE_MS = 60_000;

/** From there to the picture on the card: a capture, a round of the feed, and the image. */
const PICTURE_MS = 6000;

const serviceTest = sharedService();

serviceTest(
  "two actions bring the first picture to an empty board, and the page's title",
  async (service) => {
    const browser = await launchShell();
    const { page, errors } = await openPage(browser);
    try {
      page.setDefaultTimeout(60_000);
      const board = new DashboardPage(page, service.url);
      const person = new Person(page);
      await board.open();
      await page.locator("#add-address:focus").waitFor();
      await person.paste(`${service.pageUrl}departures.html`);
      const began = performance.now();
      const passed: string[] = [];
      const note = (what: string) => passed.push(`${what} ${Math.round(performance.now() - began)} ms`);
      await person.press("Enter");
      await page.locator(".card").waitFor();
      note("card");
      const id = (await page.locator(".card").getAttribute("data-id"))!;
      type Seen = { state?: string; page?: { state: string }; thumbAt?: number };
      const seen = async (is: (status: Seen) => boolean) => {
        for (let status: Seen = {}; !is(status);) {
          assert.ok(performance.now() - began < PAGE_MS, `${passed.join(", ")}: ${JSON.stringify(status)}`);
          await new Promise((done) => setTimeout(done, 50));
          status = (await (await service.api("GET", "/api/streams/statuses")).json())[id] ?? {};
        }
      };
      await seen(({ page }) => page?.state === "ok");
      note("page");
      const pageAt = performance.now();
      await seen(({ thumbAt }) => thumbAt !== undefined);
      note("thumbnail");
      await page.locator(".card .thumbnail img:not(.is-loading)").evaluate((it: HTMLImageElement) =>
        it.decode()
      );
      const tookMs = performance.now() - pageAt;
      note("picture");
      console.log(passed.join(", "));
      assert.equal(person.actions, 2);
      assert.ok(tookMs < PICTURE_MS, `the first picture took ${passed.join(", ")}`);
      const { title } = await (await fetch(`${service.pageUrl}departures.html`)).text().then((html) => ({
        title: /<title>([^<]*)</.exec(html)?.[1],
      }));
      await same(() => board.names(), [title]);
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
    }
  },
);
