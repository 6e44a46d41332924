/** The page of one stream: its state with advice, what can be done about it, and the way to its form and back. */
import { strict as assert } from "node:assert";
import { streamId } from "../../lib/model/id.ts";
import { assertBothAccessible } from "../support/axe.ts";
import { SIZES } from "../support/browser.ts";
import { same, until } from "../support/same.ts";
import { uiTest } from "../support/ui.ts";

const ENV = { TIMINGS: '{"statusCacheMs":1}' };

uiTest("a stream's page says why and what to do in full, tries again, stops and starts", async (ui) => {
  const { page, url, app, dashboard } = ui;
  await dashboard.open();
  await dashboard.untilState("Clock", "running");
  const { health } = app.service.fleet.get(streamId("clock")).page!;
  const nextTryAt = app.machine.elapsed() + 60_000;
  health.find({ state: "refused", status: null, error: "ERR_CONNECTION_REFUSED", nextTryAt });
  const bar = page.getByRole("link", { name: /^Last 24 hours.*: Clock$/ });
  await same(() => bar.getAttribute("href"), "/streams/clock");
  await page.goto(`${url}/streams/clock`);
  await page.locator("main[data-ready=true]").waitFor();

  const main = page.getByRole("main");
  await main.getByText("The page's server refuses the connection.", { exact: true }).waitFor();
  await main.getByText("Check that the server runs, and the port in the address.").waitFor();
  await main.getByText("clock.example.org, ERR_CONNECTION_REFUSED").waitFor();
  await main.getByText(/^Next try in/).waitFor();
  await main.getByRole("heading", { name: /^Last 24 hours/ }).waitFor();
  await main.getByRole("heading", { name: /^Last 30 days/ }).waitFor();
  await main.getByRole("region", { name: "Events", exact: true }).waitFor();
  await assertBothAccessible(page, "a stream's page");
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    await dashboard.screenshot(`stream-page-${size}`);
    await same(() => dashboard.overflow(), 0, size);
  }
  const asked = page.waitForRequest((request) => request.url() === `${url}/api/streams/clock/home`);
  await main.getByRole("button", { name: "Try now" }).click();
  assert.equal((await asked).method(), "POST");

  await main.getByRole("link", { name: "Edit address" }).click();
  const form = page.getByRole("dialog", { name: "Edit “Clock”" });
  await same(() => form.getByLabel("Page address").evaluate((it) => it === document.activeElement), true);
  await page.keyboard.press("Escape");
  await page.waitForURL(`${url}/streams/clock`);
  await page.locator("main[data-ready=true]").waitFor();

  await main.getByRole("button", { name: "Stop" }).click();
  await main.getByText("stopped", { exact: true }).waitFor();
  await same(() => app.service.streams.get("clock", "admin").desiredState, "stopped");
  await main.getByRole("button", { name: "Start" }).click();
  await same(() => app.service.streams.get("clock", "admin").desiredState, "running");
}, { streams: [{ name: "Clock", desiredState: "running" }], env: ENV, mayLog: /503|409|404/ });

uiTest("a stream's page asks until when a planned stream is stopped; Edit comes back to it", async (ui) => {
  const { page, url, app, dashboard } = ui;
  // on the air today and the days beside it
  const today = new Date(app.machine.now()).getUTCDay();
  const days = [6, 0, 1].map((more) => ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][(today + more) % 7]);
  const plan = `${days.join(",")} 00:00-24:00`;
  await app.service.streams.update("clock", { plan, planTimeZone: "UTC" }, true);
  await page.goto(`${url}/streams/clock`);
  await page.locator("main[data-ready=true]").waitFor();
  const main = page.getByRole("main");
  const asked = page.getByRole("dialog", { name: /Clock/ });
  await main.getByRole("button", { name: "Stop" }).click();
  await asked.getByRole("heading", { name: "Stop “Clock” until when?" }).waitFor();
  await dashboard.screenshot("stream-page-plan");
  await dashboard.press("Enter"); // "Until the next time" has the focus
  await main.getByText("planned", { exact: true }).waitFor();
  await same(() => app.service.streams.get("clock", "admin").planOverride?.onAir, false);
  await main.getByRole("button", { name: "Start", exact: true }).click();
  await asked.getByRole("button", { name: /^Turn the plan off/ }).click();
  await main.getByText("stopped", { exact: true }).waitFor();
  await same(() => app.service.streams.get("clock", "admin").desiredState, "stopped");
  assert.equal(app.service.streams.get("clock", "admin").planOverride, undefined);

  await page.getByRole("link", { name: "Edit" }).click();
  const form = page.getByRole("dialog");
  await form.waitFor();
  await page.keyboard.press("Escape");
  await page.waitForURL(`${url}/streams/clock`);
}, { streams: [{ name: "Clock", desiredState: "running" }], env: ENV, mayLog: /503|409|404/ });

uiTest("a stream's page is told of changes and asks for no state; a lost feed asks once", async (ui) => {
  const { page, url, app } = ui;
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (/^\/api\/streams\/(statuses|clock)$/.test(pathname)) asked.push(pathname + search);
  });
  await page.goto(`${url}/streams/clock`);
  await page.locator("main[data-ready=true]").waitFor();
  const main = page.getByRole("main");
  await until("somebody to listen", () => app.service.feed.listeners === 1);
  await main.getByText("running", { exact: true }).waitFor();
  const { health } = app.service.fleet.get(streamId("clock")).page!;
  health.find({ state: "refused", status: null, error: "ERR_CONNECTION_REFUSED", nextTryAt: null });
  await main.getByText("The page's server refuses the connection.", { exact: true }).waitFor();
  const { lastChange, spec } = app.service.fleet.get(streamId("clock"));
  const counts = new Map([[spec!.display, { sent: 1, dropped: 0, changedAt: app.machine.now() }]]);
  app.machine.frames = () => Promise.resolve(counts);
  lastChange.saw(counts);
  await main.getByText("less than 2 min ago", { exact: true }).waitFor();
  assert.deepEqual(asked, []);

  await app.api("PATCH", "/api/streams/clock", { name: "Clock of the hall" });
  await main.getByRole("heading", { name: "Clock of the hall" }).waitFor();
  await app.api("PATCH", "/api/streams/clock", { group: "Floor 1" });
  await main.getByText("Floor 1", { exact: true }).waitFor();
  assert.deepEqual(asked.splice(0), [
    "/api/streams/statuses?id=clock",
    "/api/streams/clock",
    "/api/streams/statuses?id=clock",
    "/api/streams/clock",
  ]);

  // the feed ends and is refused from now on, so the page has to ask
  await page.route("**/api/events", (route) => route.abort());
  await app.service.feed.stop();
  await until("the page to ask", () => asked.length > 0);
  assert.deepEqual(asked, ["/api/streams/statuses?id=clock"]);
  await app.api("POST", "/api/streams/clock/stop");
  await main.getByText("stopped", { exact: true }).waitFor();
}, {
  streams: [{ name: "Clock", desiredState: "running" }],
  env: { TIMINGS: JSON.stringify({ statusCacheMs: 100, feed: { roundMs: 50 } }) },
  mayLog: /ERR_FAILED/,
});
