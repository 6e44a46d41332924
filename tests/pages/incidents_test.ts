/** The page "Incidents" as each role sees it, on streams of which something went wrong. */
import { strict as assert } from "node:assert";
import type { Page } from "playwright-core";
import { dayName } from "../../components/log/eventText.ts";
import { assertBothAccessible } from "../support/axe.ts";
import { takePicture } from "../support/pictures.ts";
import { keepPast, seconds } from "../support/rewind_page.ts";
import { same } from "../support/same.ts";
import { type UiTest, uiTest } from "../support/ui.ts";

const PASSWORD = "correct horse battery";
const ENV = {
  WEBHOOK_AFTER_SECONDS: "0",
  TIMINGS: JSON.stringify({ statusCacheMs: 1, webhook: { roundMs: 10 } }),
};
const STREAMS = [
  { name: "Clock", group: "Hall", desiredState: "running" },
  { name: "Wall", rewindFor: "viewers", desiredState: "running" },
];

/** Both streams fail; of both, the last minutes are kept. */
async function failBoth({ app }: UiTest): Promise<void> {
  const now = Math.floor(app.machine.now() / 1000);
  for (const id of ["clock", "wall"]) {
    await keepPast(app, [{ number: 1, seconds: seconds(now - 600, now + 60, 5), end: now + 3600 }], id);
    app.machine.supervisord.setState(`encoder-${id}`, "FATAL");
  }
  await same(() => app.service.messages.incidents().length, 2);
  const [{ from }] = app.service.messages.incidents();
  await same(() => app.machine.now() - from > 1500, true, "the second of the fault is over");
}

const incident = (page: Page, name: string) => page.getByRole("listitem").filter({ hasText: name });

/** Whether the picture of an incident has been loaded. */
const hasPicture = (page: Page, name: string) =>
  incident(page, name).locator("img").evaluate((one: HTMLImageElement) => one.naturalWidth > 0);

uiTest(
  "incidents say their state as the card does, when, and show the picture of their beginning",
  async (ui) => {
    const { app, page, url, dashboard, layoutShift } = ui;
    await failBoth(ui);
    await dashboard.open();
    await same(() => page.title(), "(2) Streams · Browser Stream");
    await page.getByRole("navigation").getByRole("link", { name: "Incidents" }).click();
    await page.locator("main[data-ready=true]").waitFor();
    await same(() => page.title(), "(2) Incidents · Browser Stream");
    const icon = page.locator("link[rel=icon]");
    await same(
      async () => decodeURIComponent((await icon.getAttribute("href"))!).includes(">2</text>"),
      true,
    );
    const { from } = app.service.messages.incidents()[0];
    await page.getByRole("heading", { name: dayName(from) }).waitFor();
    await incident(page, "Clock").getByText("failed", { exact: true }).waitFor();
    await incident(page, "Clock").getByText(/^\d\d:\d\d:\d\d, goes on$/).waitFor();
    const past = incident(page, "Clock").getByRole("link", { name: "Show what it showed then" });
    await same(() => past.getAttribute("href"), /^\/streams\/clock\/rewind\?at=20\d\d-\d\d-\d\dT[\d:]{8}Z$/);
    await same(() => hasPicture(page, "Clock"), true);
    assert.equal(await layoutShift(), 0);
    await assertBothAccessible(page, "incidents");
    for (const width of [320, 390, 1440, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      await takePicture(page, `incidents-${width}`);
      await same(
        () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth <= 0),
        true,
        `${width}`,
      );
    }
    await page.getByLabel("Kind").selectOption("disk");
    await page.getByText("No incident matches.").waitFor();
    await page.getByLabel("Kind").selectOption("Degraded or failed");
    await page.getByLabel("Group").selectOption("Hall");
    await same(() => incident(page, "Wall").count(), 0);
    app.machine.supervisord.setState("encoder-clock", "RUNNING");
    await same(() => app.service.messages.incidents({ isOpen: true }).length, 1);
    await dashboard.poll();
    await incident(page, "Clock").getByText(/^\d\d:\d\d:\d\d to \d\d:\d\d:\d\d, for \d+ (s|min)$/).waitFor();
    await same(() => page.title(), "(1) Incidents · Browser Stream");
    await app.api("DELETE", "/api/streams/clock");
    await page.goto(`${url}/incidents`);
    await incident(page, "Clock").waitFor();
    await same(() => incident(page, "Clock").getByRole("link").count(), 0, "it is gone");
  },
  { env: ENV, streams: STREAMS, context: { reducedMotion: "reduce" } },
);

uiTest(
  "a viewer reads the incidents, and sees the past of those streams alone whose past is for viewers",
  async (ui) => {
    const { app, page, url } = ui;
    await failBoth(ui);
    const { users } = app.service.login;
    await users.add({ name: "anna", role: "admin", password: PASSWORD });
    await users.add({ name: "vera", role: "viewer", password: PASSWORD });
    await page.goto(`${url}/login?next=/incidents`);
    await page.getByLabel("User name").fill("vera");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.waitForURL(`${url}/incidents`);
    await same(() => hasPicture(page, "Wall"), true);
    const clock = incident(page, "Clock");
    await clock.getByText("failed", { exact: true }).waitFor();
    await same(() => clock.locator("img").count(), 0);
    await same(() => clock.getByRole("link", { name: "Show what it showed then" }).count(), 0);
    await takePicture(page, "incidents-viewer");
  },
  { env: ENV, streams: STREAMS, context: {} },
);

uiTest(
  "incidents and their links work without JavaScript, and a past that is not kept leaves no mark",
  async (ui) => {
    const { app, page, url } = ui;
    app.machine.supervisord.setState("encoder-clock", "FATAL");
    await same(() => app.service.messages.incidents().length, 1);
    await page.goto(`${url}/incidents`);
    await incident(page, "Clock").getByText(/goes on$/).waitFor();
    await same(() => page.getByRole("group", { name: "Filter" }).count(), 0);
    const { width } = (await incident(page, "Clock").locator("img").boundingBox()) ?? { width: 0 };
    assert.equal(width, 0, "no sign of a broken picture");
    await takePicture(page, "incidents-plain");
    await page.getByRole("link", { name: "Clock", exact: true }).click();
    await page.getByRole("heading", { name: "Clock", level: 1 }).waitFor();
  },
  { env: ENV, streams: STREAMS, context: { javaScriptEnabled: false }, mayLog: /404/ },
);
