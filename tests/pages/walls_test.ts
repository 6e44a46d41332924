/** Walls in a real Chromium: made by mouse and by keys, and played on one page. */
import { strict as assert } from "node:assert";
import type { Page } from "playwright-core";
import { assertAccessible, assertBothAccessible } from "../support/axe.ts";
import { FAILED_REQUESTS, playerTest } from "../support/player_ui.ts";
import { same, until } from "../support/same.ts";
import { uiTest } from "../support/ui.ts";
import { inSoak } from "../support/soak.ts";
import { streamId } from "../../lib/model/id.ts";

const STREAMS = [{ name: "Clock", group: "Lobby" }, { name: "News", desiredState: "running" }, {
  name: "Sales",
  group: "Lobby",
}];

/** What the slots of the editor show, in order. */
const slots = (page: Page) => page.locator(".slot-button").allTextContents();

async function untilSlots(page: Page, expected: string[]): Promise<void> {
  let seen: string[] = [];
  await until(`the slots ${expected}`, async () => {
    seen = await slots(page);
    return String(seen) === String(expected);
  }).catch((error) => {
    throw new Error(`${error.message}; they were ${seen}`);
  });
}

async function drag(page: Page, from: string, to: string): Promise<void> {
  const middle = async (selector: string) => {
    const { x, y, width, height } = (await page.locator(selector).first().boundingBox())!;
    return [x + width / 2, y + height / 2] as const;
  };
  await page.mouse.move(...await middle(from));
  await page.mouse.down();
  await page.mouse.move(...await middle(to), { steps: 8 });
  await page.mouse.up();
}

uiTest("a wall is made by drag and by keys, saved, opened, and made a channel", async (ui) => {
  const { page, url, app } = ui;
  await app.service.fleet.get(streamId("news")).thumbnail.capture();
  await page.goto(`${url}/wall`);
  await page.locator("main[data-ready=true]").waitFor();
  await page.getByRole("button", { name: "New wall" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Lobby");
  await page.waitForFunction(() =>
    Object.keys(document.querySelector(".wall-slot")!).some((key) => key.startsWith("Sortable"))
  );
  await drag(page, "[data-stream=news]", "[data-slot='3']");
  await untilSlots(page, ["Empty", "Empty", "Empty", "News"]);
  const thumbnail = /\/news\/thumb\?at=\d+$/;
  await same(() => page.locator("[data-slot='3'] img").getAttribute("src"), thumbnail);
  await drag(page, "[data-slot='3'] .is-set", "[data-slot='1']");
  await untilSlots(page, ["Empty", "News", "Empty", "Empty"]);
  // by keys alone: the first slot, its stream, and its size
  await page.locator("[data-slot='0'] button").focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("Shows").selectOption({ label: "Clock" });
  await page.getByRole("button", { name: "Wider" }).press("Enter");
  await untilSlots(page, ["Clock", "News", "Empty"]);
  await page.getByLabel("Fill the empty slots with").selectOption({ label: "Group Lobby" });
  await page.getByRole("button", { name: "Fill", exact: true }).press("Enter");
  await untilSlots(page, ["Clock", "News", "Sales"]);
  await assertBothAccessible(page, "the editor");
  await page.getByRole("button", { name: "Save" }).press("Enter");
  await page.getByRole("link", { name: "Open Lobby" }).waitFor();
  const { json } = await app.api("GET", "/api/walls/lobby");
  assert.deepEqual(
    json.slots.map((slot: Record<string, unknown>) => [slot.row, slot.column, slot.columnSpan, slot.stream]),
    [[1, 1, 2, "clock"], [2, 1, 1, "news"], [2, 2, 1, "sales"]],
  );
  await page.getByRole("button", { name: "Make it a channel: Lobby" }).click();
  const question = page.getByRole("dialog", { name: "Make “Lobby” a channel?" });
  await question.getByText("all 3 pictures on the server").waitFor();
  await question.getByRole("button", { name: "Make it a channel" }).click();
  await page.getByText("“Lobby” is a stream now").waitFor();
  await page.getByRole("button", { name: "Share Lobby" }).click();
  const share = page.getByRole("dialog", { name: "Share “Lobby”" });
  await same(() => share.getByLabel("Address").inputValue(), `${url}/wall?layout=lobby`);
  await share.getByRole("img", { name: "QR code: Lobby" }).waitFor();
  await assertBothAccessible(page, "the wall's address");
  await share.getByRole("button", { name: "Done" }).click();
  await page.getByRole("link", { name: "Lobby", exact: true }).waitFor();
  await same(() => page.locator(".wall-preview image").first().getAttribute("href"), thumbnail);
  await assertBothAccessible(page, "the list of walls");
}, { streams: STREAMS, context: { reducedMotion: "reduce" } });

inSoak(playerTest)(
  "a wall plays what runs without sound, and one of them with sound after OK",
  async (ui) => {
    const { page, url, app, channel } = ui;
    const names = ["clock", "news", "sales", "gone"];
    const wall = {
      name: "Lobby",
      slots: names.map((stream, at) => ({ row: 1 + (at >> 1), column: 1 + at % 2, stream })),
    };
    assert.equal((await app.api("POST", "/api/walls", wall)).status, 201);
    await channel.stop();
    await page.goto(`${url}/wall?layout=lobby`);
    await page.getByText("No picture. Trying again…").nth(1).waitFor();
    // a channel that fails is tried again by itself
    channel.start();
    await page.locator(".is-playing").nth(1).waitFor();
    await same(() => page.locator(".is-stopped .words").innerText(), /Sales\s+Stopped/);
    await same(() => page.locator(".is-gone .words").innerText(), /gone\s+This stream was deleted/);
    const heard = () =>
      page.evaluate(() =>
        [...document.querySelectorAll("video")].map((video) => !video.muted && !video.paused)
      );
    await same(heard, [false, false, false, false]);
    for (const key of ["ArrowRight", "ArrowRight", "Enter"]) await page.keyboard.press(key);
    await same(heard, [false, true, false, false]);
    // it has the whole page, and the arrows lead on from there
    const large = () =>
      page.evaluate(() =>
        [...document.querySelectorAll(".slot[role]")].map((slot) => slot.clientWidth === innerWidth)
      );
    await same(large, [false, true, false, false]);
    await page.keyboard.press("ArrowLeft");
    await same(() => Promise.all([large(), heard()]), [[true, false, false, false], [
      true,
      false,
      false,
      false,
    ]]);
    await assertAccessible(page, "a wall with one large slot");
    await page.keyboard.press("m");
    await same(heard, [false, false, false, false]);
    await page.keyboard.press("Escape");
    await same(large, [false, false, false, false]);
    await page.locator(".slot[role]").nth(1).click();
    await same(large, [false, true, false, false]);
    await page.locator(".slot[role]").nth(1).click();
    await same(() => Promise.all([large(), heard()]), [[false, false, false, false], [
      false,
      false,
      false,
      false,
    ]]);
    await assertAccessible(page, "a wall");
    // what is not seen costs nothing: no player is left
    await page.evaluate(() => {
      Object.defineProperty(document, "hidden", { value: true, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await until("all players to be gone", async () => await page.locator("video[src]").count() === 0);
    await page.evaluate(() => {
      Object.defineProperty(document, "hidden", { value: false, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await page.locator(".is-playing").nth(1).waitFor();
  },
  {
    others: ["news"],
    streams: [{ name: "News", desiredState: "running" }, { name: "Sales" }],
    mayLog: FAILED_REQUESTS,
  },
);
