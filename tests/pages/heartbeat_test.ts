/** The last 24 hours on the cards, and what the dashboard says of the machine. */
import { SLOT_MS, SLOTS } from "../../lib/model/answers/heartbeat.ts";
import type { TestApp } from "../support/app.ts";
import { uiTest } from "../support/ui.ts";
import { same } from "../support/same.ts";
import type { Heartbeat } from "../../lib/model/answers/shapes.ts";

/** A day with a bad quarter of an hour before 9 o'clock and a stop in the night. */
const BAD_DAY: Heartbeat = {
  slots: `${"-".repeat(8)}${"s".repeat(20)}${"g".repeat(7)}f${"g".repeat(24)}dd${"g".repeat(34)}`,
  goodPercent: 97,
  faults: [
    { from: 35, to: 35, beat: "failed", seconds: 840, reason: "display-clock cannot be started" },
    { from: 60, to: 61, beat: "degraded", seconds: 95, reason: "The server answers 502 (Bad Gateway)" },
  ],
};
const GOOD_DAY: Heartbeat = { slots: "g".repeat(SLOTS), goodPercent: 100, faults: [] };

/** Midnight in UTC, which is the zone of these tests. */
const FROM = Date.UTC(2026, 10, 22);

function show(app: TestApp, streams: Record<string, Heartbeat>): void {
  const shown = { from: FROM, slotMs: SLOT_MS, streams };
  app.service.heartbeats.read = () => shown;
  app.service.heartbeats.text = () => Promise.resolve(JSON.stringify(shown));
}

const STREAMS = [{ name: "Clock" }, { name: "Wall" }, { name: "Camera" }];
const context = { timezoneId: "UTC" };

uiTest(
  "a card's bar says in words how the last 24 hours were, and leads to the stream's page",
  async (ui) => {
    const { app, page, dashboard } = ui;
    show(app, { clock: BAD_DAY, wall: GOOD_DAY });
    await dashboard.open();
    await page.getByRole("img", { name: "Last 24 hours: 97 % good, 2 faults: Clock" }).waitFor();
    await page.getByRole("img", { name: "Last 24 hours: 100 % good, no fault: Wall" }).waitFor();
    const link = page.getByRole("link", { name: /^Last 24 hours.*: Clock$/ });
    await same(() => link.getAttribute("href"), "/streams/clock");
  },
  { streams: STREAMS, context },
);

uiTest(
  "a moment of a card's bar leads to what the stream showed then, not by keyboard",
  async ({ app, page, dashboard }) => {
    show(app, { clock: BAD_DAY, wall: GOOD_DAY });
    await dashboard.open();
    const link = page.getByRole("link", { name: /^Last 24 hours.*: Clock$/ });
    const { width, height } = (await link.boundingBox())!;
    const quarter = (at: number) => ({ position: { x: (at + 0.5) * width / SLOTS, y: height / 2 } });
    await link.hover(quarter(35));
    await same(() => link.getAttribute("href"), "/streams/clock/rewind?at=2026-11-22T08:45:00Z");
    // a keyboard is at no moment
    await page.mouse.move(0, 0);
    await page.keyboard.press("Tab");
    await link.focus();
    await same(() => link.getAttribute("href"), "/streams/clock");
    await link.click(quarter(60));
    await page.waitForURL(/\/streams\/clock\/rewind\?at=2026-11-22T15:00:00Z$/);
  },
  { streams: STREAMS, context, mayLog: /picture\.jpg/ },
);

uiTest("bars and notices come up to date by themselves", async ({ app, page, dashboard }) => {
  await page.clock.install();
  await dashboard.open();
  show(app, { clock: BAD_DAY });
  app.machine.space = () =>
    Promise.resolve({ totalBytes: 1e10, freeBytes: 1e8, totalFiles: 0, freeFiles: 0 });
  await app.service.disk.round();
  await page.clock.fastForward(60_000);
  await page.getByRole("img", { name: "Last 24 hours: 97 % good, 2 faults: Clock" }).waitFor();
  await page.getByText(/^The disk of DATA_DIR is nearly full: 100 MB of 10 GB are free/).waitFor();
}, { streams: STREAMS, context });
