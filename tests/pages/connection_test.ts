/** How the first page keeps up with the service: what it is told, polls where it is told nothing, and failures. */
import { strict as assert } from "node:assert";
import type { Page } from "playwright-core";
import { same, until } from "../support/same.ts";
import { uiTest } from "../support/ui.ts";
import { stopClock } from "../support/page_clock.ts";

/** The pause between two polls. */
const POLL_MS = 3000;
const MAY_LOG = { mayLog: /ERR_INTERNET_DISCONNECTED/ };

/** Makes the page think that it is in another tab's shadow, or back. */
function hide(page: Page, isHidden: boolean): Promise<void> {
  return page.evaluate((value) => {
    Object.defineProperty(document, "hidden", { value, configurable: true });
    Object.defineProperty(document, "visibilityState", {
      value: value ? "hidden" : "visible",
      configurable: true,
    });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);
}

/** The API's paths the page asks for, from now on. */
function requestsOf(page: Page, below = "/api/"): string[] {
  const paths: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith(below)) paths.push(pathname);
  });
  return paths;
}

uiTest(
  "what others change is told to the page, which asks for no states",
  async ({ page, dashboard, app }) => {
    const paths = requestsOf(page, "/api/streams");
    await dashboard.open();
    await until("somebody to listen", () => app.service.feed.listeners === 1);
    // the answer of before a start, which is told meanwhile
    const [asked, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route("**/api/streams/statuses", async (route) => {
      const response = await route.fetch();
      asked.resolve();
      await told.promise;
      await route.fulfill({ response });
    }, { times: 1 });
    await app.api("PATCH", "/api/streams/sales", { group: "Floor 1" });
    await asked.promise;
    const started = await app.api("POST", "/api/streams/sales/start");
    assert.equal(started.status, 200, JSON.stringify(started.json));
    await dashboard.untilState("Sales", "running");
    told.resolve();
    await page.getByRole("heading", { name: "Floor 1" }).waitFor();
    assert.deepEqual(paths.filter((path) => !path.endsWith("/thumb")), [
      "/api/streams/statuses",
      "/api/streams",
    ]);
    await dashboard.untilState("Sales", "running");
    await app.api("PATCH", "/api/streams/sales", { name: "Sales today" });
    await dashboard.card("Sales today").waitFor();
    await dashboard.untilState("Sales today", "running");
  },
  {
    streams: [{ name: "Sales" }],
    env: { TIMINGS: JSON.stringify({ statusCacheMs: 100, feed: { roundMs: 50 } }) },
  },
);

uiTest("a hidden page asks for nothing, and is up to date at once when seen again", async (ui) => {
  const { page, dashboard, app } = ui;
  await page.clock.install();
  await dashboard.open();
  await stopClock(page, 1000);
  await hide(page, true);
  await until("the end of the events", () => app.service.feed.listeners === 0);
  const paths = requestsOf(page);
  await app.api("PATCH", "/api/streams/sales", { name: "Sales today" });
  await page.clock.runFor(20 * POLL_MS);
  await page.evaluate(() => fetch("/api/config").then((answer) => answer.text()));
  assert.deepEqual(paths, ["/api/config"], "only what the test asked for");
  await hide(page, false);
  await dashboard.card("Sales today").waitFor();
}, { streams: [{ name: "Sales" }] });

uiTest("a lost connection is told, over a dialog too, and heals", async ({ page, dashboard }) => {
  const lost = page.getByRole("status").getByText("Connection lost.");
  const add = page.getByRole("button", { name: "Add stream" });
  await dashboard.open();
  // the form is fetched when it is first opened: the page says why it is not there, and has it when it is back
  await page.context().setOffline(true);
  await add.click();
  await page.getByRole("alert").getByText("The service cannot be reached.").waitFor();
  await page.context().setOffline(false);
  await add.click();
  await dashboard.dialog("Add a stream").waitFor();
  await same(() => page.getByRole("alert").getByText("The service cannot be reached.").count(), 0);
  await dashboard.press("Escape");
  await dashboard.choosePage("Settings");
  await dashboard.dialog("Settings").waitFor();
  await page.context().setOffline(true);
  await dashboard.poll();
  await dashboard.dialog("Settings").getByText("Connection lost.").waitFor();
  await dashboard.screenshot("connection-lost-dialog-desktop");
  await dashboard.press("Escape");
  await lost.waitFor();
  await dashboard.screenshot("connection-lost-desktop");
  await page.context().setOffline(false);
  // a first try that comes too early is followed by the next one half a minute later, unless the browser says so again
  await same(async () => {
    await dashboard.poll();
    return await lost.count();
  }, 0);
}, MAY_LOG);

uiTest("after a restart of the service, the page shows what it says", async (ui) => {
  const { page, dashboard, restart } = ui;
  const lost = page.getByText("Connection lost.");
  await dashboard.open();
  await dashboard.poll();
  await page.context().setOffline(true);
  await dashboard.poll();
  await lost.waitFor();
  const next = await restart();
  await next.api("PATCH", "/api/streams/sales", { name: "Sales again" });
  await page.context().setOffline(false);
  await page.getByRole("heading", { name: "Sales again" }).waitFor();
  await lost.waitFor({ state: "detached" });
}, { ...MAY_LOG, streams: [{ name: "Sales" }] });

uiTest(
  "a proxy that answers with its login page has done nothing, and says so",
  async ({ page, dashboard, app }) => {
    await dashboard.open();
    app.machine.supervisord.commands();
    const signIn = { status: 200, contentType: "text/html", body: "<h1>Sign in</h1>" };
    await page.route("**/api/streams/**", (route) => route.fulfill(signIn));
    await dashboard.choose("Sales", "Reset sign-in");
    await dashboard.dialog("Reset the sign-in?").getByRole("button", { name: "Reset sign-in", exact: true })
      .click();
    await page.getByText(/proxy in front of the service has signed you out/).first().waitFor();
    await dashboard.card("Sales").waitFor();
    assert.deepEqual(app.machine.supervisord.commands(), []);
    const link = page.getByRole("link", { name: "Load this page again" }).first();
    await dashboard.poll();
    await link.waitFor();
    await page.unroute("**/api/streams/**");
    await link.click();
    await dashboard.card("Sales").waitFor();
    await page.getByText("signed you out").waitFor({ state: "detached" });
  },
  { streams: [{ name: "Sales" }] },
);
