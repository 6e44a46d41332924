/** The form to add, edit and duplicate a stream: what is wrong, what would be lost, and how it looks. */
import { strict as assert } from "node:assert";
import type { PublicStream } from "../../lib/model/schema.ts";
import { SIZES } from "../support/browser.ts";
import { type FormPage, painted } from "../support/form_page.ts";
import { formTest, LOBBY } from "../support/form_ui.ts";
import { inSoak } from "../support/soak.ts";
import { same } from "../support/same.ts";

/** Tries to add a stream with two wrong fields. */
async function addBadStream(form: FormPage): Promise<void> {
  await form.add();
  await form.field("Name").fill("Sales");
  await form.field("Page address").fill("file:///etc/passwd");
  await form.unfold();
  await form.field("Frames per second").fill("99");
  await form.unfold(); // folds it: the problem must unfold it
  await form.field("Name").press("Enter");
  await form.dialog.getByText("2 fields need a change:").waitFor();
}

formTest("problems are told in a summary that has the focus, before anything is sent", async (ui) => {
  const { page, form, dashboard } = ui;
  const sent: string[] = [];
  page.on("request", (request) => sent.push(request.method()));
  await addBadStream(form);
  await page.waitForFunction(() => document.activeElement?.textContent?.includes("2 fields need a change"));
  await same(() => form.field("Name").inputValue(), "Sales");
  assert.ok(!sent.includes("POST"), "nothing was sent");
  await dashboard.screenshot("form-problems-desktop");
});

inSoak(formTest)(
  "the service's answer is shown the same way where the rules cannot be loaded",
  async (ui) => {
    const { page, form, dashboard } = ui;
    await page.route("**/_fresh/js/*.js", async (route) => {
      const response = await route.fetch();
      if ((await response.text()).includes("ZodError")) await route.abort();
      else await route.fulfill({ response });
    });
    await form.add();
    await form.field("Name").fill("Sales");
    await form.field("Page address").fill("data:text/html,x");
    await form.button("Add stream").click();
    await form.dialog.getByText("One field needs a change:").waitFor();
    await same(async () => (await dashboard.problemAt("Page address")).text, /http and https/);
  },
  { mayLog: /ERR_FAILED/ },
);

formTest("unsaved changes are kept until a question is answered", async ({ page, form, dashboard }) => {
  await form.edit("Lobby");
  const name = form.field("Name");
  await name.fill("Lobby, ground floor");
  const ways: [string, () => Promise<void>][] = [
    ["Escape", () => dashboard.press("Escape")],
    ["Cancel", () => form.button("Cancel").click()],
    ["the close button", () => form.button("Close").click()],
    ["a click beside it", () => page.mouse.click(20, 450)],
  ];
  for (const [way, leave] of ways) {
    await leave();
    await form.question.getByText("What you typed is not saved.").waitFor();
    await same(() => page.locator("dialog[open]").count(), 1, "no dialog lies over another");
    await form.question.getByRole("button", { name: "Keep editing" }).click();
    await form.question.waitFor({ state: "detached" });
    await painted(page); // the focus is back in the form, so that the next key reaches it
    await same(() => name.inputValue(), "Lobby, ground floor", way);
  }
  await dashboard.press("Escape");
  await dashboard.screenshot("form-guard-desktop");
  await form.question.getByRole("button", { name: "Discard" }).click();
  await form.gone();
  await dashboard.card("Lobby").waitFor();
});

inSoak(formTest)("leaving the page with unsaved changes asks too", async ({ page, form }) => {
  await form.edit("Lobby");
  await form.field("Name").fill("Lobby 2");
  const requested = page.waitForEvent("dialog");
  page.evaluate(() => location.reload()).catch(() => {});
  const question = await requested;
  assert.equal(question.type(), "beforeunload");
  await question.dismiss();
  await same(() => form.field("Name").inputValue(), "Lobby 2");
});

inSoak(formTest)("a duplicate has everything but the password", async ({ app, form, dashboard }) => {
  await form.duplicate("Lobby");
  await form.dialog.getByRole("heading", { name: "Duplicate “Lobby”" }).waitFor();
  await same(() => form.field("Name").inputValue(), "Lobby copy");
  await same(() => form.hasFocus("Name"), true);
  await form.unfold("Sign-in");
  await form.dialog.getByText("The password is not copied: type it again.").waitFor();
  await same(() => form.field("Password").inputValue(), "");
  await form.button("Add stream").click();
  await form.gone();
  await dashboard.card("Lobby copy").waitFor();
  const [original, copy]: PublicStream[] = (await app.api("GET", "/api/streams")).json;
  const differing = Object.keys(original).filter((field) => String(copy[field]) !== String(original[field]));
  assert.deepEqual(differing.sort(), ["desiredState", "id", "name", "order", "passSet"]);
  assert.equal(copy.passSet, false);
}, { streams: [{ ...LOBBY, user: "max", pass: "geheim", fps: 12, audio: false }] });

inSoak(formTest)(
  "a slow save says so, is sent once and cannot be given up",
  async ({ app, page, form, dashboard }) => {
    let sent = 0;
    page.on("request", (request) => sent += request.method() === "PATCH" ? 1 : 0);
    await form.edit("Clock");
    await form.unfold();
    await form.field("Frames per second").fill("12");
    const release = app.machine.supervisord.block();
    try {
      await form.button("Save").click();
      await form.button("Saving…").click({ force: true });
      await form.field("Name").press("Enter");
      for (let presses = 0; presses < 3; presses++) await dashboard.press("Escape");
      await form.button("Cancel").click({ force: true });
      await painted(page);
      await same(() => form.question.count(), 0);
      await same(() => form.button("Saving…").isVisible(), true);
    } finally {
      release();
    }
    await form.gone();
    assert.equal(sent, 1);
  },
  { streams: [{ name: "Clock", desiredState: "running" }] },
);

formTest(`the form fits a phone`, async ({ form, dashboard }) => {
  await form.edit("Lobby");
  await form.unfold();
  const body = form.dialog.locator(".dialog-body");
  await same(
    () => body.evaluate((it) => it.scrollWidth <= it.clientWidth),
    true,
    "the form scrolls sideways",
  );
  await same(() => dashboard.overflow(), 0, "the page scrolls sideways");
  await dashboard.screenshot(`form-edit-phone`);
  await body.evaluate((element) => element.scrollTo(0, 10_000));
  await dashboard.screenshot(`form-edit-end-phone`);
}, { context: { viewport: SIZES.phone } });
