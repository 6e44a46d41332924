import { strict as assert } from "node:assert";
import type { Browser, Page } from "playwright-core";
import { pause, startService, type TestService, until } from "../support/service.ts";
import { launchBrowser, openPage, type WatchedPage } from "../support/browser.ts";
import { DashboardPage } from "../support/dashboard_page.ts";

/** Not the built-in ones, so that they are seen to come from the service. */
const ENVIRONMENT = {
  DEFAULT_PURE_MODE: "true",
  DEFAULT_OPEN_NEW_TAB: "false",
  DEFAULT_RELOAD_CLIENT: "true",
  DEFAULT_RELOAD_CLIENT_TIME: "15",
};
const DEFAULTS = {
  pureMode: true,
  openNewTab: false,
  reloadClient: true,
  reloadClientTime: 15,
  cardSize: "md",
  theme: "auto",
};
const WIDTHS = { Mini: 168, Small: 240, Medium: 300, Large: 440 };

interface Desk {
  service: TestService;
  browser: Browser;
}

Deno.test({
  name: "preferences live in the browser and start from the service's",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const service = await startService({ env: ENVIRONMENT });
    const browser = await launchBrowser();
    const desk = { service, browser };
    try {
      for (const name of ["Alpha", "Bravo"]) await service.create({ name, desiredState: "stopped" });
      const step = async (name: string, run: (desk: Desk) => Promise<void>) => {
        assert.ok(await t.step(name, () => run(desk)), name);
        for (const context of browser.contexts()) await context.close();
      };
      await step("the first visit fills them from the service", firstVisit);
      await step("without an answer nothing is stored, and the next visit fills them", noAnswer);
      await step("pure mode and new tab change every link of the cards", links);
      await step("a card can differ, and follows again when set back", oneCard);
      await step("entries of deleted streams go", deleted);
      await step("what cannot be read is repaired, and what can is kept", repair);
      await step("without a storage they hold in memory", noStorage);
      await step("a full storage loses nothing on the page", fullStorage);
      await step("another tab's change takes effect", otherTab);
      await step("the settings are changed, checked and reset", settings);
      await step("each card size is kept over a reload without a jump", sizes);
      await step("the theme is on the page before its first paint", theme);
    } finally {
      await browser.close();
      await service.stop();
    }
  },
});

interface Open {
  watched: WatchedPage;
  page: Page;
  dashboard: DashboardPage;
}

async function open({ service, browser }: Desk, stored: Record<string, string> = {}): Promise<Open> {
  const watched = await openPage(browser);
  const { page } = watched;
  await page.addInitScript((entries) => {
    if (sessionStorage.getItem("seeded")) return;
    sessionStorage.setItem("seeded", "yes");
    for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value);
  }, stored);
  const dashboard = new DashboardPage(page, service.url);
  await dashboard.open();
  return { watched, page, dashboard };
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

function untilEntry(page: Page, key: string, expected: unknown): Promise<void> {
  return until(`${key} to be ${JSON.stringify(expected)}`, 5000, async () => {
    const value = await entry(page, key);
    if (value === null || expected === null) return value === expected;
    return Object.entries(expected as object).every(([name, wanted]) => value[name] === wanted);
  });
}

const hrefs = (dashboard: DashboardPage, name: string) =>
  Promise.all(
    ["Play Stream", "Run HTML", "VNC"].map((it) => dashboard.action(name, it).getAttribute("href")),
  );

const PURE = (id: string) => [`/api/hls/live/${id}/index.m3u8`, `/player/${id}.html`, `/vnc/${id}`];
const PLAIN = (id: string) => [`/player/${id}`, `/static/${id}`, `/vnc/${id}`];

/** The targets of all links of a card that stay within the service. */
async function targets(dashboard: DashboardPage, name: string): Promise<Set<string>> {
  const links = await dashboard.card(name).locator("a[href^='/']").evaluateAll((all) =>
    all.map((link) => `${link.getAttribute("target")} ${link.getAttribute("rel")}`)
  );
  assert.ok(links.length >= 4, "picture, Play Stream, Run HTML and VNC");
  return new Set(links);
}

async function firstVisit(desk: Desk) {
  const { page, dashboard, watched } = await open(desk);
  await untilEntry(page, "global-prefs", DEFAULTS);
  assert.deepEqual(Object.keys(await entry(page, "global-prefs")).sort(), Object.keys(DEFAULTS).sort());
  assert.deepEqual(await hrefs(dashboard, "Alpha"), PURE("alpha"));
  assert.deepEqual(await targets(dashboard, "Alpha"), new Set(["null null"]));
  let asked = 0;
  page.on("request", (request) => request.url().endsWith("/api/config") && asked++);
  await dashboard.open();
  await pause(500);
  assert.equal(asked, 0, "a complete entry needs no defaults");
  assert.deepEqual(watched.errors, []);
}

async function noAnswer(desk: Desk) {
  const watched = await openPage(desk.browser);
  await watched.page.route("**/api/config", (route) => route.abort());
  const dashboard = new DashboardPage(watched.page, desk.service.url);
  await dashboard.open();
  await pause(500);
  assert.equal(await entry(watched.page, "global-prefs"), null);
  assert.deepEqual(await hrefs(dashboard, "Alpha"), PURE("alpha"), "the page came with them");
  await watched.page.unroute("**/api/config");
  await dashboard.open();
  await untilEntry(watched.page, "global-prefs", DEFAULTS);
}

async function links(desk: Desk) {
  const { page, dashboard } = await open(desk);
  await untilEntry(page, "global-prefs", DEFAULTS);
  await dashboard.choosePage("Settings");
  await page.getByLabel("Pure mode").uncheck();
  await page.getByLabel("Open in new tab").check();
  await page.getByRole("button", { name: "Done" }).click();
  for (const [name, id] of [["Alpha", "alpha"], ["Bravo", "bravo"]]) {
    assert.deepEqual(await hrefs(dashboard, name), PLAIN(id));
    assert.deepEqual(await targets(dashboard, name), new Set(["_blank noopener"]));
  }
  await dashboard.openMenu("Alpha");
  assert.equal(await dashboard.menuItem("Logs").getAttribute("target"), "_blank");
  await dashboard.press("Escape");
  const opening = page.context().waitForEvent("page");
  await dashboard.action("Alpha", "VNC").click();
  assert.equal(new URL((await opening).url()).pathname, "/vnc/alpha");
  await page.bringToFront();
  await dashboard.open();
  assert.deepEqual(await hrefs(dashboard, "Alpha"), PLAIN("alpha"), "kept over a reload");
}

async function oneCard(desk: Desk) {
  const { page, dashboard } = await open(desk);
  await untilEntry(page, "global-prefs", DEFAULTS);
  const check = (item: string, checked: boolean) =>
    page.getByRole("menuitemcheckbox", { name: item, checked }).waitFor();
  await dashboard.choose("Alpha", "Pure mode");
  await check("Pure mode", false);
  await dashboard.menuItem("Open in new tab").click();
  await check("Open in new tab", true);
  await dashboard.press("Escape");
  await untilEntry(page, "card-prefs-alpha", { pureMode: false, openNewTab: true });
  await dashboard.open();
  assert.deepEqual([await hrefs(dashboard, "Alpha"), await hrefs(dashboard, "Bravo")], [
    PLAIN("alpha"),
    PURE("bravo"),
  ]);
  assert.deepEqual(await targets(dashboard, "Alpha"), new Set(["_blank noopener"]));
  assert.deepEqual(await targets(dashboard, "Bravo"), new Set(["null null"]));
  await dashboard.choose("Alpha", "Pure mode");
  await dashboard.menuItem("Open in new tab").click();
  await untilEntry(page, "card-prefs-alpha", null);
}

async function deleted(desk: Desk) {
  await desk.service.create({ name: "Charlie", desiredState: "stopped" });
  const card = '{"pureMode":false}';
  const { page } = await open(desk, {
    "card-prefs-alpha": card,
    "card-prefs-charlie": card,
    "card-prefs-long-gone": card,
    "other-key": "untouched",
  });
  await untilEntry(page, "card-prefs-long-gone", null);
  assert.deepEqual(await entry(page, "card-prefs-charlie"), { pureMode: false });
  await desk.service.api("DELETE", "/api/streams/charlie");
  await untilEntry(page, "card-prefs-charlie", null);
  assert.deepEqual(await entry(page, "card-prefs-alpha"), { pureMode: false });
  assert.equal(await page.evaluate(() => localStorage.getItem("other-key")), "untouched");
}

async function repair(desk: Desk) {
  const cases: [stored: string, expected: Record<string, unknown>][] = [
    ["", DEFAULTS],
    ["{", DEFAULTS],
    ["null", DEFAULTS],
    ["[1,2]", DEFAULTS],
    ['"text"', DEFAULTS],
    [
      '{"pureMode":"no","openNewTab":1,"reloadClient":null,"reloadClientTime":-5,"cardSize":"xxl","theme":7}',
      DEFAULTS,
    ],
    ['{"pureMode":false,"reloadClientTime":99999999}', { ...DEFAULTS, pureMode: false }],
    ['{"cardSize":"lg","theme":"dark"}', { ...DEFAULTS, cardSize: "lg", theme: "dark" }],
    ['{"cardSize":{"toString":null},"__proto__":{"theme":"dark"}}', DEFAULTS],
    [JSON.stringify({ ...DEFAULTS, openNewTab: true, future: 1 }), { ...DEFAULTS, openNewTab: true }],
  ];
  for (const [stored, expected] of cases) {
    const { page, dashboard, watched } = await open(desk, {
      "global-prefs": stored,
      "card-prefs-alpha": stored,
    });
    await untilEntry(page, "global-prefs", expected);
    assert.equal(await dashboard.card("Alpha").count(), 1, stored);
    assert.deepEqual(watched.errors, [], stored);
    assert.notEqual(await entry(page, "card-prefs-alpha"), UNREADABLE, `the card's entry: ${stored}`);
    await page.context().close();
  }
}

async function noStorage(desk: Desk) {
  const watched = await openPage(desk.browser);
  await watched.page.addInitScript(() => {
    Object.defineProperty(globalThis, "localStorage", {
      get: () => {
        throw new DOMException("denied", "SecurityError");
      },
    });
  });
  const dashboard = new DashboardPage(watched.page, desk.service.url);
  await dashboard.open();
  await holds(dashboard);
  assert.deepEqual(watched.errors, []);
}

async function fullStorage(desk: Desk) {
  const watched = await openPage(desk.browser);
  await watched.page.addInitScript(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  });
  const dashboard = new DashboardPage(watched.page, desk.service.url);
  await dashboard.open();
  await holds(dashboard);
  assert.deepEqual(watched.errors, []);
}

async function holds(dashboard: DashboardPage) {
  await dashboard.chooseSize("Large");
  await untilWidth(dashboard, WIDTHS.Large);
  await dashboard.choose("Alpha", "Pure mode");
  await dashboard.press("Escape");
  assert.deepEqual(await hrefs(dashboard, "Alpha"), PLAIN("alpha"));
  await dashboard.chooseSize("Medium");
  await untilWidth(dashboard, WIDTHS.Medium);
  assert.deepEqual(await hrefs(dashboard, "Alpha"), PLAIN("alpha"));
}

async function otherTab(desk: Desk) {
  const { page, dashboard } = await open(desk);
  await untilEntry(page, "global-prefs", DEFAULTS);
  const other = await page.context().newPage();
  const there = new DashboardPage(other, desk.service.url);
  await there.open();
  await there.chooseSize("Small");
  await untilWidth(dashboard, WIDTHS.Small);
  await there.choose("Bravo", "Pure mode");
  await until(
    "the link",
    3000,
    async () => String(await hrefs(dashboard, "Bravo")) === String(PLAIN("bravo")),
  );
  await other.evaluate(() => localStorage.setItem("global-prefs", "{broken"));
  await untilWidth(dashboard, WIDTHS.Medium);
  await other.evaluate(() => localStorage.clear());
  await until(
    "the link",
    3000,
    async () => String(await hrefs(dashboard, "Bravo")) === String(PURE("bravo")),
  );
}

async function settings(desk: Desk) {
  const { page, dashboard, watched } = await open(desk);
  await untilEntry(page, "global-prefs", DEFAULTS);
  await dashboard.choosePage("Settings");
  const dialog = dashboard.dialog("Settings");
  await dialog.getByText("Dark", { exact: true }).click();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await dialog.getByLabel("Mini").check();
  await dialog.getByLabel("Reload it regularly").uncheck();
  const minutes = dialog.getByLabel("Minutes between reloads");
  for (const bad of ["0", "10081", "1.5", "-1", "soon", ""]) {
    await minutes.fill(bad);
    await dialog.getByText("A whole number from 1 to 10080").waitFor();
    assert.equal(await minutes.getAttribute("aria-invalid"), "true", bad);
  }
  await minutes.fill("30");
  await untilEntry(page, "global-prefs", {
    ...DEFAULTS,
    theme: "dark",
    cardSize: "mini",
    reloadClient: false,
    reloadClientTime: 30,
  });
  await dialog.getByRole("button", { name: "Use the defaults" }).click();
  await untilEntry(page, "global-prefs", DEFAULTS);
  assert.equal(await minutes.inputValue(), "15");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), undefined);
  await dialog.getByRole("button", { name: "Done" }).click();
  const menu = page.getByRole("button", { name: "Menu", exact: true });
  assert.equal(await menu.evaluate((it) => it === document.activeElement), true, "the focus is back");
  assert.deepEqual(watched.errors, []);
}

const width = async (dashboard: DashboardPage) =>
  Math.round((await dashboard.card("Alpha").boundingBox())!.width);

function untilWidth(dashboard: DashboardPage, expected: number): Promise<void> {
  return until(`cards ${expected} pixels wide`, 3000, async () => await width(dashboard) === expected);
}

async function sizes(desk: Desk) {
  const { page, dashboard, watched } = await open(desk);
  assert.equal(await width(dashboard), WIDTHS.Medium, "the default");
  const fonts: number[] = [];
  for (const [word, expected] of Object.entries(WIDTHS)) {
    await dashboard.chooseSize(word);
    await untilWidth(dashboard, expected);
    await dashboard.open();
    assert.equal(await width(dashboard), expected);
    assert.ok(await page.locator(".sizes").getByLabel(word).isChecked());
    await pause(300);
    assert.equal(await watched.layoutShift(), 0, `${word} is there from the first paint`);
    fonts.push(
      await dashboard.card("Alpha").locator("h2").evaluate((it) => parseFloat(getComputedStyle(it).fontSize)),
    );
    await dashboard.screenshot(`size-${word.toLowerCase()}-desktop`);
  }
  assert.deepEqual(fonts, [...fonts].sort((a, b) => a - b), "the text grows with the card");
  assert.equal(new Set(fonts).size, fonts.length);
}

async function theme(desk: Desk) {
  for (const [chosen, system, dark] of [["dark", "light", true], ["light", "dark", false]] as const) {
    const { page } = await openPage(desk.browser, { colorScheme: system });
    const paints: string[] = [];
    await page.exposeFunction("painted", (colour: string) => paints.push(colour));
    await page.addInitScript((prefs) => {
      localStorage.setItem("global-prefs", prefs);
      new PerformanceObserver(() =>
        (globalThis as unknown as { painted: (colour: string) => void })
          .painted(getComputedStyle(document.body).backgroundColor)
      ).observe({ type: "paint", buffered: true });
    }, JSON.stringify({ ...DEFAULTS, theme: chosen }));
    // the islands' code is late: what is painted comes from the head alone
    await page.route("**/_fresh/js/*", async (route) => {
      await pause(1000);
      await route.continue();
    });
    await page.goto(desk.service.url, { waitUntil: "commit" });
    await until("a paint", 5000, () => paints.length > 0);
    const brightness = Math.max(...paints[0].match(/\d+/g)!.map(Number));
    assert.equal(brightness < 60, dark, `${chosen} on a ${system} system is ${paints[0]}`);
    await page.waitForLoadState("load");
  }
}
