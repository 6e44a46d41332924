/** The first page as a whole: what is there, how it is added to, and how it looks at every size. */
import { strict as assert } from "node:assert";
import { streamId } from "../../lib/model/id.ts";
import { SIZES } from "../support/browser.ts";
import { loadedScripts, paintTimes } from "../support/loading.ts";
import { same, until } from "../support/same.ts";
import { uiTest } from "../support/ui.ts";
import { inSoak } from "../support/soak.ts";

const JS_BUDGET = 50_000;
const LONG_NAME = "Donaudampfschifffahrtsgesellschaftskapitänskajütentürschlüsselverwaltung".padEnd(
  120,
  "–x",
);

uiTest("an empty board invites to add the first page", async ({ page, dashboard }) => {
  await dashboard.open();
  await page.getByRole("heading", { name: "Turn a web page into a channel" }).waitFor();
  await same(() => page.getByRole("listitem").count(), 0);
  await dashboard.screenshot("empty-desktop");
});

uiTest("a bad address is told at its field, and nothing typed is lost", async ({ page, dashboard }) => {
  await dashboard.open();
  await dashboard.tabTo("Add the first page");
  await dashboard.press("Enter");
  await page.getByRole("dialog").getByLabel("Page address").and(page.locator(":focus")).waitFor();
  await dashboard.type("file:///etc/passwd");
  await dashboard.tabTo("Name");
  await dashboard.type("Clock");
  await dashboard.press("Enter");
  await dashboard.field("Page address").and(page.locator("[aria-invalid]")).waitFor();
  const { text, weight, rgb: [red, green, blue] } = await dashboard.problemAt("Page address");
  assert.match(text, /http/);
  assert.ok(weight >= 700, "the problem is bold");
  assert.ok(red > 200 && green < 140 && blue < 140, `the problem is red, not ${red},${green},${blue}`);
  await page.locator(":focus", { hasText: "One field needs a change" }).waitFor();
  await same(() => dashboard.field("Name").inputValue(), "Clock");
  await same(() => dashboard.field("Page address").inputValue(), "file:///etc/passwd");
});

for (const [size, viewport] of Object.entries(SIZES)) {
  inSoak(uiTest)(
    `on a ${size}, long names fit without a horizontal scroll bar`,
    async (ui) => {
      const { page, dashboard, layoutShift, app } = ui;
      await app.create({ name: "Clock" });
      await app.service.fleet.get(streamId("clock")).thumbnail.capture();
      await dashboard.open();
      await dashboard.card(LONG_NAME).waitFor();
      await dashboard.thumbnail("Clock").evaluate((image: HTMLImageElement) => image.decode());
      await same(() => dashboard.overflow(), 0);
      await page.evaluate(() => scrollTo(0, 0));
      await dashboard.screenshot(`streams-${size}`);
      assert.equal(await layoutShift(), 0, "nothing jumps");
      const add = page.getByRole("button", { name: "Add stream" });
      const position = await add.evaluate((it) => getComputedStyle(it).position);
      assert.equal(position, "static", "it lies over nothing");
      await add.click();
      await page.getByRole("dialog").waitFor();
      await same(() => dashboard.overflow(), 0, "nor with the form");
    },
    {
      context: { viewport },
      streams: [LONG_NAME, "Sales", "Grafana – Übersicht", "<b>Departures</b>", "Lobby camera"]
        .map((name) => ({ name })),
    },
  );
}

uiTest("without JavaScript it is a list with links", async ({ page, url, dashboard, app }) => {
  await app.create({ name: "Clock" });
  await app.service.fleet.get(streamId("clock")).thumbnail.capture();
  await until("the service to see it run", async () => {
    return (await app.api("GET", "/api/streams/statuses")).json.clock.state === "running";
  });
  await page.goto(url);
  await dashboard.untilState("Clock", "running");
  await dashboard.untilState("Sales", "stopped");
  await same(() => page.getByRole("button").count(), 0, "buttons that need JavaScript are hidden");
  const link = (action: string) => dashboard.action("Clock", action).getAttribute("href");
  await same(() => Promise.all(["Play", "VNC"].map(link)), ["/player/clock", "/vnc/clock"]);
  const thumbnail = dashboard.thumbnail("Clock");
  await same(() => thumbnail.evaluate((image: HTMLImageElement) => image.decode().then(() => true)), true);
  await dashboard.screenshot("no-script-desktop");
}, { context: { javaScriptEnabled: false }, streams: [{ name: "Sales" }] });

uiTest("little is loaded, and nothing blocks but one style sheet", async (ui) => {
  const { page, dashboard, layoutShift } = ui;
  const scripts = loadedScripts(page);
  await page.route("**/api/events", (route) => route.abort()); // which would never be idle
  await dashboard.open();
  await page.waitForLoadState("networkidle");
  const files = await scripts.sizes();
  const total = files.reduce((sum, { gzip }) => sum + gzip, 0);
  assert.ok(files.length >= 3 && total > 10_000, `scripts were seen: ${JSON.stringify(files)}`);
  assert.ok(total <= JS_BUDGET, `${total} bytes of gzipped JavaScript: ${JSON.stringify(files)}`);
  const { blocking } = await paintTimes(page);
  assert.deepEqual(blocking, ["/styles.css"]);
  assert.equal(await layoutShift(), 0);
}, { streams: [{ name: "Clock" }], mayLog: /ERR_FAILED/ });

uiTest("it can be installed as an app", async ({ page, dashboard, app }) => {
  await dashboard.open();
  const client = await page.context().newCDPSession(page);
  const { errors } = await client.send("Page.getAppManifest");
  assert.deepEqual(errors, []);
  const link = await page.locator("link[rel=manifest]").getAttribute("href");
  const { json: manifest } = await app.api("GET", link!);
  for (const field of ["id", "name", "short_name", "start_url", "scope", "display"]) {
    assert.ok(manifest[field], field);
  }
  const icons: { src: string; sizes: string; type: string; purpose?: string }[] = manifest.icons;
  assert.ok(icons.some(({ sizes }) => sizes === "192x192") && icons.some(({ sizes }) => sizes === "512x512"));
  assert.ok(icons.some(({ purpose }) => purpose === "maskable"));
  for (const { src, sizes, type } of icons) {
    const found = await page.evaluate(async (url) => {
      const answer = await fetch(url);
      const image = new Image();
      image.src = url;
      await image.decode();
      return {
        type: answer.headers.get("content-type"),
        sizes: `${image.naturalWidth}x${image.naturalHeight}`,
      };
    }, src);
    assert.equal(found.type?.split(";")[0], type);
    if (sizes !== "any") assert.equal(found.sizes, sizes, src);
  }
});
