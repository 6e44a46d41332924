/** The board under a remote control: arrow keys, OK, Menu and Back, and how it looks from 3 m away. */
import { strict as assert } from "node:assert";
import type { Page } from "playwright-core";
import { SIZES } from "../support/browser.ts";
import { PlayerPage } from "../support/player_page.ts";
import { type UiOptions, uiTest } from "../support/ui.ts";
import { inSoak } from "../support/soak.ts";
import { same } from "../support/same.ts";

const WEB_OS =
  "Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/79.0 Safari/537.36";
const TV: UiOptions["context"] = { viewport: SIZES.tv, userAgent: WEB_OS };
const STREAMS = ["Clock", "News", "Sales", "Lobby", "Departures", "Camera"].map((name) => ({ name }));

/** The id of the card that has the focus; "" without one. */
const focused = (page: Page) => page.evaluate(() => (document.activeElement as HTMLElement).dataset.id ?? "");

/** Where these keys lead to, one after the other. */
async function press(page: Page, ...keys: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const key of keys) {
    await page.keyboard.press(key);
    ids.push(await focused(page));
  }
  return ids;
}

inSoak(uiTest)("a remote control without Tab reaches what is above the cards, and comes back", async (ui) => {
  const { page, dashboard } = ui;
  await dashboard.open();
  await press(page, "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowUp");
  await same(() => dashboard.focusedText(), /View|Playlist/);
  await press(page, "ArrowUp", "ArrowRight", "ArrowRight");
  await same(() => dashboard.focusedText(), /Add stream/);
  await press(page, "ArrowLeft");
  await page.keyboard.press("Enter");
  await page.getByRole("menu").waitFor();
  await page.keyboard.press("Escape");
  await press(page, "ArrowDown");
  assert.equal((await press(page, "ArrowDown"))[0], "lobby");
}, { context: TV, streams: STREAMS });

uiTest(
  "a television's empty board takes an address by its keys, and says how it is added elsewhere",
  async (ui) => {
    const { page, dashboard, url, layoutShift } = ui;
    await dashboard.open();
    await page.getByText(`Easier from a phone or a computer: scan the code, or open ${url}`).waitFor();
    await page.getByRole("img", { name: `QR code: ${url}` }).waitFor();
    assert.equal(await layoutShift(), 0);
    await dashboard.screenshot("empty-tv");
    const named = () =>
      page.evaluate(() => {
        const { id, textContent } = document.activeElement!;
        return id || textContent;
      });
    await press(page, "ArrowDown");
    await same(named, "add-address");
    await press(page, "Enter");
    await dashboard.dialog("Add a stream").waitFor();
    for (let presses = 0; presses < 40 && await named() !== "Cancel"; presses++) {
      await press(page, "ArrowDown");
    }
    await same(named, "Cancel", "down leads through the dialog to its end");
    await press(page, "ArrowRight");
    await same(named, "Add stream");
  },
  { context: TV },
);

uiTest("what a television's empty board has added has the focus, and OK plays it", async (ui) => {
  const { page, dashboard } = ui;
  await dashboard.open();
  await press(page, "ArrowDown");
  await page.keyboard.type("clock.example.org");
  await page.keyboard.press("Enter");
  await same(() => page.evaluate(() => document.activeElement!.id), "stream-clock-example-org");
  await same(() => page.locator("#add-address").isVisible(), false, "no field is on the way of the keys");
}, { context: TV });

uiTest("the filter gets a remote control's keys by OK, and the arrows lead on from it", async (ui) => {
  const { page, dashboard } = ui;
  await dashboard.open();
  await press(page, "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowUp");
  const isFilter = (selector: string) =>
    page.evaluate((selector) => document.activeElement!.matches(selector), selector);
  for (let presses = 0; presses < 4 && !await isFilter("form.filter"); presses++) {
    await press(page, "ArrowLeft");
  }
  await same(() => isFilter("form.filter"), true);
  await dashboard.screenshot("tv-filter");
  await press(page, "Enter");
  await same(() => isFilter("#filter"), true);
  await page.keyboard.type("sales");
  await press(page, "ArrowLeft");
  await same(() => isFilter("#filter"), true, "within the text");
  await press(page, "Enter");
  await same(() => isFilter("form.filter"), true, "OK ends it");
  assert.deepEqual(await press(page, "ArrowDown"), ["sales"]);
}, { context: TV, streams: STREAMS });

uiTest(
  "arrows go from card to card, OK plays in the same tab, and Back comes back to the card",
  async (ui) => {
    const { page, url, app, dashboard } = ui;
    await dashboard.open();
    const path = await press(
      page,
      "ArrowDown",
      "ArrowRight",
      "ArrowDown",
      "ArrowDown",
      "ArrowUp",
      "ArrowLeft",
    );
    assert.deepEqual(
      path,
      ["clock", "news", "", "camera", "news", "clock"],
      "down leads into the card first",
    );
    await press(page, "m");
    await dashboard.menuItem("Delete").click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await same(() => focused(page), "news", "a toast leaves the focus where it is");
    for (let presses = 0; presses < 8 && await dashboard.focusedText() !== "Undo"; presses++) {
      await press(page, "ArrowDown");
    }
    await dashboard.screenshot("tv-undo");
    await same(() => dashboard.focusedText(), "Undo", "below the cards that are seen whole");
    await page.keyboard.press("Enter");
    await same(() => focused(page), "clock");
    await press(page, "ArrowDown");
    for (let presses = 0; presses < 6 && !/^Start/.test(await dashboard.focusedText()); presses++) {
      await press(page, "ArrowRight");
    }
    await page.keyboard.press("Enter");
    await same(async () => (await app.api("GET", "/api/streams/clock")).json.desiredState, "running");
    for (let presses = 0; presses < 4 && await focused(page) === ""; presses++) await press(page, "ArrowUp");
    await same(() => focused(page), "clock");
    assert.deepEqual(await press(page, "ArrowRight"), ["news"]);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${url}/player/news`);
    const tv = new PlayerPage(page, url);
    await tv.find();
    await tv.untilReady();
    await tv.send("GoBack", 461);
    await page.waitForURL(`${url}/`);
    await page.waitForFunction(() => document.activeElement?.id === "stream-news");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${url}/player/news`);
    await tv.find();
    await tv.frame.locator("#to-channels:not([hidden])").waitFor({ state: "attached" });
    await page.keyboard.press("4");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${url}/player/lobby`);
    await tv.send("GoBack", 461);
    await page.waitForURL(`${url}/`);
    await page.waitForFunction(() => document.activeElement?.id === "stream-lobby");
    assert.deepEqual(page.context().pages(), [page]);
  },
  { context: TV, streams: STREAMS },
);
