import { strict as assert } from "node:assert";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { startService, type TestService, until } from "../support/service.ts";
import { launchBrowser, openPage, SIZES, type WatchedPage } from "../support/browser.ts";

const SCREENSHOTS = new URL("../screenshots/", import.meta.url).pathname;

interface Desk {
  service: TestService;
  browser: Browser;
  watched: WatchedPage;
  page: Page;
}

Deno.test({
  name: "the log view: live, searchable, downloadable, and readable without JavaScript",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const service = await startService();
    const browser = await launchBrowser();
    try {
      await service.create({ name: "Clock" });
      await service.create({ name: "Quiet", desiredState: "stopped" });
      const watched = await openPage(browser);
      const desk = { service, browser, watched, page: watched.page };
      watched.page.setDefaultTimeout(15_000);
      const step = async (name: string, run: (desk: Desk) => Promise<void>) =>
        assert.ok(await t.step(name, () => run(desk)), name);

      await step("the board's card leads to it, and it shows the programs that have a log", fromBoard);
      await step("lines that are written appear by themselves, as they are", live);
      await step("a reader who scrolled up stays there, and hears of new lines", scrolledUp);
      await step("lines are filtered whatever their case, and matches are marked", search);
      await step("a download is the whole log", download);
      await step("a theme that is chosen in another tab holds here too", otherTabsTheme);
      await step("another program's log is a click and an address", otherProgram);
      await step("a lost connection is told and heals without a gap", lostConnection);
      await step("a page that is open for long keeps the last 5000 lines", bounded);
      await step("it fits every size and nothing failed on the way", sizes);
      await step("without JavaScript it is a page a program", withoutJavaScript);
      await step("a stream that never ran has none yet, and shows it once it runs", quiet);
      await step("a stream that does not exist is a missing page", missing);
    } finally {
      await browser.close();
      await service.stop();
    }
  },
});

const logPath = ({ dataDir }: TestService, program: string) => join(dataDir, "logs/clock", `${program}.log`);

async function write(service: TestService, text: string, program = "browser") {
  await Deno.writeTextFile(logPath(service, program), text, { append: true });
}

const region = (page: Page) => page.getByRole("region", { name: /^Log of the program/ });
const line = (page: Page, text: string) => region(page).getByText(text);
const shot = (page: Page, name: string) => page.screenshot({ path: `${SCREENSHOTS}${name}.png` });

async function ready(page: Page) {
  await page.locator("main[data-ready=true]").waitFor();
}

/** Whether the region's end is in sight. */
function isAtEnd(page: Page): Promise<boolean> {
  return region(page).evaluate((it) => it.scrollHeight - it.scrollTop - it.clientHeight < 24);
}

async function fromBoard({ service, page }: Desk) {
  await until("the logs to be there", 30_000, async () => {
    const { programs } = await (await service.api("GET", "/api/streams/clock/log")).json();
    return programs.length >= 4;
  });
  await page.goto(service.url);
  await ready(page);
  await page.getByRole("button", { name: "More for Clock" }).click();
  const href = await page.getByRole("menuitem", { name: "Logs" }).getAttribute("href");
  assert.equal(href, "/streams/clock/log");
  await page.goto(service.url + href);
  await ready(page);
  assert.equal(await page.title(), "Log of Clock · Browser Stream");
  const names = await page.getByRole("navigation", { name: "Programs" }).getByRole("link").allTextContents();
  assert.deepEqual(names, ["Display", "Window manager", "Browser", "Encoder"]);
  assert.equal(await page.locator("[aria-current=page]").textContent(), "Browser");
  assert.equal(await page.getByRole("link", { name: "Streams", exact: true }).getAttribute("href"), "/");
}

async function live({ service, page }: Desk) {
  await write(service, "2025-01-31 12:00:00 first live line\n<b>not bold</b>\n");
  await line(page, "2025-01-31 12:00:00 first live line").waitFor();
  await line(page, "<b>not bold</b>").waitFor();
  await write(service, "a line in ");
  await line(page, "a line in ").waitFor();
  await write(service, "two pieces\n");
  await line(page, "a line in two pieces").waitFor();
  assert.equal(await line(page, "a line in").count(), 1);
  // regions that are read out as they change would never be silent here
  assert.equal(await region(page).locator("xpath=ancestor-or-self::*[@aria-live or @role='log']").count(), 0);
}

async function scrolledUp({ service, page }: Desk) {
  await write(service, Array.from({ length: 200 }, (_, n) => `filler ${n}\n`).join(""));
  await line(page, "filler 199").waitFor();
  assert.ok(await isAtEnd(page), "the end is followed");
  const follow = page.getByRole("button", { name: "Follow" });
  assert.equal(await follow.getAttribute("aria-pressed"), "true");

  await region(page).focus();
  for (let presses = 0; presses < 3; presses++) await page.keyboard.press("PageUp");
  await until("following to end", 3000, async () => await follow.getAttribute("aria-pressed") === "false");
  const scrollTop = () => region(page).evaluate((it) => it.scrollTop);
  let top = -1;
  await until("the scrolling to end", 5000, async () => top === (top = await scrollTop()));
  await write(service, "news one\nnews two\nnews three\n");
  const news = page.getByRole("button", { name: "3 new lines" });
  await news.waitFor();
  assert.equal(await scrollTop(), top);
  await shot(page, "log-new-lines-desktop");
  await news.click();
  await until("the end to be shown", 3000, () => isAtEnd(page));
  assert.equal(await news.count(), 0);
  assert.equal(await follow.getAttribute("aria-pressed"), "true");

  await follow.click();
  await write(service, "unseen\n");
  await page.getByRole("button", { name: "1 new line" }).waitFor();
  await follow.click();
  await until("the end to be shown", 3000, () => isAtEnd(page));
}

async function search({ service, page }: Desk) {
  await write(service, "An Error of (all) errors\nnothing to see\n");
  await line(page, "nothing to see").waitFor();
  const filter = page.getByLabel("Filter the lines");
  await filter.fill("eRRoR of (all) e");
  await line(page, "nothing to see").waitFor({ state: "detached" });
  assert.deepEqual(await region(page).locator("mark").allTextContents(), ["Error of (all) e"]);
  assert.match((await page.locator(".log-count").textContent())!, /^1 of \d+ lines$/);
  await page.getByRole("status").filter({ hasText: /^1 of \d+ lines match$/ }).waitFor();
  await shot(page, "log-filter-desktop");
  // what comes later is filtered too
  await write(service, "an ERROR OF (ALL) ERRORS, later\n");
  await line(page, "later").waitFor();
  await filter.fill("<script>");
  await line(page, "No line matches.").waitFor();
  await filter.fill("");
  await line(page, "nothing to see").waitFor();
}

async function download({ service, page }: Desk) {
  const waiting = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download" }).click();
  const file = await waiting;
  assert.equal(file.suggestedFilename(), "clock-browser.log");
  const text = await Deno.readTextFile((await file.path())!);
  assert.ok(text.includes("2025-01-31 12:00:00 first live line\n<b>not bold</b>\n"));
  assert.ok((await Deno.readTextFile(logPath(service, "browser"))).startsWith(text));
}

async function otherTabsTheme({ service, page }: Desk) {
  const other = await page.context().newPage();
  await other.goto(`${service.url}/healthz`);
  const bars = () =>
    page.locator("meta[name=theme-color]").evaluateAll((all) =>
      all.map((meta) => (meta as HTMLMetaElement).content).join()
    );
  assert.equal(await bars(), "#0b0f15,#f3f5f9");
  const cases: [string, string | undefined, string][] = [
    ["dark", "dark", "#0b0f15,#0b0f15"],
    ["light", "light", "#f3f5f9,#f3f5f9"],
    ["auto", undefined, "#0b0f15,#f3f5f9"],
  ];
  for (const [chosen, theme, colours] of cases) {
    await other.evaluate((theme) => localStorage.setItem("global-prefs", JSON.stringify({ theme })), chosen);
    await until(`the theme ${chosen}`, 3000, async () => {
      return await page.evaluate(() => document.documentElement.dataset.theme) === theme;
    });
    assert.equal(await bars(), colours);
  }
  await other.evaluate(() => localStorage.clear());
  await other.close();
  await page.bringToFront();
}

async function otherProgram({ service, page }: Desk) {
  await write(service, "the encoder's own line\n", "encoder");
  await page.getByRole("link", { name: "Encoder" }).click();
  await line(page, "the encoder's own line").waitFor();
  assert.equal(await line(page, "nothing to see").count(), 0);
  assert.match(page.url(), /\?program=encoder$/);
  await page.reload();
  await ready(page);
  await line(page, "the encoder's own line").waitFor();
  await page.getByRole("link", { name: "Browser", exact: true }).click();
  await line(page, "nothing to see").waitFor();
}

async function lostConnection({ service, page, watched }: Desk) {
  await page.context().setOffline(true);
  await page.getByText(/^Not live: The service cannot be reached/).waitFor();
  await write(service, "written while nobody could read\n");
  await page.context().setOffline(false);
  await line(page, "written while nobody could read").waitFor({ timeout: 30_000 });
  await page.getByText(/^Not live/).waitFor({ state: "detached" });
  assert.equal(await line(page, "nothing to see").count(), 1);
  watched.errors.splice(0); // offline is told in the console
}

async function bounded({ service, page }: Desk) {
  for (let part = 0; part < 3; part++) {
    const lines = Array.from({ length: 2500 }, (_, n) => `bulk ${part * 2500 + n} ${"x".repeat(20)}\n`);
    await write(service, lines.join(""));
    await line(page, `bulk ${part * 2500 + 2499} `).waitFor();
  }
  assert.equal(await page.locator(".log-count").textContent(), "5000 lines");
  assert.equal(await region(page).locator(".log-line").count(), 5000);
  assert.equal(await line(page, "bulk 2499 ").count(), 0);
}

async function sizes({ page, watched }: Desk) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    await page.reload();
    await ready(page);
    const sideways = await page.evaluate(() => {
      const { scrollingElement } = document;
      return scrollingElement!.scrollWidth - scrollingElement!.clientWidth;
    });
    assert.ok(sideways <= 0, `it scrolls sideways on ${size}`);
    assert.ok(await isAtEnd(page), `the end is shown on ${size}`);
    await shot(page, `log-${size}`);
    assert.equal(await watched.layoutShift(), 0, `it jumps on ${size}`);
  }
  assert.deepEqual(watched.errors, []);
}

async function withoutJavaScript({ service, browser }: Desk) {
  const { page } = await openPage(browser, { javaScriptEnabled: false });
  await page.goto(`${service.url}/streams/clock/log`);
  assert.match((await page.locator("pre").textContent())!, /bulk 7499/);
  assert.equal(await page.getByRole("button").count(), 0, "what needs JavaScript is hidden");
  await page.getByRole("link", { name: "Encoder" }).click();
  assert.match((await page.locator("pre").textContent())!, /the encoder's own line\n/);
  const file = await page.getByRole("link", { name: "Download" }).getAttribute("href");
  assert.equal((await page.request.get(service.url + file)).status(), 200);
  await shot(page, "log-no-script-desktop");
  await page.context().close();
}

async function quiet({ service, page }: Desk) {
  await page.setViewportSize(SIZES.desktop);
  await page.goto(`${service.url}/streams/quiet/log`);
  await ready(page);
  await page.getByText("There is no log yet").waitFor();
  await shot(page, "log-empty-desktop");
  assert.equal((await service.api("POST", "/api/streams/quiet/start")).status, 200);
  await page.getByRole("link", { name: "Browser", exact: true }).waitFor({ timeout: 30_000 });
  await region(page).waitFor();
  assert.match(await page.locator("[aria-current=page]").textContent() ?? "", /^(Browser|Display)$/);
}

async function missing({ service, page }: Desk) {
  const response = await page.goto(`${service.url}/streams/nobody/log`);
  assert.equal(response!.status(), 404);
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
}
