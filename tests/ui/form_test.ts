import { strict as assert } from "node:assert";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import type { PublicStream } from "../../lib/streams/schema.ts";
import { pause, startService, type TestService, until } from "../support/service.ts";
import { launchBrowser, openPage, SIZES, type WatchedPage } from "../support/browser.ts";
import { DashboardPage } from "../support/dashboard_page.ts";
import { FormPage } from "../support/form_page.ts";

const SECRET = "s3cret-Ünique-word";

interface Desk {
  service: TestService;
  browser: Browser;
  watched: WatchedPage;
  page: Page;
  dashboard: DashboardPage;
  form: FormPage;
}

async function openDesk(service: TestService, browser: Browser): Promise<Desk> {
  const watched = await openPage(browser);
  const { page } = watched;
  page.setDefaultTimeout(15_000);
  const dashboard = new DashboardPage(page, service.url);
  await dashboard.open();
  return { service, browser, watched, page, dashboard, form: new FormPage(page, dashboard) };
}

Deno.test({
  name: "the form: what is wrong, what would be lost, what restarts, and who was faster",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const service = await startService();
    const browser = await launchBrowser();
    try {
      await service.create({ name: "Clock" });
      await service.create({ name: "Lobby", group: "Reception", desiredState: "stopped" });
      const desk = await openDesk(service, browser);
      const step = async (name: string, run: (desk: Desk) => Promise<void>) =>
        assert.ok(await t.step(name, () => run(desk)), name);

      await step("problems are told before anything is sent, and go as they are corrected", problems);
      await step(
        "where the rules cannot be loaded, the service's answer is shown the same way",
        serviceJudges,
      );
      await step("unsaved changes are not lost without a question", guard);
      await step("leaving the page with unsaved changes asks too", guardUnload);
      await step("groups in use are offered", groups);
      await step("a name restarts nothing, and the form says so", nameRestartsNothing);
      await step("whether anything restarts is said of the stream as it is now", noticeFollows);
      await step("an encoder's number restarts the encoder alone, and the form says so", rateRestartsEncoder);
      await step("a password is set, kept and cleared, and never comes back", password);
      await step("the later of two edits sees what differs, and keeps its own", keepMine);
      await step("the later of two edits sees what differs, and takes the other's", takeTheirs);
      await step("a duplicate has everything but the password", duplicate);
      await step("a slow save says so and is sent once", slowSave);
      await step("it fits every size", sizes);
      await step("nothing failed on the way", ({ watched }) => {
        // refusals that the steps provoked
        assert.deepEqual(watched.errors.filter((error) => !/409|net::ERR_FAILED/.test(error)), []);
        return Promise.resolve();
      });
    } finally {
      await browser.close();
      await service.stop();
    }
  },
});

async function problems({ page, form, dashboard }: Desk) {
  let sent = 0;
  page.on("request", (request) => sent += request.method() === "POST" ? 1 : 0);
  await form.add();
  await form.field("Name").fill("Sales");
  await form.field("Page address").fill("file:///etc/passwd");
  await form.unfold();
  await form.field("Frames per second").fill("99");
  await form.unfold(); // folds it: the problem must unfold it
  await form.field("Name").press("Enter");
  await form.dialog.getByText("2 fields need a change:").waitFor();
  assert.equal(sent, 0, "nothing was sent");
  await until("the summary to have the focus", 2000, async () => {
    return /2 fields need a change/.test(await dashboard.focusedText());
  });
  for (const label of ["Page address", "Frames per second"]) {
    const { weight, rgb: [red, green, blue] } = await dashboard.problemAt(label);
    assert.ok(weight >= 700, `the problem at ${label} is bold`);
    assert.ok(red > 150 && green < 140 && blue < 140, `it is red, not ${red},${green},${blue}`);
  }
  assert.equal(await form.field("Name").inputValue(), "Sales");
  await dashboard.screenshot("form-problems-desktop");

  await form.dialog.getByRole("link", { name: /^Frames per second/ }).click();
  assert.ok(await form.field("Frames per second").evaluate((field) => field === document.activeElement));
  await dashboard.type("30");
  assert.equal(await form.field("Frames per second").getAttribute("aria-invalid"), null);
  await form.dialog.getByText("One field needs a change:").waitFor();
  await form.field("Page address").fill("http://example.org/");
  await form.dialog.getByText("All is corrected: save again.").waitFor();
  await form.button("Cancel").click();
  await form.question.getByRole("button", { name: "Discard" }).click();
  await form.dialog.waitFor({ state: "detached" });
}

async function serviceJudges({ browser, service }: Desk) {
  const { page, dashboard, form } = await openDesk(service, browser);
  await page.route("**/_fresh/js/*.js", (route) => route.abort());
  await form.add();
  await form.field("Name").fill("Sales");
  await form.field("Page address").fill("data:text/html,x");
  await dashboard.press("Enter");
  await form.dialog.getByText("One field needs a change:").waitFor();
  assert.match((await dashboard.problemAt("Page address")).text, /http and https/);
  await page.context().close();
}

async function guard({ page, form, dashboard }: Desk) {
  await form.edit("Lobby");
  await dashboard.press("Escape");
  await form.dialog.waitFor({ state: "detached" });

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
    await form.question.getByRole("button", { name: "Keep editing" }).click();
    await form.question.waitFor({ state: "detached" });
    assert.equal(await name.inputValue(), "Lobby, ground floor", way);
  }
  // browsers let the second Escape through unless it is caught
  for (let presses = 0; presses < 6; presses++) await dashboard.press("Escape");
  assert.equal(await name.inputValue(), "Lobby, ground floor");
  await pause(500);
  if (!await form.question.isVisible()) await dashboard.press("Escape");
  await dashboard.screenshot("form-guard-desktop");
  await form.question.getByRole("button", { name: "Discard" }).click();
  await form.dialog.waitFor({ state: "detached" });

  // what is typed and taken back is no change
  await form.edit("Lobby");
  await name.fill("x");
  await name.fill("Lobby");
  await dashboard.press("Escape");
  await form.dialog.waitFor({ state: "detached" });
}

async function guardUnload({ page, form, dashboard }: Desk) {
  await form.edit("Lobby");
  await form.field("Name").fill("Lobby 2");
  const asked = page.waitForEvent("dialog", { timeout: 5000 });
  page.evaluate(() => location.reload()).catch(() => {});
  const question = await asked;
  assert.equal(question.type(), "beforeunload");
  await question.dismiss();
  assert.equal(await form.field("Name").inputValue(), "Lobby 2");
  await form.field("Name").fill("Lobby");
  await dashboard.press("Escape");
  await form.dialog.waitFor({ state: "detached" });
  await dashboard.open();
}

async function groups({ form, dashboard }: Desk) {
  await form.edit("Clock");
  const offered = await form.field("Group").evaluate((field) =>
    [...(field as HTMLInputElement).list!.options].map(({ value }) => value)
  );
  assert.deepEqual(offered, ["Reception"]);
  await dashboard.press("Escape");
}

const KINDS = ["display", "wm", "browser", "encoder"];

async function pids({ service }: Desk): Promise<Record<string, number>> {
  await until("the programs to run", 30_000, async () => (await service.status("clock")).state === "running");
  const found = KINDS.map(async (kind) => [kind, await service.programPid(`${kind}-clock`)]);
  return Object.fromEntries(await Promise.all(found));
}

async function nameRestartsNothing(desk: Desk) {
  const { form, dashboard, service } = desk;
  const before = await pids(desk);
  await form.edit("Clock");
  await form.notice.getByText("Nothing is changed yet.").waitFor();
  await form.field("Name").fill("Wall clock");
  await form.notice.getByText("Nothing restarts.", { exact: true }).waitFor();
  await form.field("Group").fill("Hall");
  await form.save();
  await dashboard.card("Wall clock").waitFor();
  await pause(4000); // a restart would show by now: the statuses are at most 3 s old
  assert.deepEqual(await pids(desk), before);
  const stored = await (await service.api("GET", "/api/streams/clock")).json();
  assert.deepEqual([stored.name, stored.group, stored.revision], ["Wall clock", "Hall", 1]);
}

async function noticeFollows({ form, service, dashboard }: Desk) {
  await form.edit("Wall clock");
  await form.unfold();
  await form.field("Frames per second").fill("20");
  await form.notice.getByText(/^Saving restarts/).waitFor();
  assert.equal((await service.api("POST", "/api/streams/clock/stop")).status, 200);
  await form.notice.getByText("The stream is stopped: there is nothing to restart.").waitFor();
  assert.equal((await service.api("POST", "/api/streams/clock/start")).status, 200);
  await form.notice.getByText(/^Saving restarts/).waitFor();
  await form.field("Frames per second").fill("25");
  await dashboard.press("Escape");
  await form.dialog.waitFor({ state: "detached" });
}

async function rateRestartsEncoder(desk: Desk) {
  const { form } = desk;
  const before = await pids(desk);
  await form.edit("Wall clock");
  await form.unfold();
  await form.field("Bit rate").fill("2m");
  await form.notice.getByText("Saving restarts the encoder: viewers see a gap of some seconds.", {
    exact: true,
  })
    .waitFor();
  await desk.dashboard.screenshot("form-restart-desktop");
  await form.save();
  await pause(3500);
  const { encoder, ...others } = await pids(desk);
  const { encoder: encoderBefore, ...othersBefore } = before;
  assert.notEqual(encoder, encoderBefore);
  assert.deepEqual(others, othersBefore);

  await form.edit("Wall clock");
  await form.unfold();
  // "2m" is stored as "2M"
  assert.equal(await form.field("Bit rate").inputValue(), "2M");
  await form.field("Bit rate").fill("2m");
  await form.notice.getByText("Nothing is changed yet.").waitFor();
  await form.button("Cancel").click();
}

async function password({ page, form, service, dashboard }: Desk) {
  const answers: Promise<string>[] = [];
  page.on("response", (response) => {
    if (response.url().includes("/api/")) answers.push(response.text().catch(() => ""));
  });
  const stored = async () => {
    const file = JSON.parse(await Deno.readTextFile(join(service.dataDir, "streams/streams.json")));
    return (file as { id: string; pass: string }[]).find(({ id }) => id === "lobby")!.pass;
  };

  await form.edit("Lobby");
  await form.field("User name").fill("max");
  await form.field("Password").fill(SECRET);
  await form.save();
  assert.equal(await stored(), SECRET);

  await dashboard.open();
  await form.edit("Lobby");
  await form.dialog.getByText("A password is stored.").waitFor();
  assert.equal(await form.dialog.locator("[name=pass]").count(), 0);
  await form.field("User name").fill("moritz");
  await form.save();
  assert.equal(await stored(), SECRET, "another field keeps it");

  await form.edit("Lobby");
  await form.button("Change the password").click();
  assert.ok(await form.field("Password").evaluate((field) => field === document.activeElement));
  await form.notice.getByText("Nothing is changed yet.").waitFor();
  await form.field("Password").fill("another");
  await form.notice.getByText("The stream is stopped: there is nothing to restart.").waitFor();
  await form.save();
  assert.equal(await stored(), "another");

  await form.edit("Lobby");
  await form.button("Clear the password").click();
  await form.dialog.getByText("It is cleared when you save.").waitFor();
  await form.button("Keep the stored one").click();
  await form.notice.getByText("Nothing is changed yet.").waitFor();
  await form.button("Clear the password").click();
  await form.save();
  assert.equal(await stored(), "");
  await form.edit("Lobby");
  await form.field("Password").fill(SECRET);
  await form.save();
  await dashboard.open();

  const texts = [...await Promise.all(answers), await page.content()];
  assert.ok(texts.some((text) => text.includes('"passSet":true')), "the answers were watched");
  assert.deepEqual(texts.filter((text) => text.includes(SECRET) || text.includes('"another"')), []);
}

/** Opens a second page whose edit is saved while the first one's form is open. */
async function saveElsewhere({ browser, service }: Desk, change: (form: FormPage) => Promise<void>) {
  const other = await openDesk(service, browser);
  await other.form.edit("Lobby");
  await change(other.form);
  await other.form.save();
  await other.page.context().close();
}

async function rows(form: FormPage): Promise<string[][]> {
  const cells = (row: Element) => [...row.querySelectorAll("th, td")].map((cell) => cell.textContent!);
  const found = await form.conflict.locator("tbody tr").all();
  return await Promise.all(found.map((row) => row.evaluate(cells)));
}

const lobby = async (service: TestService): Promise<PublicStream> =>
  await (await service.api("GET", "/api/streams/lobby")).json();

async function keepMine(desk: Desk) {
  const { form, service, dashboard } = desk;
  await form.edit("Lobby");
  await form.field("Group").fill("Mine");
  await saveElsewhere(desk, async (other) => {
    await other.field("Group").fill("Theirs");
    await other.field("Send the page's sound").uncheck();
  });
  await form.button("Save").click();
  await form.conflict.waitFor();
  await until("the panel to have the focus", 2000, async () => {
    return /Someone else saved this stream/.test(await dashboard.focusedText());
  });
  assert.deepEqual(await rows(form), [
    ["Group", "Mine", "Theirs"],
    ["Send the page's sound", "not changed by you: theirs stays", "no"],
  ]);
  assert.equal(await form.field("Group").inputValue(), "Mine");
  await dashboard.screenshot("form-conflict-desktop");
  await form.button("Keep mine").click();
  await form.dialog.waitFor({ state: "detached" });
  const { group, audio } = await lobby(service);
  assert.deepEqual({ group, audio }, { group: "Mine", audio: false });
}

async function takeTheirs(desk: Desk) {
  const { form, service, dashboard } = desk;
  await form.edit("Lobby");
  await form.field("Group").fill("Mine again");
  await form.button("Clear the password").click();
  await saveElsewhere(desk, async (other) => {
    await other.field("Group").fill("Theirs again");
    await other.field("Seconds until it goes on air").fill("7s");
  });
  await form.button("Save").click();
  await form.conflict.waitFor();
  assert.deepEqual(await rows(form), [
    ["Group", "Mine again", "Theirs again"],
    ["Password", "none", "a stored one"],
    ["Seconds until it goes on air", "not changed by you: theirs stays", "7"],
  ]);
  const before = await lobby(service);
  await form.button("Take theirs").click();
  await form.conflict.waitFor({ state: "detached" });
  assert.equal(await form.field("Group").inputValue(), "Theirs again");
  assert.equal(await form.field("Seconds until it goes on air").inputValue(), "7");
  await form.dialog.getByText("A password is stored.").waitFor();
  await form.notice.getByText("Nothing is changed yet.").waitFor();
  assert.deepEqual(await lobby(service), before);

  // what is saved next is based on theirs
  await form.field("Group").fill("Reception");
  await form.save();
  assert.equal((await lobby(service)).group, "Reception");
  await dashboard.open();
}

async function duplicate({ form, dashboard, service }: Desk) {
  await form.duplicate("Lobby");
  await form.dialog.getByRole("heading", { name: "Duplicate the stream" }).waitFor();
  assert.equal(await form.field("Name").inputValue(), "Lobby copy");
  assert.ok(await form.field("Name").evaluate((field) => field === document.activeElement));
  await form.dialog.getByText("The password is not copied: type it again.").waitFor();
  assert.equal(await form.field("Password").inputValue(), "");
  await form.button("Add stream").click();
  await form.dialog.waitFor({ state: "detached", timeout: 30_000 });
  await dashboard.card("Lobby copy").waitFor();
  const copy: PublicStream = await (await service.api("GET", "/api/streams/lobby-copy")).json();
  const original = await lobby(service);
  const differing = Object.keys(original).filter((field) => String(copy[field]) !== String(original[field]));
  assert.deepEqual(differing.sort(), ["desiredState", "id", "name", "order", "passSet", "revision"]);
  assert.equal(copy.passSet, false);
  assert.equal((await service.api("POST", "/api/streams/lobby-copy/stop")).status, 200);

  // from the edit form as well, unless something would be lost
  await form.edit("Lobby");
  await form.field("Group").fill("Elsewhere");
  await form.button("Duplicate").click();
  await form.question.getByRole("button", { name: "Discard" }).click();
  await form.dialog.getByRole("heading", { name: "Duplicate the stream" }).waitFor();
  assert.equal(await form.field("Name").inputValue(), "Lobby copy 2");
  assert.equal(await form.field("Group").inputValue(), original.group);
  await dashboard.press("Escape");
  await form.dialog.waitFor({ state: "detached" });
}

async function slowSave({ page, form }: Desk) {
  let sent = 0;
  await page.route("**/api/streams/lobby", async (route) => {
    if (route.request().method() === "PATCH") {
      sent++;
      await pause(1500);
    }
    await route.continue();
  });
  await form.edit("Lobby");
  await form.field("Group").fill("Slow");
  await form.button("Save").click();
  await form.button("Saving…").click({ force: true });
  await form.field("Name").press("Enter");
  // what is sent cannot be given up any more
  for (let presses = 0; presses < 3; presses++) await form.page.keyboard.press("Escape");
  await form.button("Cancel").click({ force: true });
  assert.equal(await form.question.count(), 0);
  assert.ok(await form.button("Saving…").isVisible());
  await form.dialog.waitFor({ state: "detached", timeout: 30_000 });
  assert.equal(sent, 1);
  await page.unroute("**/api/streams/lobby");
}

async function sizes({ page, form, dashboard }: Desk) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    await dashboard.open();
    await form.edit("Lobby");
    await form.unfold();
    const body = form.dialog.locator(".dialog-body");
    const { scrollWidth, clientWidth } = await body.evaluate((element) => ({
      scrollWidth: element.scrollWidth,
      clientWidth: element.clientWidth,
    }));
    assert.ok(scrollWidth <= clientWidth, `the form scrolls sideways on ${size}`);
    assert.equal(await dashboard.overflow(), 0, `the page scrolls sideways on ${size}`);
    await dashboard.screenshot(`form-edit-${size}`);
    await body.evaluate((element) => element.scrollTo(0, 10_000));
    await dashboard.screenshot(`form-edit-end-${size}`);
    await dashboard.press("Escape");
    await form.dialog.waitFor({ state: "detached" });
  }
}
