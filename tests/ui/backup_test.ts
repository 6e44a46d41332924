import { strict as assert } from "node:assert";
import { Buffer } from "node:buffer";
import type { Locator, Page } from "playwright-core";
import type { PublicStream } from "../../lib/streams/schema.ts";
import { pause, startService, type TestService } from "../support/service.ts";
import { launchBrowser, openPage, SIZES, type WatchedPage } from "../support/browser.ts";
import { DashboardPage } from "../support/dashboard_page.ts";

interface Desk {
  service: TestService;
  watched: WatchedPage;
  page: Page;
  dashboard: DashboardPage;
  dialog: Locator;
}

Deno.test({
  name: "backup: the list goes out as a file and comes back after a look at what it does",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const service = await startService();
    const browser = await launchBrowser();
    try {
      const off = { desiredState: "stopped" };
      await service.create({ ...off, name: "Clock", group: "Hall", user: "max", pass: "geheim" });
      await service.create({ ...off, name: "Lobby" });
      await service.create({ ...off, name: "Roof" });
      const watched = await openPage(browser);
      const { page } = watched;
      page.setDefaultTimeout(15_000);
      const dashboard = new DashboardPage(page, service.url);
      await dashboard.open();
      const desk = { service, watched, page, dashboard, dialog: page.locator("dialog#backup") };
      const step = async (name: string, run: (desk: Desk) => Promise<void>) =>
        assert.ok(await t.step(name, () => run(desk)), name);

      await step("a file out and in again changes nothing", roundTrip);
      await step("a file is shown before it is imported, and then on the board", importFile);
      await step("a preview that is given up changes nothing", giveUp);
      await step("bad files are refused with every problem, and the next one is judged anew", badFiles);
      await step("a file can be dropped, and all is reached by keyboard", dropAndKeys);
      await step("nothing failed on the way", ({ watched }) => {
        assert.deepEqual(watched.errors, []);
        return Promise.resolve();
      });
    } finally {
      await browser.close();
      await service.stop();
    }
  },
});

async function list({ service }: Desk): Promise<PublicStream[]> {
  return await (await service.api("GET", "/api/streams")).json();
}

async function open({ dashboard, dialog }: Desk) {
  await dashboard.choosePage("Backup");
  await dialog.waitFor();
}

async function close({ dialog }: Desk) {
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await dialog.waitFor({ state: "detached" });
}

async function choose({ dialog }: Desk, content: unknown, name = "list.json") {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  await dialog.getByLabel(/^A list/).setInputFiles({
    name,
    mimeType: "application/json",
    buffer: Buffer.from(text),
  });
}

async function exported(desk: Desk): Promise<{ name: string; text: string }> {
  const waiting = desk.page.waitForEvent("download");
  await desk.dialog.getByRole("link", { name: "Download the list" }).click();
  const file = await waiting;
  return { name: file.suggestedFilename(), text: await Deno.readTextFile((await file.path())!) };
}

async function roundTrip(desk: Desk) {
  const before = await list(desk);
  await open(desk);
  await desk.dialog.getByText(
    /^All streams .* Passwords are not in it, but one inside a page's address is\.$/,
  ).waitFor();
  const { name, text } = await exported(desk);
  assert.match(name, /^browser-stream-\d{4}-\d\d-\d\d\.json$/);
  assert.ok(!text.includes("geheim"));
  assert.equal(JSON.parse(text).streams.length, 3);
  await choose(desk, text, name);
  await desk.dialog.getByText("Nothing: every stream in it is here already").waitFor();
  await desk.dialog.getByText("Unchanged (3)").click();
  await desk.dialog.getByText("clock, lobby, roof").waitFor();
  assert.equal(await desk.dialog.getByRole("button", { name: /^Import/ }).count(), 0);
  assert.deepEqual(await list(desk), before);
  await close(desk);
}

async function importFile(desk: Desk) {
  const { dialog, dashboard, page, service } = desk;
  const { streams } = JSON.parse(await (await service.api("GET", "/api/streams/export")).text());
  streams[1] = { ...streams[1], name: "Lobby <b>2</b>", fps: 12 };
  streams.push({
    id: "fresh",
    name: "New one",
    url: service.pageUrl,
    passSet: true,
    desiredState: "stopped",
  });
  await open(desk);
  await choose(desk, { streams });
  await dialog.getByRole("heading", { name: "Added (1)" }).waitFor();
  const [added, changed] = await dialog.getByRole("listitem").allTextContents();
  assert.equal(added, "New oneneeds its password again");
  assert.equal(changed, "Lobby <b>2</b>: Name, Frames per second");
  await dialog.getByText("Unchanged (2)").waitFor();
  assert.equal((await list(desk)).length, 3, "so far it is only shown");
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    assert.equal(await dashboard.overflow(), 0);
    await dashboard.screenshot(`backup-${size}`);
  }
  await page.setViewportSize(SIZES.desktop);

  await dialog.getByRole("button", { name: "Import 2 streams" }).click();
  await dialog.getByText("Imported: 1 added, 1 changed.").waitFor();
  await dialog.getByText("A password has to be typed again in the settings of: New one.").waitFor();
  await close(desk);
  await dashboard.card("New one").waitFor();
  await dashboard.card("Lobby <b>2</b>").waitFor();
  const now = await list(desk);
  assert.deepEqual(now.map(({ id, name, fps, passSet }) => [id, name, fps, passSet]), [
    ["clock", "Clock", 25, true],
    ["lobby", "Lobby <b>2</b>", 12, false],
    ["roof", "Roof", 25, false],
    ["fresh", "New one", 25, false],
  ]);
}

async function giveUp(desk: Desk) {
  const before = await list(desk);
  await open(desk);
  await choose(desk, [{ name: "Never", url: "http://never.example/" }]);
  await desk.dialog.getByRole("button", { name: "Import 1 stream", exact: true }).waitFor();
  await desk.dialog.getByRole("button", { name: "Cancel" }).click();
  await desk.dialog.waitFor({ state: "detached" });
  assert.deepEqual(await list(desk), before);
}

async function badFiles(desk: Desk) {
  const { dialog } = desk;
  const before = await list(desk);
  await open(desk);
  await choose(desk, '{"streams": [', "half.json");
  await dialog.getByText(/^“half.json” is no JSON file/).waitFor();
  await choose(desk, "", "empty.json");
  await dialog.getByText("“empty.json” is empty.").waitFor();
  await choose(desk, " ".repeat(8 * 1024 * 1024) + "[]", "large.json");
  await dialog.getByText("“large.json” is larger than 8 MiB").waitFor();
  await choose(desk, '"just a text"', "text.json");
  await dialog.locator(".summary .problem").filter({ hasText: "cannot be imported" }).waitFor();

  await choose(desk, [
    { name: "Good", url: "http://good.example/" },
    { name: "File", url: "file:///etc/passwd", fps: 99 },
    { url: "http://nameless.example/", gop: "many" },
  ]);
  await dialog.getByText(/^Nothing was imported\./).waitFor();
  const problems = await dialog.locator(".summary li").allTextContents();
  assert.ok(problems.some((text) => text.startsWith("2 (File): url: Only http")), problems.join("\n"));
  assert.ok(problems.some((text) => text.startsWith("2 (File): fps: ")), problems.join("\n"));
  assert.ok(problems.some((text) => text.startsWith("3: ")), problems.join("\n"));
  assert.equal(await dialog.getByRole("button", { name: /^Import/ }).count(), 0);
  await desk.dashboard.screenshot("backup-problems-desktop");

  // the same name again, once it is corrected
  await choose(desk, [{ name: "Good", url: "http://good.example/" }]);
  await dialog.getByRole("heading", { name: "Added (1)" }).waitFor();
  assert.equal(await dialog.locator(".summary").count(), 0);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.deepEqual(await list(desk), before);
}

async function dropAndKeys(desk: Desk) {
  const { page, dialog, dashboard, service } = desk;
  await open(desk);
  const transfer = await page.evaluateHandle((url) => {
    const transfer = new DataTransfer();
    const record = { name: "Dropped", url, desiredState: "stopped" };
    transfer.items.add(new File([JSON.stringify([record])], "dropped.json", { type: "application/json" }));
    return transfer;
  }, service.pageUrl);
  // beside the box too; another one has to wait
  await page.route("**/import?preview", async (route) => {
    await pause(1000);
    await route.continue();
  });
  assert.equal(
    await page.evaluate((transfer) => {
      const over = new DragEvent("dragover", { bubbles: true, cancelable: true, dataTransfer: transfer });
      return document.querySelector("dialog")!.dispatchEvent(over);
    }, transfer),
    false,
    "the browser does not open it",
  );
  await dialog.locator(".drop.is-over").waitFor();
  await dialog.getByRole("heading", { name: "Backup" }).dispatchEvent("drop", { dataTransfer: transfer });
  await dialog.locator(".dialog-body[aria-busy=true]").waitFor();
  await dialog.locator(".drop").dispatchEvent("drop", { dataTransfer: transfer });
  await dialog.getByText("“dropped.json” was not read").waitFor();
  await page.unroute("**/import?preview");
  await dialog.getByRole("heading", { name: "What “dropped.json” would do" }).waitFor();
  const focused = () => page.evaluate(() => document.activeElement!.className);
  assert.equal(await focused(), "backup-outcome", "what it would do has the focus");
  await dashboard.tabTo("Import 1 stream");
  await dashboard.press("Enter");
  await dialog.getByText("Imported: 1 added, 0 changed.").waitFor();
  await dashboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await dashboard.card("Dropped").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement!.getAttribute("aria-label")), "Menu");
}
