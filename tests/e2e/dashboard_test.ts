import { strict as assert } from "node:assert";
import type { Page } from "playwright-core";
import { PAGE_COLOUR } from "../channel.ts";
import { pause, startService, type TestService } from "../service.ts";
import { launchBrowser, openPage, SIZES, type WatchedPage } from "./browser.ts";
import { DashboardPage } from "./dashboard_page.ts";

const START_LIMIT = 30_000;
const LONG_NAME = "Donaudampfschifffahrtsgesellschaftskapitänskajütentürschlüsselverwaltung".padEnd(
  120,
  "–x",
);

Deno.test({
  name: "the first page, from no stream to a channel that plays and is gone again",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const service = await startService();
    const browser = await launchBrowser();
    try {
      const watched = await openPage(browser);
      const dashboard = new DashboardPage(watched.page, service.url);
      const step = async (name: string, run: () => Promise<void>) => assert.ok(await t.step(name, run), name);

      await step("an empty board invites to add the first page", () => emptyBoard(dashboard, watched.page));
      await step("a bad address is told at its field and nothing typed is lost", () => badAddress(dashboard));
      await step("a stream is added by keyboard alone and runs", () => addByKeyboard(dashboard, service));
      await step("it plays", () => play(dashboard, watched.page));
      await step("it stops and starts", () => stopAndStart(dashboard));
      await step("it is edited", () => edit(dashboard, service));
      await step("nothing on the page jumped or failed", () => noComplaints(watched));
      await step(
        "every size shows long names without a horizontal scroll bar",
        () => sizes(dashboard, watched, service),
      );
      await step("without JavaScript it is a list with links", async () => {
        await withoutJavaScript(await openPage(browser, { javaScriptEnabled: false }), service);
      });
      await step("it is deleted after a question that names it", () => remove(dashboard, watched.page));
      await step("a lost connection is told and heals", () => lostConnection(watched.page));
    } finally {
      await browser.close();
      await service.stop();
    }
  },
});

async function emptyBoard(dashboard: DashboardPage, page: Page) {
  await dashboard.open();
  await page.getByRole("heading", { name: "Turn a web page into a channel" }).waitFor();
  assert.equal(await page.getByRole("listitem").count(), 0);
  await dashboard.screenshot("empty-desktop");
}

async function badAddress(dashboard: DashboardPage) {
  await dashboard.tabTo("Add the first page");
  await dashboard.press("Enter");
  await dashboard.type("Clock");
  await dashboard.tabTo("Page address");
  await dashboard.type("file:///etc/passwd");
  await dashboard.press("Enter");
  await dashboard.field("Page address").and(dashboard.field("Page address").page().locator("[aria-invalid]"))
    .waitFor();
  const { text, weight, rgb: [red, green, blue] } = await dashboard.problemAt("Page address");
  assert.match(text, /http/);
  assert.ok(weight >= 700, "the problem is bold");
  assert.ok(red > 200 && green < 140 && blue < 140, `the problem is red, not ${red},${green},${blue}`);
  await pause(100);
  assert.match(await dashboard.focusedText(), /One field needs a change/);
  assert.equal(await dashboard.field("Name").inputValue(), "Clock");
  assert.equal(await dashboard.field("Page address").inputValue(), "file:///etc/passwd");
  await dashboard.screenshot("form-problem-desktop");
}

async function addByKeyboard(dashboard: DashboardPage, service: TestService) {
  await dashboard.tabTo("Page address");
  await dashboard.type(service.pageUrl);
  await dashboard.press("Enter");
  await dashboard.card("Clock").waitFor();
  await dashboard.untilState("Clock", "running", START_LIMIT);
  await dashboard.screenshot("running-desktop");
}

async function play(dashboard: DashboardPage, page: Page) {
  await dashboard.card("Clock").getByRole("link", { name: "Play" }).click();
  await page.waitForURL("**/player/clock.html");
  const video = page.locator("video");
  await page.waitForFunction(() => document.querySelector("video")!.currentTime > 1, null, {
    timeout: 15_000,
  });
  const before = await video.evaluate((element: HTMLVideoElement) => element.currentTime);
  await pause(2000);
  const after = await video.evaluate((element: HTMLVideoElement) => element.currentTime);
  assert.ok(after > before + 1, `the video stands still at ${after} s`);
  const pixel = await video.evaluate((element: HTMLVideoElement) => {
    const canvas = document.createElement("canvas");
    canvas.width = 1280;
    canvas.height = 720;
    const context = canvas.getContext("2d")!;
    context.drawImage(element, 0, 0, canvas.width, canvas.height);
    return [...context.getImageData(1100, 600, 1, 1).data].slice(0, 3);
  });
  const distance = Math.max(...pixel.map((value, channel) => Math.abs(value - PAGE_COLOUR[channel])));
  assert.ok(distance < 16, `the picture's colour is ${pixel}, the page's ${PAGE_COLOUR}`);
  await dashboard.screenshot("player-desktop");
  await page.goBack();
  await page.locator("main[data-ready=true]").waitFor();
}

async function stopAndStart(dashboard: DashboardPage) {
  await dashboard.card("Clock").getByRole("button", { name: "Stop" }).click();
  await dashboard.untilState("Clock", "stopped", 1000);
  // The card is ahead of the service at first; after two polls it shows what the service says.
  await pause(6500);
  await dashboard.untilState("Clock", "stopped", 1000);
  await dashboard.card("Clock").getByRole("button", { name: "Start" }).click();
  await dashboard.untilState("Clock", "running", START_LIMIT);
}

async function edit(dashboard: DashboardPage, service: TestService) {
  await dashboard.card("Clock").getByRole("button", { name: "Edit" }).click();
  assert.equal(await dashboard.field("Page address").inputValue(), service.pageUrl);
  await dashboard.field("Name").fill("Wall clock");
  await dashboard.press("Enter");
  await dashboard.card("Wall clock").waitFor();
  const stream = await (await service.api("GET", "/api/streams/clock")).json();
  assert.equal(stream.name, "Wall clock");
}

async function noComplaints({ errors, layoutShift }: WatchedPage) {
  assert.equal(await layoutShift(), 0);
  assert.deepEqual(errors, []);
}

async function sizes(dashboard: DashboardPage, { page, layoutShift }: WatchedPage, service: TestService) {
  const names = [LONG_NAME, "Sales", "Grafana – Übersicht", "<b>Departures</b>", "Lobby camera"];
  for (const name of names) await service.create({ name, desiredState: "stopped" });
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    await dashboard.open();
    await dashboard.card(LONG_NAME).waitFor();
    assert.equal(await dashboard.overflow(), 0, `it scrolls sideways on ${size}`);
    await pause(500);
    await dashboard.screenshot(`streams-${size}`);
    assert.equal(await layoutShift(), 0, `it jumps on ${size}`);
    await page.getByRole("button", { name: "Add", exact: false }).first().click();
    assert.equal(await dashboard.overflow(), 0);
    await dashboard.screenshot(`form-${size}`);
    await dashboard.press("Escape");
  }
}

async function withoutJavaScript({ page }: WatchedPage, service: TestService) {
  await page.goto(service.url);
  const dashboard = new DashboardPage(page, service.url);
  await dashboard.untilState("Wall clock", "running", 1000);
  await dashboard.untilState("Sales", "stopped", 1000);
  assert.equal(await page.getByRole("button").count(), 0, "buttons that need JavaScript are hidden");
  const play = dashboard.card("Wall clock").getByRole("link", { name: "Play" });
  assert.equal(await play.getAttribute("href"), "/player/clock.html");
  const feed = await dashboard.card("Wall clock").getByRole("link", { name: "HLS" }).getAttribute("href");
  assert.equal((await page.request.get(service.url + feed)).status(), 200);
  await dashboard.screenshot("no-script-desktop");
}

async function remove(dashboard: DashboardPage, page: Page) {
  const question = page.getByRole("dialog", { name: "Delete this stream?" });
  await dashboard.card("Wall clock").getByRole("button", { name: "Delete" }).click();
  await question.getByText("Wall clock").waitFor();
  await dashboard.press("Escape");
  await dashboard.card("Wall clock").getByRole("button", { name: "Delete" }).click();
  await question.getByRole("button", { name: "Delete" }).click();
  await dashboard.card("Wall clock").waitFor({ state: "detached", timeout: 20_000 });
}

async function lostConnection(page: Page) {
  const lost = page.getByText("Connection lost.");
  await page.context().setOffline(true);
  await lost.waitFor({ timeout: 10_000 });
  await page.context().setOffline(false);
  await lost.waitFor({ state: "detached", timeout: 20_000 });
}
