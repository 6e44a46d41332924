/** A card's menu: by keyboard, and the addresses it copies. */
import { strict as assert } from "node:assert";
import type { Page } from "playwright-core";
import { uiTest } from "../support/ui.ts";

const CLOCK = { streams: [{ name: "Clock", desiredState: "running" }] };

uiTest("the menu opens by keyboard, and its keys move", async ({ page, dashboard }) => {
  await dashboard.open();
  const more = dashboard.action("Clock", "More for");
  await more.focus();
  assert.equal(await more.getAttribute("aria-expanded"), "false");
  await dashboard.press("ArrowDown");
  await page.getByRole("menu", { name: "More for Clock" }).waitFor();
  assert.equal(await more.getAttribute("aria-expanded"), "true");
  assert.equal(await dashboard.focusedText(), "Edit…");
  const keys: [string, RegExp][] = [
    ["ArrowDown", /^Duplicate/],
    ["ArrowUp", /^Edit/],
    ["ArrowUp", /^Delete/],
    ["ArrowDown", /^Edit/],
    ["End", /^Delete/],
    ["Home", /^Edit/],
    ["l", /^Logs/],
    ["p", /^Pure mode/],
  ];
  for (const [key, expected] of keys) {
    await dashboard.press(key);
    assert.match(await dashboard.focusedText(), expected, `after ${key}`);
  }
}, CLOCK);

uiTest("Space follows a link of the menu, and switches a setting, which leaves it open", async (ui) => {
  const { page, dashboard } = ui;
  await dashboard.open();
  await dashboard.openMenu("Clock");
  await dashboard.press("p");
  await dashboard.press("Space");
  await page.getByRole("menuitemcheckbox", { name: "Pure mode", checked: true }).waitFor();
  await page.context().route("**/streams/clock/log", (route) => route.fulfill({ body: "the log" }));
  const opening = page.context().waitForEvent("page");
  await dashboard.press("l");
  await dashboard.press("Space");
  assert.equal(new URL((await opening).url()).pathname, "/streams/clock/log");
  await page.getByRole("menu").waitFor({ state: "detached" });
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
    if (way !== "Tab") assert.ok(await dashboard.isFocused(more), `the focus is back after ${way}`);
  }
}, CLOCK);

const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };
const HLS_PATH = "/api/hls/live/clock/index.m3u8";

uiTest("addresses are copied", async ({ page, dashboard, url, app }) => {
  await dashboard.open();
  const cases: [string, string][] = [
    ["Copy HLS address", url + HLS_PATH],
    ["Copy player address", `${url}/player/clock`],
    ["Copy RTMP address", `rtmp://127.0.0.1:${app.config.RTMP_PORT}/live/clock`],
  ];
  for (const [item, expected] of cases) {
    await dashboard.choose("Clock", item);
    await dashboard.untilAnnounced(item.slice("Copy ".length));
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), expected);
  }
}, { ...CLOCK, context: CLIPBOARD });

/** As on http pages of other hosts. */
function forbidClipboard(page: Page): Promise<void> {
  return page.evaluate(() => {
    Object.assign(globalThis, { clipboard: navigator.clipboard });
    Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true });
  });
}

uiTest("where no page may use the clipboard, the old command copies", async ({ page, dashboard, url }) => {
  await dashboard.open();
  await forbidClipboard(page);
  await dashboard.choose("Clock", "Copy HLS address");
  await dashboard.untilAnnounced("HLS address");
  const copied = await page.evaluate(() =>
    (globalThis as unknown as { clipboard: Clipboard }).clipboard.readText()
  );
  assert.equal(copied, url + HLS_PATH);
  assert.equal(await page.getByRole("dialog").count(), 0);
}, { ...CLOCK, context: CLIPBOARD });

uiTest("where nothing copies, the address is there to copy by hand", async ({ page, dashboard, url }) => {
  await dashboard.open();
  await forbidClipboard(page);
  await page.evaluate(() => document.execCommand = () => false);
  await dashboard.choose("Clock", "Copy HLS address");
  const field = dashboard.dialog("Copy this address").getByLabel("HLS address");
  await field.waitFor();
  assert.equal(await field.inputValue(), url + HLS_PATH);
  const selected = await field.evaluate((input: HTMLInputElement) =>
    input.value.slice(input.selectionStart!, input.selectionEnd!)
  );
  assert.equal(selected, url + HLS_PATH, "it is selected");
}, CLOCK);
