/** The log view: live, searchable, downloadable, and readable without JavaScript. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import type { TestApp } from "../support/app.ts";
import { DashboardPage } from "../support/dashboard_page.ts";
import { type UiOptions, type UiTest, uiTest } from "../support/ui.ts";
import { inSoak } from "../support/soak.ts";
import { same } from "../support/same.ts";

interface LogTest extends UiTest {
  /** Where the lines stand. */
  region: Locator;
  line(text: string): Locator;
  button(name: string): Locator;
  /** Adds to the browser's log and lets the page poll it. */
  write(text: string): Promise<void>;
  /** Lets so much time pass that the page polls. */
  poll(): Promise<void>;
  screenshot(name: string): Promise<void>;
}

const WRITTEN = {
  display: "the display's line\n",
  browser: "the first line\n",
  encoder: "the encoder's line\n",
};
const ADDRESS = "/streams/clock/log";
/** The log of a program, and not the events. */
const BROWSER = `${ADDRESS}?program=browser`;

async function append(app: TestApp, program: string, text: string): Promise<void> {
  const folder = join(app.paths.logsDir, "clock");
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(join(folder, `${program}.log`), text, { append: true });
}

async function openLog(page: Page, url: string, address = ADDRESS): Promise<void> {
  await page.goto(url + address);
  await page.locator("main[data-ready=true]").waitFor();
}

/** A test that begins on the log of the stream "Clock", whose display, browser and encoder have `logs`. */
function logTest(
  name: string,
  test: (ui: LogTest) => Promise<void>,
  { logs = WRITTEN, address = BROWSER, ...options }: UiOptions & {
    logs?: Record<string, string>;
    address?: string;
  } = {},
): void {
  uiTest(name, async (ui) => {
    const { app, page, url } = ui;
    for (const [program, text] of Object.entries(logs)) await append(app, program, text);
    await page.clock.install();
    await openLog(page, url, address);
    const poll = () => page.clock.fastForward(2000);
    const region = page.getByRole("region", { name: /^Log of the program/ });
    await test({
      ...ui,
      region,
      poll,
      line: (text) => region.getByText(text),
      button: (name) => page.getByRole("button", { name, exact: true }),
      write: async (text) => {
        await append(app, "browser", text);
        await poll();
      },
      screenshot: (name) => new DashboardPage(page, url).screenshot(name),
    });
  }, { streams: [{ name: "Clock" }], ...options });
}

const filler = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${name} ${n} ${"x".repeat(20)}\n`).join("");

const isAtEnd = (region: Locator) =>
  region.evaluate((it) => it.scrollHeight - it.scrollTop - it.clientHeight < 24);

async function untilAtEnd({ page, region }: LogTest): Promise<void> {
  await page.waitForFunction(
    (it) => it!.scrollHeight - it!.scrollTop - it!.clientHeight < 24,
    await region.elementHandle(),
  );
}

logTest("the events come first, then the programs that have a log", async ({ page, line }) => {
  const names = page.getByRole("navigation", { name: "Logs" }).getByRole("link");
  await same(() => names.allTextContents(), ["Events", "Display", "Browser", "Encoder"]);
  await same(() => page.locator("[aria-current=page]").textContent(), "Browser");
  await line("the first line").waitFor();
});

logTest("lines that are written appear by themselves, as they are", async ({ line, write, region }) => {
  await write("2025-01-31 12:00:00 a live line\n<b>not bold</b>\n");
  await line("2025-01-31 12:00:00 a live line").waitFor();
  await line("<b>not bold</b>").waitFor();
  // regions that are read out as they change would never be silent here
  await same(() => region.locator("xpath=ancestor-or-self::*[@aria-live or @role='log']").count(), 0);
});

logTest("a reader who scrolled up stays there, and hears of new lines", async (ui) => {
  const { page, region, write, line, button, screenshot } = ui;
  await same(() => isAtEnd(region), true, "the end is followed");
  await same(() => button("Follow").getAttribute("aria-pressed"), "true");
  await region.evaluate((it) => it.scrollTo(0, 500));
  await page.locator("button[aria-pressed=false]").waitFor();
  await write("news one\nnews two\nnews three\n");
  await button("3 new lines ↓").waitFor();
  await same(() => region.evaluate((it) => it.scrollTop), 500);
  await screenshot("log-new-lines-desktop");
  await button("3 new lines ↓").click();
  await untilAtEnd(ui);
  await line("news three").waitFor();
  await same(() => button("3 new lines ↓").count(), 0);
  await same(() => button("Follow").getAttribute("aria-pressed"), "true");
}, { logs: { browser: filler("line", 200) } });

logTest("lines are filtered whatever their case, matches are marked and counted", async (ui) => {
  const { page, region, line, screenshot } = ui;
  await page.getByLabel("Filter the lines").fill("eRRoR of (all) e");
  await line("nothing to see").waitFor({ state: "detached" });
  await same(() => region.locator("mark").allTextContents(), ["Error of (all) e"]);
  await page.getByText("1 of 2 lines", { exact: true }).waitFor();
  await page.clock.fastForward(500);
  await page.getByRole("status").filter({ hasText: /^1 of 2 lines match$/ }).waitFor({ state: "attached" });
  await screenshot("log-filter-desktop");
}, { logs: { browser: "An Error of (all) errors\nnothing to see\n" } });

inSoak(logTest)("a lost connection is told and heals without a gap", async ({ app, page, line, poll }) => {
  await page.context().setOffline(true);
  await poll();
  await page.getByText(/^Not live: The service cannot be reached/).waitFor();
  await append(app, "browser", "written while nobody could read\n");
  await page.context().setOffline(false);
  await line("written while nobody could read").waitFor();
  await page.getByText(/^Not live/).waitFor({ state: "detached" });
  await same(() => line("the first line").count(), 1);
}, { mayLog: /ERR_INTERNET_DISCONNECTED/ });

inSoak(uiTest)("without JavaScript it is a page a program", async ({ app, url, page }) => {
  for (const [program, text] of Object.entries(WRITTEN)) await append(app, program, text);
  await page.goto(url + BROWSER);
  await same(async () => (await page.locator("pre").textContent())!, /the first line\n/);
  await same(() => page.getByRole("button").count(), 0, "what needs JavaScript is hidden");
  await page.getByRole("link", { name: "Encoder" }).click();
  await same(async () => (await page.locator("pre").textContent())!, /the encoder's line\n/);
  const file = await page.getByRole("link", { name: "Download" }).getAttribute("href");
  assert.equal(await (await app.fetch(file!)).text(), WRITTEN.encoder);
  await new DashboardPage(page, url).screenshot("log-no-script-desktop");
}, { streams: [{ name: "Clock" }], context: { javaScriptEnabled: false } });

logTest(
  "a stream that never ran has its events alone, and its logs once it runs",
  async ({ app, page, poll }) => {
    const names = page.getByRole("navigation", { name: "Logs" }).getByRole("link");
    await same(() => names.allTextContents(), ["Events"]);
    await append(app, "display", "the display's line\n");
    await poll();
    await names.filter({ hasText: "Display" }).waitFor();
  },
  { logs: {}, address: ADDRESS },
);

uiTest("the log of a stream that does not exist is a missing page", async ({ page, url }) => {
  const response = await page.goto(`${url}/streams/nobody/log`);
  assert.equal(response!.status(), 404);
  await page.getByText("There is no stream “nobody”.").waitFor();
}, { mayLog: /404/ });
