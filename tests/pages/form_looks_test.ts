/** How a page looks, and when it runs, in the stream's form. */
import { strict as assert } from "node:assert";
import { assertAccessible } from "../support/axe.ts";
import { formTest } from "../support/form_ui.ts";
import { addExtension } from "../support/extension.ts";
import { inSoak } from "../support/soak.ts";
import { JPEG } from "../support/machine.ts";
import { same } from "../support/same.ts";

const KEY = "X-Api-Key: k3y-of-the-wall";

const TRIED = {
  url: "https://clock.example.org/",
  title: "",
  status: 200,
  problem: null,
  media: null,
  login: null,
  picture: JPEG.toBase64(),
  certificate: null,
  leftOut: [],
};

formTest("how the page looks is folded away, and its secrets are written, never shown", async (ui) => {
  const { app, page, form, dashboard } = ui;
  app.service.trial.tryPage = () => Promise.resolve(TRIED);
  for (const name of ["dark-page", "tint"]) await addExtension(app.paths, name);
  await form.edit("Lobby");
  await same(() => form.field("Zoom, percent").isVisible(), false);
  await form.unfold("Looks");
  await form.field("Zoom, percent").fill("1000");
  await form.field("Colours").selectOption("dark");
  await form.field("Style sheet (CSS)").fill("body {\n  color: red;\n}");
  await form.field("Extra headers").fill(KEY);
  await form.dialog.getByRole("checkbox", { name: "The tint 1.0" }).check();
  await form.unfold("Behaviour");
  await same(() => form.field("Minutes after the last viewer").isVisible(), false);
  await form.field("Run only while somebody watches").check();
  await form.field("Minutes after the last viewer").and(page.locator(":visible")).waitFor();
  await form.button("Save").click();
  await form.dialog.getByText("The zoom must be a whole number from 25 to 500.").waitFor();
  await form.field("Zoom, percent").fill("150");
  await assertAccessible(page, "the form with its looks", "dialog#edit");
  await dashboard.screenshot("form-looks-desktop");
  await page.setViewportSize({ width: 390, height: 844 });
  await dashboard.screenshot("form-looks-phone");
  await form.save();
  const [stored] = JSON.parse(await Deno.readTextFile(app.paths.streamsFile));
  const { zoom, colorScheme, css, extraHeaders, extensions, onDemand } = stored;
  assert.deepEqual(
    [zoom, colorScheme, css, extraHeaders, extensions, onDemand],
    [150, "dark", "body {\n  color: red;\n}", KEY, "tint", true],
  );

  await dashboard.open();
  await form.edit("Lobby");
  await form.unfold("Looks");
  await form.dialog.getByText("Some are stored.").waitFor();
  assert.ok(!(await page.content()).includes("k3y-of-the-wall"));
  await form.button("Change the extra headers").click();
  await form.notice.getByText("Nothing is changed yet.").waitFor();
});

formTest("who may look at a channel's past is asked while it is kept", async (ui) => {
  const { app, page, form, dashboard } = ui;
  const field = (label: string) => form.field(label);
  const behaviour = form.dialog.locator("summary", { hasText: "Behaviour" });
  const pastIs = (words: RegExp) => behaviour.filter({ hasText: words }).waitFor();
  const stored = async () => {
    const [{ rewind, rewindFor }] = JSON.parse(await Deno.readTextFile(app.paths.streamsFile));
    return [rewind, rewindFor];
  };
  await form.edit("Lobby");
  await form.unfold("Behaviour");
  await same(() => field("Keep this channel's past").isChecked(), true);
  await same(() => field("Its past is shown to").inputValue(), "operators");
  await field("Its past is shown to").selectOption("Viewers, too");
  await pastIs(/its past for viewers, too$/);
  await field("Keep this channel's past").scrollIntoViewIfNeeded();
  await assertAccessible(page, "the form with a channel's past", "dialog#edit");
  await dashboard.screenshot("form-past-desktop");
  await page.setViewportSize({ width: 390, height: 844 });
  await field("Its past is shown to").scrollIntoViewIfNeeded();
  await dashboard.screenshot("form-past-phone");
  await form.save();
  assert.deepEqual(await stored(), [true, "viewers"]);

  await dashboard.open();
  await form.edit("Lobby");
  await form.unfold("Behaviour");
  await field("Keep this channel's past").uncheck();
  await same(() => field("Its past is shown to").isVisible(), false);
  await pastIs(/its past is not kept$/);
  await form.save();
  assert.deepEqual(await stored(), [false, "viewers"], "it is as before when the box is on again");
});

inSoak(formTest)(
  "a preview beside the fields follows what is typed, and costs nothing while it is folded away",
  async (ui) => {
    const { app, page, form, dashboard } = ui;
    const asked: Record<string, unknown>[] = [];
    let left = Promise.withResolvers<void>();
    const untilLeft: typeof app.service.trial.tryPage = async (_body, { signal }) => {
      signal.addEventListener("abort", () => left.resolve());
      await left.promise;
      return TRIED;
    };
    let answer: typeof app.service.trial.tryPage = () => Promise.resolve(TRIED);
    app.service.trial.tryPage = (body, client) => {
      const { asker: _, ...fields } = body as Record<string, unknown>;
      asked.push(fields);
      return answer(body, client);
    };
    await form.edit("Lobby");
    await form.field("Zoom, percent").evaluate((field: HTMLInputElement) => field.value = "110");
    const preview = form.dialog.getByRole("region", { name: "Preview" });
    await same(async () => [await preview.count(), asked.length], [0, 0]);
    await form.unfold("Looks");
    const picture = preview.getByRole("img", { name: "The page as it would look" });
    await picture.waitFor();
    const shown = { url: TRIED.url, stream: "lobby" };
    assert.deepEqual(asked, [{ ...shown, zoom: "110" }]);
    const [dialog, box] = [await form.dialog.boundingBox(), await preview.boundingBox()];
    assert.ok(box!.x >= dialog!.x + dialog!.width, "beside the form");
    await dashboard.screenshot("form-preview-desktop");
    await page.setViewportSize({ width: 390, height: 844 });
    await preview.scrollIntoViewIfNeeded();
    await dashboard.screenshot("form-preview-phone");
    await page.setViewportSize({ width: 1440, height: 900 });

    // a newer one takes the place of one that is under way
    answer = untilLeft;
    await form.field("Colours").selectOption("dark");
    await preview.getByText("Opening the page").waitFor();
    await dashboard.screenshot("form-preview-working-desktop");
    answer = () => Promise.resolve({ ...TRIED, picture: null, problem: "The page did not open in time." });
    await form.field("Style sheet (CSS)").fill("body { color: red }");
    await preview.getByText("The page did not open in time.").waitFor();
    await left.promise;
    const dark = { ...shown, zoom: "110", colorScheme: "dark" };
    assert.deepEqual(asked.slice(1), [dark, { ...dark, css: "body { color: red }" }]);

    // what the service would refuse is told without asking it
    await form.field("Zoom, percent").fill("9999");
    await preview.getByText("Correct “Zoom, percent” first.").waitFor();
    assert.equal(asked.length, 3);

    left = Promise.withResolvers<void>();
    answer = untilLeft;
    await form.field("Zoom, percent").fill("120");
    await preview.getByText("Opening the page").waitFor();
    await form.unfold("Looks");
    await left.promise;
    await form.field("Name").fill("Other");
    assert.equal(asked.length, 4);
  },
);
