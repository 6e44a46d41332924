/** The Events tab: what happened to a stream, live, in the viewer's time zone. */
import { strict as assert } from "node:assert";
import type { Page } from "playwright-core";
import type { EventKind, EventLevel } from "../../lib/model/answers/events.ts";
import { streamId } from "../../lib/model/id.ts";
import type { TestApp } from "../support/app.ts";
import { uiTest } from "../support/ui.ts";
import { same } from "../support/same.ts";

const clock = streamId("clock");
const MINUTE = 60_000;

/** Events, each so many minutes after the one before. */
function happen(app: TestApp, events: [minutes: number, EventKind, string, EventLevel?][]): void {
  for (const [minutes, kind, text, level] of events) {
    app.machine.advance(minutes * MINUTE);
    app.service.events.add(clock, kind, text, level);
  }
}

async function openEvents(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/streams/clock/log`);
  await page.locator("main[data-ready=true]").waitFor();
}

/** More than 24 hours in the life of a stream: whatever the time is now, it ends on the day after. */
const DAY: [number, EventKind, string, EventLevel?][] = [
  [0, "stream", "Started."],
  [1, "page", "Opened https://clock.example.org/ (HTTP 200)."],
  [1, "login", "Logged in."],
  [30, "takeover", "Somebody at 192.168.1.20 took over the browser."],
  [4, "takeover", "Somebody at 192.168.1.20 left the browser after 4 min."],
  [90, "console", "TypeError: Cannot read properties of undefined (reading 'temperature')", "error"],
  [1, "console", "TypeError: Cannot read properties of undefined (reading 'temperature')", "error"],
  [1, "console", "TypeError: Cannot read properties of undefined (reading 'temperature')", "error"],
  [600, "page", "The server answered 502; it is tried again.", "warn"],
  [660, "page", "Opened https://clock.example.org/ (HTTP 200)."],
  [5, "certificate", "The certificate ends in 6 days.", "warn"],
  [30, "program", "Encoder restarted: no new segment for 13 s.", "warn"],
  [10, "reload", "The page was reloaded."],
  [60, "profile", "The page stored 1214 MB, more than the 1000 MB it may: its profile is emptied.", "warn"],
  [0, "stream", "Started."],
];

uiTest(
  "the events are the first tab, by day, with their level in words and how often they came",
  async (ui) => {
    const { app, page, url } = ui;
    happen(app, DAY);
    await openEvents(page, url);
    await same(() => page.locator("[aria-current=page]").textContent(), "Events");
    const region = page.getByRole("region", { name: "Events", exact: true });
    await same(
      async () => await region.getByRole("heading", { level: 2 }).count() >= 2,
      true,
      "a heading for each day",
    );
    const rows = region.getByRole("listitem");
    const texts = await rows.allTextContents();
    assert.match(texts[0], /^\d\d:\d\d:\d\dStream Created\. $/);
    assert.match(texts[6], /Console.*Error: TypeError: .*3 times since \d\d:\d\d$/);
    assert.match(texts[7], /Page.*Warning: The server answered 502/);
    assert.equal(texts.length, DAY.length + 1 - 2);
  },
  { streams: [{ name: "Clock" }] },
);

uiTest(
  "an event that comes appears by itself, and one that comes again is counted",
  async ({ app, page, url }) => {
    await page.clock.install();
    await openEvents(page, url);
    happen(app, [[0, "program", "Encoder restarted.", "warn"]]);
    await page.clock.fastForward(2000);
    await page.getByText("Encoder restarted.").waitFor();
    happen(app, [[0, "program", "Encoder restarted.", "warn"], [0, "page", "Opened."]]);
    await page.clock.fastForward(2000);
    await page.getByText(/2 times since/).waitFor();
    await page.getByText("Opened.").waitFor();
    await same(() => page.getByText("Encoder restarted.").count(), 1);
  },
  { streams: [{ name: "Clock" }] },
);

uiTest("times and days are those of the viewer's zone", async ({ app, page, url }) => {
  happen(app, [[0, "page", "Opened."]]);
  const { lastAt } = app.service.events.list(clock).at(-1)!;
  await openEvents(page, url);
  const there = { timeZone: "Pacific/Kiritimati" };
  const row = page.getByRole("listitem").filter({ hasText: "Opened." });
  const time = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", ...there }).format(lastAt);
  await row.getByText(time, { exact: true }).waitFor();
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", ...there }).format(lastAt);
  await page.getByRole("heading", { name: day }).waitFor();
}, { streams: [{ name: "Clock" }], context: { timezoneId: "Pacific/Kiritimati" } });

uiTest("events are filtered by their words, and none is said", async ({ app, page, url }) => {
  happen(app, DAY);
  await openEvents(page, url);
  await page.getByLabel("Filter the events").fill("WARNING");
  await page.getByText("Started.").first().waitFor({ state: "detached" });
  await same(() => page.getByRole("listitem").count(), 4);
  await page.getByLabel("Filter the events").fill("nothing of it");
  await page.getByText("No event matches.").waitFor();
}, { streams: [{ name: "Clock" }] });
