/** The page "Messages" in a viewer's browser. */
import { strict as assert } from "node:assert";
import { assertBothAccessible } from "../support/axe.ts";
import { SIZES } from "../support/browser.ts";
import { takePicture } from "../support/pictures.ts";
import { testReceiver } from "../support/receiver.ts";
import { same } from "../support/same.ts";
import { runUi } from "../support/ui.ts";

Deno.test("a receiver is added and tested in five steps, its secret is never shown, and incidents are listed", async () => {
  await using receiver = testReceiver();
  const env = {
    ...{ WEBHOOK_URL: `${receiver.url}/variables-sesame`, WEBHOOK_AFTER_SECONDS: "0" },
    TIMINGS: JSON.stringify({ statusCacheMs: 1, webhook: { roundMs: 10 } }),
  };
  await runUi(async ({ page, app, url }) => {
    await page.goto(`${url}/messages`);
    await page.locator("main[data-ready=true]").waitFor();
    await page.getByRole("button", { name: "Add receiver" }).click();
    const dialog = page.getByRole("dialog", { name: "Add receiver" });
    await dialog.getByRole("button", { name: "Save and test" }).click();
    await dialog.getByText("The address is needed").waitFor();
    await page.keyboard.type(`${receiver.url}/topic-sesame`);
    await page.keyboard.press("Enter");
    const row = page.locator(".receiver", { hasText: "ntfy at" });
    await row.getByRole("button", { name: "Test ntfy" }).click();
    await row.getByText("Delivered: it answered 200.").waitFor();
    await row.getByRole("button", { name: "Edit ntfy" }).click();
    const edit = page.getByRole("dialog", { name: "Edit “ntfy”" });
    await edit.getByText("An address is stored.").waitFor();
    await assertBothAccessible(page, "the form of a receiver", "dialog");
    await takePicture(page, "messages-form");
    await edit.getByLabel("Name").fill("My phone");
    await edit.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("heading", { name: "My phone" }).waitFor();
    const variables = page.locator(".receiver", { hasText: "Set by variables" });
    await variables.getByText(`JSON webhook at ${new URL(receiver.url).host}.`).waitFor();
    await variables.getByRole("button", { name: "Test the receiver of the variables" }).click();
    await variables.getByText("Delivered: it answered 200.").waitFor();
    app.machine.supervisord.setState("encoder-clock", "FATAL");
    await same(() => app.service.webhook.incidents().length, 1);
    await page.reload();
    await same(() => page.locator(".incident.is-open").count(), 1);
    assert.doesNotMatch(await page.content(), /sesame/);
    for (const [name, size] of Object.entries(SIZES)) {
      await page.setViewportSize(size);
      await takePicture(page, `messages-${name}`);
    }
    await assertBothAccessible(page, "messages");
    await page.getByLabel("Kind").selectOption("disk");
    await page.getByText("No incident matches.").waitFor();
    await page.getByRole("button", { name: "Delete My phone" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await same(() => page.locator(".receiver").count(), 1);
    await page.goto(url);
    await same(() => page.title(), "(1) Streams · Browser Stream");
  }, {
    env,
    context: { reducedMotion: "reduce" },
    streams: [{ name: "Clock", desiredState: "running" }],
    mayLog: /400/,
  });
});
