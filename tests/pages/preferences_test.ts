import { strict as assert } from "node:assert";
import type { Page } from "playwright-core";
import { DashboardPage } from "../support/dashboard_page.ts";
import { same, until } from "../support/same.ts";
import { type UiTest, uiTest } from "../support/ui.ts";
import { inSoak } from "../support/soak.ts";

/** What the service says; not the built-in defaults, so that it is seen to come from there. */
const DEFAULTS = {
  pureMode: true,
  openNewTab: false,
  reloadClient: true,
  reloadClientTime: 15,
  cardSize: "md",
  theme: "auto",
};
/** Columns of 168, 240, 300 and 440 px, or a little less, fill 1376 px. */
const WIDTHS = { Mini: 163, Small: 266, Medium: 332, Large: 445 };

/** @param stored in the viewer's browser before the first visit. */
function prefsTest(
  name: string,
  test: (ui: UiTest) => Promise<void>,
  { stored = {}, mayLog }: { stored?: Record<string, string>; mayLog?: RegExp } = {},
): void {
  uiTest(name, async (ui) => {
    await ui.page.addInitScript((entries) => {
      if (sessionStorage.getItem("seeded")) return;
      sessionStorage.setItem("seeded", "yes");
      for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value);
    }, stored);
    await test(ui);
  }, {
    mayLog,
    streams: [{ name: "Alpha" }, { name: "Bravo" }],
    env: {
      DEFAULT_PURE_MODE: "true",
      DEFAULT_OPEN_NEW_TAB: "false",
      DEFAULT_RELOAD_CLIENT: "true",
      DEFAULT_RELOAD_CLIENT_TIME: "15",
    },
  });
}

const UNREADABLE = "unreadable";

const entry = (page: Page, key: string) =>
  page.evaluate(([name, unreadable]) => {
    try {
      return JSON.parse(localStorage.getItem(name) ?? "null");
    } catch {
      return unreadable;
    }
  }, [key, UNREADABLE]);

async function untilEntry(page: Page, key: string, expected: unknown): Promise<void> {
  await until(`${key} to be ${JSON.stringify(expected)}`, async () => {
    const value = await entry(page, key);
    if (value === null || expected === null) return value === expected;
    return Object.entries(expected as object).every(([name, wanted]) => value[name] === wanted);
  });
}

const PURE = (id: string) => [`/api/hls/live/${id}/index.m3u8`, `/vnc/${id}`];
const PLAIN = (id: string) => [`/player/${id}`, `/vnc/${id}`];

async function untilLinks(dashboard: DashboardPage, name: string, expected: string[]): Promise<void> {
  await until(`the links of ${name} to be ${expected}`, async () => {
    const links = ["Play", "VNC"].map((it) => dashboard.action(name, it));
    return String(await Promise.all(links.map((link) => link.getAttribute("href")))) === String(expected);
  });
}

const SAME_TAB = ["null null"];
const NEW_TAB = ["_blank noopener"];

/** Where the links of a card open that stay within the service. */
async function targets(dashboard: DashboardPage, name: string): Promise<string[]> {
  const links = await dashboard.card(name).locator("a[href^='/']").evaluateAll((all) =>
    all.map((link) => `${link.getAttribute("target")} ${link.getAttribute("rel")}`)
  );
  assert.ok(links.length >= 3, "thumbnail, Play and VNC");
  return [...new Set(links)];
}

const width = async (dashboard: DashboardPage) =>
  Math.round((await dashboard.card("Alpha").boundingBox())!.width);

async function untilWidth(dashboard: DashboardPage, expected: number): Promise<void> {
  await until(`cards ${expected} pixels wide`, async () => await width(dashboard) === expected);
}

const chosenTheme = (page: Page) => page.evaluate(() => document.documentElement.dataset.theme);

prefsTest("the first visit fills the preferences from the service, the next asks no more", async (ui) => {
  const { page, dashboard } = ui;
  await dashboard.open();
  const keys = async () => Object.keys(await entry(page, "global-prefs") ?? {}).sort();
  await same(keys, Object.keys(DEFAULTS).sort());
  await untilEntry(page, "global-prefs", DEFAULTS);
  await untilLinks(dashboard, "Alpha", PURE("alpha"));
  await same(() => targets(dashboard, "Alpha"), SAME_TAB);
  const requested: string[] = [];
  page.on("request", (request) => requested.push(new URL(request.url()).pathname));
  await dashboard.open(); // it is ready after the preferences were read
  assert.ok(requested.includes("/") && !requested.includes("/api/config"), String(requested));
});

prefsTest("pure mode and new tab change every link of the cards", async ({ page, dashboard }) => {
  await dashboard.open();
  await dashboard.choosePage("Settings");
  await page.getByLabel("Pure mode").uncheck();
  await page.getByLabel("Open in new tab").check();
  await page.getByRole("button", { name: "Done" }).click();
  for (const [name, id] of [["Alpha", "alpha"], ["Bravo", "bravo"]]) {
    await untilLinks(dashboard, name, PLAIN(id));
    await same(() => targets(dashboard, name), NEW_TAB);
  }
  await dashboard.openMenu("Alpha");
  await same(() => dashboard.menuItem("Logs").getAttribute("target"), "_blank");
  await dashboard.press("Escape");
  await dashboard.open();
  await untilLinks(dashboard, "Alpha", PLAIN("alpha"));
  await page.context().route("**/vnc/alpha", (route) => route.fulfill({ body: "the takeover" }));
  const opening = page.context().waitForEvent("page");
  await dashboard.action("Alpha", "VNC").click();
  assert.equal(new URL((await opening).url()).pathname, "/vnc/alpha");
});

inSoak(prefsTest)("without a storage they hold in memory", async ({ page, dashboard }) => {
  await page.context().addInitScript(() => {
    const denied = () => {
      throw new DOMException("denied", "SecurityError");
    };
    Object.defineProperty(globalThis, "localStorage", { get: denied });
  });
  await holdInMemory(dashboard);
});

async function holdInMemory(dashboard: DashboardPage) {
  await dashboard.open();
  await dashboard.chooseSize("Large");
  await untilWidth(dashboard, WIDTHS.Large);
  await (await dashboard.share("Alpha")).getByLabel("Pure mode").uncheck();
  await dashboard.press("Escape");
  await untilLinks(dashboard, "Alpha", PLAIN("alpha"));
  await dashboard.chooseSize("Medium");
  await untilWidth(dashboard, WIDTHS.Medium);
  await untilLinks(dashboard, "Alpha", PLAIN("alpha"));
}

inSoak(prefsTest)("another tab's change takes effect", async ({ page, dashboard, url }) => {
  await dashboard.open();
  await untilEntry(page, "global-prefs", DEFAULTS);
  const other = await page.context().newPage();
  const there = new DashboardPage(other, url);
  await there.open();
  await there.chooseSize("Small");
  await untilWidth(dashboard, WIDTHS.Small);
  await (await there.share("Bravo")).getByLabel("Pure mode").uncheck();
  await untilLinks(dashboard, "Bravo", PLAIN("bravo"));
  await other.evaluate(() => localStorage.setItem("global-prefs", "{broken"));
  await untilWidth(dashboard, WIDTHS.Medium);
  await other.evaluate(() => localStorage.clear());
  await untilLinks(dashboard, "Bravo", PURE("bravo"));
});

prefsTest("settings take effect at once, and Done gives the focus back", async ({ page, dashboard }) => {
  await dashboard.open();
  await dashboard.choosePage("Settings");
  const dialog = dashboard.dialog("Settings");
  await dialog.getByText("Dark", { exact: true }).click();
  await same(() => chosenTheme(page), "dark");
  await dialog.getByLabel("Mini").check();
  await dialog.getByLabel("Reload the page regularly").uncheck();
  await dialog.getByLabel("Minutes between reloads").fill("30");
  const changed = { theme: "dark", cardSize: "mini", reloadClient: false, reloadClientTime: 30 };
  await untilEntry(page, "global-prefs", { ...DEFAULTS, ...changed });
  await dialog.getByRole("button", { name: "Done" }).click();
  const menu = page.getByRole("button", { name: "Menu", exact: true });
  await same(() => dashboard.isFocused(menu), true, "the focus is back");
});

for (const [theme, system] of [["dark", "light"], ["light", "dark"]] as const) {
  uiTest(`the ${theme} theme is on the page before its first paint, on a ${system} system`, async (ui) => {
    const { page, url } = ui;
    const paints: string[] = [];
    await page.exposeFunction("painted", (colour: string) => paints.push(colour));
    await page.addInitScript((prefs) => {
      localStorage.setItem("global-prefs", prefs);
      new PerformanceObserver(() =>
        (globalThis as unknown as { painted: (colour: string) => void })
          .painted(getComputedStyle(document.body).backgroundColor)
      ).observe({ type: "paint", buffered: true });
    }, JSON.stringify({ ...DEFAULTS, theme }));
    // the islands' code is late: what is painted comes from the head alone
    const painted = Promise.withResolvers<void>();
    await page.route("**/_fresh/js/*", async (route) => {
      await painted.promise;
      await route.continue();
    });
    await page.goto(url, { waitUntil: "commit" });
    await until("a paint", () => paints.length > 0);
    painted.resolve();
    const brightness = Math.max(...paints[0].match(/\d+/g)!.map(Number));
    assert.equal(brightness < 60, theme === "dark", `it is ${paints[0]}`);
    await page.waitForLoadState("load");
  }, { context: { colorScheme: system } });
}
