/** The thumbnails on the cards. That they show the streams' pages is tests/e2e/channel_test.ts's. */
import { strict as assert } from "node:assert";
import { streamId } from "../../lib/model/id.ts";
import type { TestApp } from "../support/app.ts";
import { same, until } from "../support/same.ts";
import { uiTest } from "../support/ui.ts";
import { inSoak } from "../support/soak.ts";

const CLOCK = { streams: [{ name: "Clock", desiredState: "running" }] };

/** Captures one more. @returns its time. */
async function capture({ service, machine }: TestApp): Promise<number> {
  machine.advance(1000);
  await service.fleet.get(streamId("clock")).thumbnail.capture();
  return service.fleet.get(streamId("clock")).thumbnail.capturedAt!;
}

uiTest("a new thumbnail is asked for in the menu; the old one stays until it is there", async (ui) => {
  const { page, dashboard, app, layoutShift } = ui;
  const first = await capture(app);
  await dashboard.open();
  const shown = dashboard.thumbnail("Clock");
  const width = () => shown.evaluate((image: HTMLImageElement) => image.naturalWidth);
  await until("the first", async () => await width() === 64);
  const { width: across, height } = (await dashboard.card("Clock").locator(".screen").boundingBox())!;
  assert.ok(Math.abs(across / height - 16 / 9) < 0.02, `its box is ${across} x ${height}`);

  app.machine.advance(1000);
  const blocked = Promise.withResolvers<void>();
  await page.route("**/thumb?at=*", async (route) => {
    await blocked.promise;
    await route.continue();
  });
  await dashboard.choose("Clock", "Refresh thumbnail");
  await dashboard.untilAnnounced("A new thumbnail of Clock");
  await dashboard.poll();
  await dashboard.card("Clock").locator("img.is-loading").waitFor({ state: "attached" });
  await same(async () => (await shown.getAttribute("src"))!.endsWith(`at=${first}`), true);
  await same(width, 64);
  blocked.resolve();
  const second = app.service.fleet.get(streamId("clock")).thumbnail.capturedAt;
  await until(
    "the second",
    async () => (await shown.getAttribute("src"))!.endsWith(`at=${second}`),
  );
  await same(width, 64);
  assert.notEqual(first, second);
  assert.equal(await layoutShift(), 0);
}, CLOCK);

uiTest("the age of a thumbnail is shown to who points at the card or has the focus there", async (ui) => {
  const { page, dashboard, app } = ui;
  await capture(app);
  await dashboard.open();
  const age = dashboard.card("Clock").getByText(/^thumbnail from \d+ (s|min) ago$/);
  const opacity = () => age.evaluate((it) => getComputedStyle(it).opacity);
  await same(opacity, "0");
  await dashboard.card("Clock").hover();
  await same(opacity, "1");
  await page.mouse.move(5, 5);
  await same(opacity, "0");
  await dashboard.action("Clock", "Play").focus();
  await same(opacity, "1");
}, CLOCK);

const BROKEN = { ...CLOCK, mayLog: /ERR_FAILED|ERR_INTERNET_DISCONNECTED/ };

inSoak(uiTest)(
  "a thumbnail that cannot be loaded is asked for again after 30 s",
  async ({ page, dashboard, app }) => {
    await page.clock.install();
    const requested: string[] = [];
    await page.route("**/clock/thumb?*", (route) => {
      requested.push(route.request().url().split("at=")[1]);
      return route.abort();
    });
    const times = [String(await capture(app))];
    await dashboard.open();
    await dashboard.card("Clock").getByText("No picture yet").waitFor();
    times.push(String(await capture(app)));
    await dashboard.poll();
    await until("the next", () => requested.includes(times[1]));
    for (let polls = 0; polls < 3; polls++) {
      const answer = page.waitForResponse("**/statuses");
      await dashboard.poll();
      await answer;
    }
    assert.deepEqual(requested, times, "each is requested once");
    await page.unroute("**/clock/thumb?*");
    await page.clock.runFor(30_000);
    await dashboard.thumbnail("Clock").and(page.locator(`[src$="${times[1]}"]`)).waitFor();
  },
  BROKEN,
);

uiTest(
  "a stream that is being started is asked for its picture when the service has it started",
  async (ui) => {
    const { page, dashboard } = ui;
    // else the console has the 404 of a stream that is stopped
    await page.route("**/api/streams/sales/start?wait=true", async (route) => {
      await dashboard.untilState("Sales", "starting");
      await route.continue();
    });
    await dashboard.open();
    await dashboard.action("Sales", "Start").click();
    await dashboard.untilState("Sales", "running");
  },
  { streams: [{ name: "Sales" }] },
);
