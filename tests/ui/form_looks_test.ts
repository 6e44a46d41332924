/** How a page looks, and when it runs, in the stream's form. */
import { strict as assert } from "node:assert";
import { assertAccessible } from "../support/axe.ts";
import { formTest } from "../support/form_ui.ts";

const KEY = "X-Api-Key: k3y-of-the-wall";

formTest("how the page looks is folded away, and its secrets are written, never shown", async (ui) => {
  const { app, page, form, dashboard } = ui;
  await form.edit("Lobby");
  const summary = form.dialog.getByText("Advanced: how the page looks");
  assert.equal(await form.field("Zoom, percent").isVisible(), false);
  await summary.click();
  await form.field("Zoom, percent").fill("1000");
  await form.field("Colours").selectOption("dark");
  await form.field("Style sheet (CSS)").fill("body {\n  color: red;\n}");
  await form.field("Extra headers").fill(KEY);
  await form.field("Run only while somebody watches").check();
  await form.button("Save").click();
  await form.dialog.getByText("The zoom must be a whole number from 25 to 500.").waitFor();
  await form.field("Zoom, percent").fill("150");
  await assertAccessible(page, "the form with its looks", "dialog#edit");
  await dashboard.screenshot("form-looks-desktop");
  await page.setViewportSize({ width: 390, height: 844 });
  await dashboard.screenshot("form-looks-phone");
  await form.save();
  const [stored] = JSON.parse(await Deno.readTextFile(app.paths.streamsFile));
  const { zoom, colorScheme, css, extraHeaders, onDemand } = stored;
  assert.deepEqual(
    [zoom, colorScheme, css, extraHeaders, onDemand],
    [150, "dark", "body {\n  color: red;\n}", KEY, true],
  );

  await dashboard.open();
  await form.edit("Lobby");
  await summary.click();
  await form.dialog.getByText("Some are stored.").waitFor();
  assert.ok(!(await page.content()).includes("k3y-of-the-wall"));
  await form.button("Change the extra headers").click();
  await form.notice.getByText("Nothing is changed yet.").waitFor();
});
