/** What can be measured of how the pages look. */
import { strict as assert } from "node:assert";
import { streamId } from "../../lib/model/id.ts";
import { SIZES } from "../support/browser.ts";
import { uiTest } from "../support/ui.ts";
import { same } from "../support/same.ts";

uiTest(
  "a degraded card says why and what to do, keeps some of its picture, and tells more when looked at",
  async (ui) => {
    const { page, dashboard, app } = ui;
    await dashboard.open();
    await dashboard.untilState("Clock", "running");
    const finding = { status: 502, error: null, nextTryAt: app.machine.elapsed() + 60_000 };
    app.service.fleet.get(streamId("clock")).page!.health.find({ state: "server-error", ...finding });
    await dashboard.poll();
    await dashboard.untilState("Clock", "degraded");
    const height = (selector: string) =>
      page.locator(selector).evaluate((it) => it.getBoundingClientRect().height);
    const isCovered = async () => await height(".card-problem") > 0.6 * await height(".screen");
    await same(isCovered, false, "it covers the picture");
    const reason = page.locator(".reason");
    const says = /^The page's server has a problem \(502\)\.clock\.example\.org: Check that server\./;
    await same(() => reason.textContent(), says);
    await reason.evaluate((it) => it.textContent = it.textContent!.repeat(4));
    await same(isCovered, false, "a long one covers the picture");
    const short = await height(".reason");
    await dashboard.card("Clock").hover();
    await same(async () => await height(".reason") > 1.5 * short, true);
  },
  { streams: [{ name: "Clock", desiredState: "running" }], env: { TIMINGS: '{"statusCacheMs":1}' } },
);

uiTest("while a dialog is open, the page behind neither moves nor scrolls", async (ui) => {
  const { page, dashboard, layoutShift } = ui;
  await dashboard.open();
  await same(() => page.evaluate(() => document.documentElement.scrollHeight > innerHeight + 400), true);
  await dashboard.choosePage("Settings");
  await dashboard.dialog("Settings").waitFor();
  const { x, y } = (await page.getByRole("heading", { name: "Settings" }).boundingBox())!;
  for (const [left, top] of [[20, 500], [x + 5, y + 5]]) {
    await page.mouse.move(left, top);
    await page.mouse.wheel(0, 400);
  }
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await same(() => page.evaluate(() => scrollY), 0);
  assert.equal(await layoutShift(), 0);
}, { streams: Array.from({ length: 32 }, (_, n) => ({ name: `Clock ${n}` })) });

uiTest(
  "cards fill the width, one that is stopped is half as high, and the filter stays in sight",
  async (ui) => {
    const { page, dashboard } = ui;
    await dashboard.open();
    await dashboard.untilState("Clock 0", "running");
    const box = (selector: string) =>
      page.locator(selector).first().evaluate((it) => it.getBoundingClientRect().toJSON());
    for (const size of ["desktop", "phone"] as const) {
      await page.setViewportSize(SIZES[size]);
      const { right, height } = await box(".cards");
      const rights = await page.locator(".card").evaluateAll((all) =>
        all.map((it) => it.getBoundingClientRect().right)
      );
      assert.ok(Math.abs(Math.max(...rights) - right) < 1, `${size}: ${rights} of ${right}`);
      assert.ok(height > 0);
      const [running, stopped] = [await box("#stream-clock-0"), await box("#stream-clock-1")];
      assert.ok(stopped.height < 0.6 * running.height, `${size}: ${stopped.height} of ${running.height}`);
      const bar = await Promise.all([".brand", ".add", "#page-menu-button"].map(box));
      assert.ok(bar.every(({ top, bottom }) => top < bar[0].bottom && bottom > bar[0].top), "one row");
      await page.evaluate(() => scrollTo(0, 10_000));
      await same(() => page.evaluate(() => scrollY > 400), true);
      const filter = await box("#filter");
      if (size === "desktop") assert.ok(filter.top >= 0 && filter.bottom < 200, JSON.stringify(filter));
      else {
        await page.keyboard.press("/");
        await same(async () => (await box("#filter")).top >= 0, true, "/ scrolls to it");
      }
      await page.evaluate(() => scrollTo(0, 0));
    }
  },
  {
    streams: Array.from({ length: 20 }, (_, n) => ({
      name: `Clock ${n}`,
      desiredState: n === 1 ? "stopped" : "running",
    })),
  },
);
