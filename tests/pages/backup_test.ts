/** The backup dialog: the list goes out as a file, and comes back after a look at what it would do. */
import { strict as assert } from "node:assert";
import { Buffer } from "node:buffer";
import type { Locator } from "playwright-core";
import type { PublicStream } from "../../lib/model/schema.ts";
import type { TestApp } from "../support/app.ts";
import { DashboardPage } from "../support/dashboard_page.ts";
import { type UiTest, uiTest } from "../support/ui.ts";
import { inSoak } from "../support/soak.ts";
import { same } from "../support/same.ts";

interface BackupTest extends UiTest {
  dashboard: DashboardPage;
  dialog: Locator;
  /** Chooses a file with this text, or with this JSON. */
  choose(content: unknown, name?: string): Promise<void>;
}

const STREAMS = [{ name: "Clock", group: "Hall", user: "max", pass: "geheim" }, { name: "Lobby" }];
const NEW = { name: "New one", url: "http://new.example/", desiredState: "stopped" };

/** A test that begins in the dialog. */
function backupTest(name: string, test: (ui: BackupTest) => Promise<void>): void {
  uiTest(name, async (ui) => {
    const dashboard = new DashboardPage(ui.page, ui.url);
    await dashboard.open();
    await dashboard.choosePage("Backup");
    const dialog = dashboard.dialog("Backup");
    await dialog.waitFor();
    const choose = async (content: unknown, name = "list.json") => {
      const text = typeof content === "string" ? content : JSON.stringify(content);
      const file = { name, mimeType: "application/json", buffer: Buffer.from(text) };
      await dialog.getByLabel(/^A list/).setInputFiles(file);
    };
    await test({ ...ui, dashboard, dialog, choose });
  }, { streams: STREAMS });
}

const list = async (app: TestApp): Promise<PublicStream[]> => (await app.api("GET", "/api/streams")).json;

const importButton = (dialog: Locator) => dialog.getByRole("button", { name: /^Import/ });

/** The exported list with a change and an addition. */
async function changedList(app: TestApp): Promise<unknown> {
  const { streams: [clock, lobby] } = (await app.api("GET", "/api/streams/export")).json;
  const changed = { ...lobby, name: "Lobby <b>2</b>", fps: 12 };
  return { streams: [clock, changed, { ...NEW, id: "fresh", passSet: true }] };
}

backupTest(
  "the exported file has a dated name and all streams without passwords",
  async ({ page, dialog }) => {
    const expected = /^One file with all streams .* no passwords, except those inside page addresses\.$/;
    await dialog.getByText(expected).waitFor();
    const waiting = page.waitForEvent("download");
    await dialog.getByRole("link", { name: "Download the list" }).click();
    const file = await waiting;
    assert.match(file.suggestedFilename(), /^browser-stream-\d{4}-\d\d-\d\d\.json$/);
    const text = await Deno.readTextFile((await file.path())!);
    assert.ok(!text.includes("geheim"));
    assert.deepEqual(JSON.parse(text).streams.map(({ id }: PublicStream) => id), ["clock", "lobby"]);
  },
);

backupTest("what a file would do is shown before anything is changed", async ({ app, dialog, choose }) => {
  const before = await list(app);
  await choose(await changedList(app));
  await dialog.getByRole("heading", { name: "Added (1)" }).waitFor();
  await same(() => dialog.getByRole("listitem").allTextContents(), [
    "New oneneeds its secrets again",
    "Lobby <b>2</b>: Name, Frames per second",
  ]);
  await dialog.getByText("Unchanged (1)").waitFor();
  assert.deepEqual(await list(app), before);
});

backupTest("an import says what it did, and the board shows it", async (ui) => {
  const { app, dashboard, dialog, choose } = ui;
  await choose(await changedList(app));
  await dialog.getByRole("button", { name: "Import 2 streams" }).click();
  await dialog.getByText("Imported: 1 added, 1 changed.").waitFor();
  await dialog.getByText("Type passwords and other secrets again in the settings of: New one.").waitFor();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await dashboard.card("New one").waitFor();
  await dashboard.card("Lobby <b>2</b>").waitFor();
  assert.deepEqual((await list(app)).map(({ id, name, fps, passSet }) => [id, name, fps, passSet]), [
    ["clock", "Clock", 25, true],
    ["lobby", "Lobby <b>2</b>", 12, false],
    ["fresh", "New one", 25, false],
  ]);
});

backupTest(
  `a file is refused with the reason: no JSON`,
  async ({ dialog, choose }) => {
    await choose('{"streams": [');
    await dialog.getByRole("alert").filter({ hasText: /^“list.json” is not a JSON file/ }).waitFor();
    await same(() => importButton(dialog).count(), 0);
  },
);

/** What a person drags who holds a file with the stream "New one". */
const dragged = ({ page }: BackupTest) =>
  page.evaluateHandle((stream) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([JSON.stringify([stream])], "dropped.json", { type: "application/json" }));
    return transfer;
  }, NEW);

inSoak(backupTest)("a file can be dropped anywhere in the window", async (ui) => {
  const { page, dialog } = ui;
  const dataTransfer = await dragged(ui);
  const isOpenedByBrowser = await page.evaluate((dataTransfer) => {
    const over = new DragEvent("dragover", { bubbles: true, cancelable: true, dataTransfer });
    return document.querySelector("dialog[open]")!.dispatchEvent(over);
  }, dataTransfer);
  assert.equal(isOpenedByBrowser, false);
  await dialog.locator(".drop.is-over").waitFor();
  await dialog.getByRole("heading", { name: "Backup" }).dispatchEvent("drop", { dataTransfer });
  await dialog.getByRole("heading", { name: "What “dropped.json” would do" }).waitFor();
  await same(() => dialog.locator(".drop.is-over").count(), 0);
});
