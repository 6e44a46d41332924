/** The board's own field: paste, Enter, watching. */
import { strict as assert } from "node:assert";
import type { Page } from "playwright-core";
import { assertAccessible } from "../support/axe.ts";
import { SIZES } from "../support/browser.ts";
import { Person } from "../support/person.ts";
import { same } from "../support/same.ts";
import { uiTest } from "../support/ui.ts";

const fieldOf = (page: Page) => page.locator("main").getByLabel("Page address");

/** Pastes as Ctrl+V does: browsers join the lines that a script does not take. */
async function pasteLines(page: Page, text: string): Promise<void> {
  await fieldOf(page).focus();
  await fieldOf(page).evaluate((field, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", text);
    field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

uiTest(
  "the first stream runs after two actions, by keyboard alone, and the next one is pasted at once",
  async (ui) => {
    const { page, dashboard, app } = ui;
    const person = new Person(page);
    await dashboard.open();
    await fieldOf(page).and(page.locator(":focus")).waitFor();
    await person.paste("clock.example.org");
    await person.press("Enter");
    await dashboard.card("clock.example.org").waitFor();
    assert.equal(person.actions, 2);
    const { url, fps, nameFollowsTitle } = app.service.streams.get("clock-example-org", "admin");
    assert.deepEqual([url, fps, nameFollowsTitle], ["https://clock.example.org", 10, true]);
    await dashboard.poll();
    await dashboard.untilState("clock.example.org", "running");
    await fieldOf(page).and(page.locator(":focus")).waitFor();
    await same(() => fieldOf(page).inputValue(), "");
    await person.paste("lobby.example");
    await person.press("Enter");
    await dashboard.untilOrder(["clock.example.org", "lobby.example"]);
  },
);

uiTest("what is entered while another one is being added follows, in order", async (ui) => {
  const { page, dashboard, app } = ui;
  const { streams } = app.service;
  const create = streams.create.bind(streams);
  const first = Promise.withResolvers<void>();
  streams.create = async (body, options) => {
    if (JSON.stringify(body).includes("a.example")) await first.promise;
    return await create(body, options);
  };
  await dashboard.open();
  for (const host of ["a", "b", "c"]) {
    await page.keyboard.insertText(`${host}.example`);
    await page.keyboard.press("Enter");
  }
  await page.getByText("Adding…").waitFor();
  await dashboard.screenshot("add-field-adding-desktop");
  first.resolve();
  await dashboard.untilOrder(["a.example", "b.example", "c.example"]);
  await page.getByText("Adding…").waitFor({ state: "hidden" });
});

uiTest("a refused address says why at the field, and nothing typed is lost", async (ui) => {
  const { page, dashboard, layoutShift } = ui;
  await dashboard.open();
  await fieldOf(page).fill("file:///etc/passwd");
  await page.keyboard.press("Enter");
  const problem = page.getByRole("alert").getByText(/^file:.*: Only http and https addresses can be shown/);
  await problem.waitFor();
  await same(() => fieldOf(page).inputValue(), "file:///etc/passwd");
  await same(() => fieldOf(page).getAttribute("aria-invalid"), "true");
  await dashboard.screenshot("add-field-refused-desktop");
  await assertAccessible(page, "a refused address");
  // one that is refused while the next one is typed
  await fieldOf(page).fill("hello world");
  await page.keyboard.press("Enter");
  await page.keyboard.insertText("lobby.exam");
  await page.getByRole("alert").getByText(/^hello world: This is not a complete web address/).waitFor();
  await same(() => fieldOf(page).inputValue(), "lobby.exam");
  await page.keyboard.insertText("ple");
  await page.keyboard.press("Enter");
  await dashboard.card("lobby.example").waitFor();
  await same(() => page.locator("#add-problems").count(), 0);
  assert.equal(await layoutShift(), 0);
}, { streams: [{ name: "Clock" }], mayLog: /400/ });

uiTest("a service that does not answer is told, and the address stays", async (ui) => {
  const { page, dashboard } = ui;
  await dashboard.open();
  await page.route("**/api/streams?wait=true", (route) => route.abort());
  await fieldOf(page).fill("lobby.example");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText(/^lobby.example: The service cannot be reached/).waitFor();
  await same(() => fieldOf(page).inputValue(), "lobby.example");
  await page.unroute("**/api/streams?wait=true");
  await page.keyboard.press("Enter");
  await dashboard.card("lobby.example").waitFor();
}, { mayLog: /ERR_FAILED/ });

uiTest("a list is looked through first; its lines are all there", async (ui) => {
  const { page, dashboard } = ui;
  await dashboard.open();
  await pasteLines(page, "Sales, http://a.example/\nhttp://b.example/");
  const dialog = page.getByRole("dialog", { name: "Add several streams" });
  await dialog.waitFor();
  await same(() => dialog.getByLabel("Name of stream 1").inputValue(), "Sales");
  await dialog.getByRole("button", { name: "Add 2 streams" }).click();
  await dashboard.untilOrder(["Sales", "b.example"]);
});

uiTest("more settings are the form, with the address that was typed", async (ui) => {
  const { page, dashboard, app } = ui;
  app.service.trial.tryPage = (_, { signal }) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  await dashboard.open();
  await fieldOf(page).fill("lobby.example");
  await page.getByRole("button", { name: "More settings…" }).click();
  await same(() => dashboard.field("Page address").inputValue(), "lobby.example");
  await page.getByRole("dialog").getByText("1080p", { exact: true }).click();
  await page.keyboard.press("Enter");
  await dashboard.card("lobby.example").waitFor();
  assert.equal(app.service.streams.get("lobby-example", "admin").scale, "1920x1080");
});

for (const [size, viewport] of Object.entries(SIZES)) {
  for (const streams of [[], [{ name: "Clock" }]]) {
    uiTest(`on a ${size} the field fits, with ${streams.length} streams`, async (ui) => {
      const { page, dashboard, layoutShift } = ui;
      await dashboard.open();
      await fieldOf(page).waitFor();
      await same(() => dashboard.overflow(), 0);
      await assertAccessible(page, "the board with its field");
      await dashboard.screenshot(`add-field-${streams.length}-${size}`);
      assert.equal(await layoutShift(), 0);
    }, { context: { viewport }, streams });
  }
}

uiTest("by touch the card has the focus then, so that the keyboard goes", async (ui) => {
  const { page, dashboard } = ui;
  await dashboard.open();
  await same(() => fieldOf(page).evaluate((it) => it === document.activeElement), false);
  await fieldOf(page).tap();
  await page.keyboard.insertText("clock.example.org");
  await page.getByRole("button", { name: "Add the first page" }).tap();
  await same(() => page.evaluate(() => document.activeElement?.id), "stream-clock-example-org");
}, { context: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } });
