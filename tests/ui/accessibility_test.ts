/** Everyone can use the pages: axe in both themes, the Tab key, large text, reduced motion. */
import { strict as assert } from "node:assert";
import type { Locator } from "playwright-core";
import { assertAccessible } from "../support/axe.ts";
import { SIZES } from "../support/browser.ts";
import { openWall, WALL } from "../support/wall.ts";
import { type UiOptions, type UiTest, uiTest } from "../support/ui.ts";

/** One of each state, and one more. */
const EVERY_STATE = 9;

function inBothThemes(
  name: string,
  test: (ui: UiTest, theme: string) => Promise<void>,
  { context, ...options }: UiOptions = {},
): void {
  for (const colorScheme of ["dark", "light"] as const) {
    const both = { ...options, context: { ...context, colorScheme } };
    uiTest(`${name}, ${colorScheme}`, (ui) => test(ui, colorScheme), both);
  }
}

for (const path of ["/", "/no/such/page", "/player/clock.html", "/streams/clock/log"]) {
  inBothThemes(`axe finds nothing on ${path}`, async ({ page, url }) => {
    await page.goto(url + path);
    await assertAccessible(page, path);
  }, { streams: path.includes("clock") ? [{ name: "Clock" }] : [], mayLog: /404/ });
}

for (const [size, viewport] of Object.entries(SIZES)) {
  inBothThemes(`axe finds nothing on a ${size}'s board with every state`, async (ui) => {
    const { page, dashboard } = ui;
    await openWall(ui, EVERY_STATE);
    for (const word of size === "desktop" ? ["Mini", "Small", "Large", "Medium"] : ["Medium"]) {
      await dashboard.chooseSize(word);
      await assertAccessible(page, `${word} cards`);
    }
  }, { ...WALL, context: { viewport } });
}

const CLOCK = { streams: [{ name: "Clock" }, { name: "Sales" }] };

inBothThemes("axe finds nothing in menus", async ({ page, dashboard }, theme) => {
  await dashboard.open();
  await dashboard.openMenu("Clock");
  await assertAccessible(page, "a card's menu", "[role=menu]");
  await dashboard.screenshot(`menu-desktop-${theme}`);
  await dashboard.press("Escape");
  await page.getByRole("button", { name: "Menu", exact: true }).click();
  await assertAccessible(page, "the page's menu", "[role=menu]");
}, CLOCK);

inBothThemes("axe finds nothing in dialogs", async ({ page, dashboard }, theme) => {
  const close = async (dialog: Locator) => {
    await dashboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  };
  await dashboard.open();
  for (const item of ["Settings", "Backup"]) {
    await dashboard.choosePage(item);
    await dashboard.dialog(item).waitFor();
    await assertAccessible(page, item, "dialog");
    await dashboard.screenshot(`${item.toLowerCase()}-desktop-${theme}`);
    await close(dashboard.dialog(item));
  }
  for (const item of ["Edit", "Duplicate", "Recreate", "Delete"]) {
    await dashboard.choose("Clock", item);
    await page.getByRole("dialog").waitFor();
    await assertAccessible(page, item, "dialog");
    await close(page.getByRole("dialog"));
  }
}, CLOCK);

inBothThemes("axe finds nothing in the form with problems", async ({ page, dashboard }) => {
  await dashboard.open();
  await page.getByRole("button", { name: "Add stream" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Add stream" }).click();
  await page.locator("[aria-invalid]").first().waitFor();
  await assertAccessible(page, "the form with problems", "dialog");
}, CLOCK);

inBothThemes("axe finds nothing in an address to copy by hand", async ({ page, dashboard }) => {
  await dashboard.open();
  await page.evaluate(() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined });
    document.execCommand = () => false;
  });
  await dashboard.choose("Clock", "Copy HLS");
  await dashboard.dialog("Copy this address").waitFor();
  await assertAccessible(page, "an address", "dialog");
}, CLOCK);

inBothThemes("axe finds nothing in toasts", async ({ page, dashboard }) => {
  await dashboard.open();
  await page.context().setOffline(true);
  await dashboard.poll();
  await page.getByText("Connection lost.").waitFor();
  await dashboard.choose("Clock", "Move down");
  await page.getByText("The new order was not saved").waitFor();
  await assertAccessible(page, "toasts");
}, { ...CLOCK, mayLog: /ERR_INTERNET_DISCONNECTED/ });

inBothThemes("60 streams in every state fit at every size", async (ui, theme) => {
  const { page, dashboard } = ui;
  await openWall(ui, 60);
  assert.equal(await page.locator("main").getByRole("listitem").count(), 60);
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    for (const word of ["Mini", "Small", "Large", "Medium"]) {
      await dashboard.chooseSize(word);
      assert.equal(await dashboard.overflow(), 0, `${word} scrolls sideways on ${size}`);
      assert.deepEqual(await dashboard.spills(), [], `${word} on ${size}`);
    }
    await page.evaluate(() => scrollTo(0, 0));
    await untilPictures(ui);
    await dashboard.screenshot(`wall-${size}-${theme}`);
  }
  const whole = await dashboard.wholeCards();
  assert.ok(whole >= 12, `a wall TV shows 12 cards or more, not ${whole}`);
}, WALL);

/** Waits until the pictures that can be seen are there. */
async function untilPictures({ page }: UiTest): Promise<void> {
  await page.waitForFunction(() =>
    [...document.querySelectorAll<HTMLImageElement>("main img")]
      .filter((image) => image.getBoundingClientRect().top < innerHeight)
      .every((image) => image.complete)
  );
}

for (const size of ["desktop", "phone"] as const) {
  uiTest(`text twice as large breaks nothing on a ${size}`, async (ui) => {
    const { page, dashboard } = ui;
    await openWall(ui, EVERY_STATE);
    await page.evaluate(() => document.documentElement.style.fontSize = "200%");
    await dashboard.screenshot(`large-text-${size}`);
    assert.equal(await dashboard.overflow(), 0);
    assert.deepEqual(await dashboard.spills(), []);
  }, { ...WALL, context: { viewport: SIZES[size] } });
}

uiTest("every control is reached by Tab and shows it", async ({ page, dashboard }) => {
  await dashboard.open();
  const seen: string[] = [];
  for (let presses = 0; presses < 20; presses++) {
    await page.keyboard.press("Tab");
    const { name, outline } = await page.evaluate(() => {
      const element = document.activeElement as HTMLInputElement;
      const shown = element.type === "radio" ? element.parentElement! : element;
      const { outlineStyle, outlineWidth } = getComputedStyle(shown);
      return {
        name: element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent!,
        outline: outlineStyle === "none" ? 0 : parseFloat(outlineWidth),
      };
    });
    seen.push(name.trim());
    assert.ok(outline >= 2, `the focus on "${name}" can be seen`);
  }
  assert.deepEqual(seen.slice(0, 12), [
    "Skip to the content",
    "Browser Stream",
    "Menu",
    "Add stream",
    "Playlist",
    "Medium",
    "Play Stream: Clock",
    "Run HTML: Clock",
    "VNC: Clock",
    "Start Clock",
    "More for Clock",
    "Play Stream: Sales",
  ]);
}, { streams: ["Clock", "Sales", "Lobby", "Wall"].map((name) => ({ name })) });

for (const reducedMotion of ["reduce", "no-preference"] as const) {
  const title = reducedMotion === "reduce"
    ? "nothing moves for those who ask for that"
    : "a starting stream breathes otherwise";
  uiTest(title, async (ui) => {
    await openWall(ui, EVERY_STATE);
    const moving = await ui.page.evaluate(() => document.getAnimations().length);
    assert.equal(moving > 0, reducedMotion === "no-preference", `${moving} animations`);
  }, { ...WALL, context: { reducedMotion } });
}
