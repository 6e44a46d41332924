/** Several pages and a weekly plan, in the stream's form and on its card. */
import { strict as assert } from "node:assert";
import { assertAccessible } from "../support/axe.ts";
import { formTest } from "../support/form_ui.ts";
import { same } from "../support/same.ts";

formTest("several pages and a weekly plan are rows, whose next 24 hours are shown", async (ui) => {
  const { app, page, form, dashboard } = ui;
  await form.edit("Lobby");
  await same(() => form.button("Add a page").isVisible(), false);
  await form.unfold("Several pages");
  await form.unfold("Times on air");
  const day = form.dialog.getByRole("region", { name: "The next 24 hours" });
  await day.getByText("on the air: clock.example.org").waitFor();

  await form.button("Add a page").click();
  await same(() => form.hasFocus("Address of page 2"), true);
  await page.keyboard.type("status.example.org");
  await form.field("Seconds of page 2").fill("20");
  await form.button("Add a page").click();
  await page.keyboard.type("https://news.example.org/ticker");
  await day.getByText("3 pages in turn, 80 s in all").waitFor();
  await form.button("Show page 3 earlier").click();
  await same(() => form.field("Address of page 2").inputValue(), "https://news.example.org/ticker");

  await form.button("Add a time").click();
  await same(() => form.hasFocus("Mon, time 1"), true);
  for (const name of ["Mon", "Tue", "Wed", "Thu", "Fri"]) await form.button(`${name}, time 1`).click();
  await day.getByText("when all times and addresses are complete").waitFor();
  await form.button("Save").click();
  await form.dialog.getByText("The plan: line 1: No day is chosen").waitFor();
  for (const name of ["Sat", "Sun", "Mon", "Tue", "Wed", "Thu", "Fri"]) {
    await form.button(`${name}, time 1`).click();
  }
  await form.field("Time 1 begins").fill("22:00");
  await form.field("Time 1 ends").fill("06:00");
  await form.dialog.getByText("the next day").waitFor();
  await form.button("Add a time").click();
  await form.field("Page of time 2").fill("menu.example.org/today");
  await form.field("Time 2 begins").fill("23:00");
  await form.field("Time 2 ends").fill("00:00");
  await form.button("Move time 2 up").click();
  await form.button("Only on some dates, time 1").click();
  await form.field("First day of time 1").fill("2020-12-01");
  await form.field("Time zone of the plan").fill("Europe/Berlin");
  // on a weekend's days, the next 24 hours have no evening of Monday to Friday
  for (const name of ["Sat", "Sun"]) await form.button(`${name}, time 1`).click();
  await day.getByText("on the air: menu.example.org").first().waitFor();
  for (const name of ["Sat", "Sun"]) await form.button(`${name}, time 1`).click();
  await assertAccessible(page, "the form with pages and times", "dialog#edit");
  await dashboard.screenshot("form-schedule-desktop");
  await day.scrollIntoViewIfNeeded();
  await dashboard.screenshot("form-schedule-day-desktop");
  await page.setViewportSize({ width: 390, height: 844 });
  await form.field("Page of time 2").scrollIntoViewIfNeeded();
  await dashboard.screenshot("form-schedule-phone");
  const isWider = await form.dialog.evaluate((dialog) => dialog.scrollWidth > dialog.clientWidth);
  assert.equal(isWider, false);
  await page.setViewportSize({ width: 1440, height: 900 });
  await form.save();

  const [stored] = JSON.parse(await Deno.readTextFile(app.paths.streamsFile));
  assert.deepEqual([stored.morePages, stored.plan, stored.planTimeZone], [
    "https://news.example.org/ticker\nhttps://status.example.org 20",
    "2020-12-01.. Mon-Fri 23:00-24:00 https://menu.example.org/today\ndaily 22:00-06:00",
    "Europe/Berlin",
  ]);
  await dashboard.card("Lobby").getByText("and 2 more").waitFor({ state: "attached" });
  await dashboard.card("Lobby").locator(".turns").getByText("3 pages in turn").waitFor();

  await form.edit("Lobby");
  for (const line of ["3 pages in turn", "2020-12-01.. Mon-Fri 23-24, daily 22-6"]) {
    await form.dialog.getByText(line, { exact: true }).waitFor();
  }
  await form.unfold("Times on air");
  await same(() => form.field("Time 1 ends").inputValue(), "00:00");
  await form.notice.getByText("Nothing is changed yet.").waitFor();
  await form.button("Remove time 2").click();
  await form.button("Remove time 1").click();
  await form.notice.getByText("The stream is stopped").waitFor();
  await form.save();
  const [without] = JSON.parse(await Deno.readTextFile(app.paths.streamsFile));
  assert.equal(without.plan, "");
});

formTest("a stream that its plan has off the air says when it returns, and shows no slab", async (ui) => {
  const { app, dashboard, page } = ui;
  const now = new Date(app.machine.now());
  // half an hour in two days: never now
  const day = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][(now.getUTCDay() + 2) % 7];
  await app.service.streams.update("lobby", { plan: `${day} 10:00-10:30`, desiredState: "running" }, true);
  await dashboard.untilState("Lobby", "planned");
  await dashboard.card("Lobby").getByText(/^on air \w{3} \d\d:\d\d$/).waitFor();
  await page.getByRole("link", { name: "1 planned" }).waitFor();
  await dashboard.screenshot("card-planned");

  // Start and Stop ask for how long
  const override = async () => (await app.api("GET", "/api/streams/lobby")).json.planOverride?.onAir;
  const asked = page.getByRole("dialog", { name: /Lobby/ });
  await dashboard.action("Lobby", "Start").click();
  await asked.getByText(/The plan keeps the stream off the air until \w{3} \d\d:\d\d/).waitFor();
  await assertAccessible(page, "the question for a planned stream", "dialog#plan");
  await dashboard.screenshot("plan-dialog-desktop");
  await page.setViewportSize({ width: 390, height: 844 });
  await dashboard.screenshot("plan-dialog-phone");
  await dashboard.press("Enter"); // "On air now for 1 h" has the focus
  await same(override, true);
  await dashboard.action("Lobby", "Stop").click();
  await asked.getByRole("button", { name: /^Until the next time/ }).click();
  await dashboard.untilState("Lobby", "planned");
  await same(override, false);
  await dashboard.action("Lobby", "Start").click();
  await asked.getByRole("button", { name: /^Turn the plan off/ }).click();
  await dashboard.untilState("Lobby", "stopped");
  await same(override, undefined);
});
