/** Everyone can use the pages: axe in both themes, the Tab key, large text, reduced motion. */
import { strict as assert } from "node:assert";
import type { Page } from "playwright-core";
import { assertAccessible, assertBothAccessible } from "../support/axe.ts";
import { SIZES } from "../support/browser.ts";
import type { DashboardPage } from "../support/dashboard_page.ts";
import { openWall, WALL } from "../support/wall.ts";
import { type UiOptions, uiTest } from "../support/ui.ts";
import { inSoak, unlessUsual } from "../support/soak.ts";
import { same } from "../support/same.ts";

/** One of each state, and one more. */
const EVERY_STATE = 9;

/** A theme that comes at once: axe would find the colours in between. */
const STILL = { reducedMotion: "reduce" } as const;
const CLOCK: UiOptions = { context: STILL, streams: [{ name: "Clock" }, { name: "Sales" }] };

for (const path of ["/", "/no/such/page", "/streams/clock/log", "/streams/clock"]) {
  unlessUsual(path === "/" || path === "/streams/clock", uiTest)(
    `axe finds nothing on ${path}`,
    async ({ page, url }) => {
      await page.goto(url + path);
      await assertBothAccessible(page, path);
    },
    { context: STILL, streams: path.includes("clock") ? [{ name: "Clock" }] : [], mayLog: /404/ },
  );
}

uiTest("axe finds nothing on the player, which has one theme", async ({ page, url }) => {
  await page.goto(`${url}/player/clock.html`);
  await assertAccessible(page, "the player");
}, { streams: [{ name: "Clock" }], mayLog: /404/ });

uiTest(
  `axe finds nothing on a phone's board with every state`,
  async (ui) => {
    const { page, dashboard } = ui;
    await openWall(ui, EVERY_STATE);
    await dashboard.chooseSize("Medium");
    await assertBothAccessible(page, "medium cards");
    await page.getByRole("checkbox", { name: "Select Wall 0" }).press("Space");
    await page.getByRole("toolbar").waitFor();
    await assertBothAccessible(page, "selected cards", "main");
    await page.getByRole("toolbar").getByRole("button", { name: "Delete" }).click();
    await page.locator(".toast", { hasText: "Undo" }).hover(); // it stays as long
    const focused = () => page.evaluate(() => document.activeElement?.id);
    await same(focused, "stream-wall-1", "the next card has the focus");
    await assertBothAccessible(page, "a toast with Undo", ".toasts.is-low");
  },
  { ...WALL, context: { ...STILL, viewport: SIZES.phone } },
);

inSoak(uiTest)("axe finds nothing in menus", async ({ page, dashboard }) => {
  await dashboard.open();
  await dashboard.openMenu("Clock");
  await assertBothAccessible(page, "a card's menu", "[role=menu]");
  await screenshots(dashboard, page, "menu-desktop");
  await dashboard.press("Escape");
  await page.getByRole("button", { name: "Menu", exact: true }).click();
  await assertBothAccessible(page, "the page's menu", "[role=menu]");
}, CLOCK);

inSoak(uiTest)("axe finds nothing in the page's dialogs", async ({ page, dashboard }) => {
  await dashboard.open();
  for (const item of ["Settings", "Backup"]) {
    await dashboard.choosePage(item);
    await dashboard.dialog(item).waitFor();
    await assertBothAccessible(page, item, "dialog");
    await screenshots(dashboard, page, `${item.toLowerCase()}-desktop`);
    await dashboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
}, CLOCK);

inSoak(uiTest)("axe finds nothing in a card's dialogs", async ({ page, dashboard }) => {
  await dashboard.open();
  for (const item of ["Edit", "Duplicate", "Share", "Reset sign-in"]) {
    await dashboard.choose("Clock", item);
    await page.getByRole("dialog").waitFor();
    await assertBothAccessible(page, item, "dialog");
    await dashboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
}, CLOCK);

uiTest("axe finds nothing in the form with problems", async ({ page, dashboard }) => {
  await dashboard.open();
  await page.getByRole("button", { name: "Add stream" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Add stream" }).click();
  await page.locator("[aria-invalid]").first().waitFor();
  await assertBothAccessible(page, "the form with problems", "dialog");
}, CLOCK);

inSoak(uiTest)("axe finds nothing in toasts", async ({ page, dashboard }) => {
  await dashboard.open();
  await page.context().setOffline(true);
  await dashboard.poll();
  await page.getByText("Connection lost.").waitFor();
  await dashboard.choose("Clock", "Move down");
  await page.getByText("The new order was not saved").waitFor();
  await assertBothAccessible(page, "toasts");
}, { ...CLOCK, mayLog: /ERR_INTERNET_DISCONNECTED/ });

async function screenshots(dashboard: DashboardPage, page: Page, name: string): Promise<void> {
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    await dashboard.screenshot(`${name}-${colorScheme}`);
  }
}

for (const size of ["desktop", "phone"] as const) {
  inSoak(uiTest)(`text twice as large breaks nothing on a ${size}`, async (ui) => {
    const { page, dashboard } = ui;
    await openWall(ui, EVERY_STATE);
    await page.evaluate(() => document.documentElement.style.fontSize = "200%");
    await dashboard.screenshot(`large-text-${size}`);
    await same(() => dashboard.overflow(), 0);
    await same(() => dashboard.spills(), []);
  }, { ...WALL, context: { viewport: SIZES[size] } });
}

uiTest("every control is reached by Tab and shows it", async ({ page, dashboard }) => {
  await dashboard.open();
  const seen: string[] = [];
  for (let presses = 0; presses < 25; presses++) {
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
  assert.deepEqual(seen.slice(0, 22), [
    "Skip to the content",
    "Browser Stream",
    "Streams",
    "Walls",
    "Incidents",
    "Messages",
    "People",
    "Menu",
    "Add stream",
    "Page address",
    "Add",
    "More settings…",
    "Filter by name, group or address",
    "4 stopped",
    "Playlist",
    "View",
    "Select Clock",
    "", // the bar, which is a picture with a label
    "Play: Clock",
    "VNC: Clock",
    "Start Clock",
    "More for Clock",
  ]);
}, { streams: ["Clock", "Sales", "Lobby", "Wall"].map((name) => ({ name })) });

uiTest("nothing moves for those who ask for that", async (ui) => {
  await openWall(ui, EVERY_STATE);
  const moving = await ui.page.evaluate(() => document.getAnimations().length);
  assert.equal(moving, 0);
}, { ...WALL, context: { reducedMotion: "reduce" } });
