/** A card's menu by keyboard. */
import { strict as assert } from "node:assert";
import { uiTest } from "../support/ui.ts";
import { same } from "../support/same.ts";

const CLOCK = { streams: [{ name: "Clock", desiredState: "running" }] };

uiTest("the menu opens by keyboard, and its keys move", async ({ page, dashboard }) => {
  await dashboard.open();
  const more = dashboard.action("Clock", "More for");
  await more.focus();
  await same(() => more.getAttribute("aria-expanded"), "false");
  await dashboard.press("ArrowDown");
  await page.getByRole("menu", { name: "More for Clock" }).waitFor();
  await same(() => more.getAttribute("aria-expanded"), "true");
  await same(() => dashboard.focusedText(), "Edit…");
  const keys: [string, RegExp][] = [
    ["ArrowDown", /^Duplicate/],
    ["ArrowUp", /^Edit/],
    ["ArrowUp", /^Delete/],
    ["ArrowDown", /^Edit/],
    ["End", /^Delete/],
    ["Home", /^Edit/],
    ["l", /^Logs/],
    ["s", /^Share/],
  ];
  for (const [key, expected] of keys) {
    await dashboard.press(key);
    await same(() => dashboard.focusedText(), expected, `after ${key}`);
  }
}, CLOCK);

uiTest("the menu has at most nine entries", async ({ page, dashboard }) => {
  await dashboard.open();
  await dashboard.openMenu("Clock");
  const entries = await page.getByRole("menu").locator("[role^=menuitem]").allTextContents();
  assert.ok(entries.length <= 9, String(entries));
}, CLOCK);

uiTest("Escape, Tab, a click elsewhere and another size close the menu", async ({ page, dashboard }) => {
  await dashboard.open();
  const more = dashboard.action("Clock", "More for");
  const ways: [way: string, act: () => Promise<void>][] = [
    ["Escape", () => dashboard.press("Escape")],
    ["a click", () => page.mouse.click(5, 300)],
    ["another size", () => page.evaluate(() => void dispatchEvent(new Event("resize")))],
    ["Tab", () => dashboard.press("Tab")],
  ];
  for (const [way, act] of ways) {
    await dashboard.openMenu("Clock");
    await act();
    await page.getByRole("menu").waitFor({ state: "detached" });
    if (way !== "Tab") await same(() => dashboard.isFocused(more), true, `the focus is back after ${way}`);
  }
}, CLOCK);
