/** The page "Messages" in a viewer's browser. */
import { strict as assert } from "node:assert";
import { assertBothAccessible } from "../support/axe.ts";
import { SIZES } from "../support/browser.ts";
import { Person } from "../support/person.ts";
import { takePicture } from "../support/pictures.ts";
import { testReceiver } from "../support/receiver.ts";
import { same } from "../support/same.ts";
import { runUi } from "../support/ui.ts";

Deno.test("a receiver works after five actions, and its secret is never shown", async () => {
  await using receiver = testReceiver();
  const env = {
    WEBHOOK_URL: `${receiver.url}/variables-sesame`,
    WEBHOOK_AFTER_SECONDS: "0",
    TIMINGS: JSON.stringify({ statusCacheMs: 1, webhook: { roundMs: 10 } }),
  };
  await runUi(async ({ page, url, dashboard }) => {
    const person = new Person(page);
    const add = page.getByRole("button", { name: "Add receiver" });
    const dialog = page.getByRole("dialog", { name: "Add receiver" });
    const saveAndTest = dialog.getByRole("button", { name: "Save and test" });
    await dashboard.open();
    await person.click(page.getByRole("navigation").getByRole("link", { name: "Messages" }));
    await page.waitForURL(`${url}/messages`);
    await page.locator("main[data-ready=true]").waitFor();
    await person.click(add);
    await dialog.getByLabel("Sent by").and(page.locator(":focus")).waitFor();
    await person.click(dialog.getByLabel("Address", { exact: true }));
    await person.paste(`${receiver.url}/topic-sesame`);
    await person.click(saveAndTest);
    const row = page.locator(".receiver", { hasText: "ntfy at" });
    await row.getByText("Delivered: the receiver answered 200.").waitFor();
    assert.equal(person.actions, 5);
    assert.equal(receiver.received.length, 1);
    await add.click();
    await saveAndTest.click();
    await dialog.getByText("The address is needed").waitFor();
    await page.keyboard.press("Escape");
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
    await variables.getByText("Delivered: the receiver answered 200.").waitFor();
    await page.reload();
    assert.doesNotMatch(await page.content(), /sesame/);
    for (const [name, size] of Object.entries(SIZES)) {
      await page.setViewportSize(size);
      await takePicture(page, `messages-${name}`);
    }
    await assertBothAccessible(page, "messages");
    await page.getByRole("button", { name: "Delete My phone" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await same(() => page.locator(".receiver").count(), 1);
  }, {
    env,
    context: { reducedMotion: "reduce" },
    streams: [{ name: "Clock", desiredState: "running" }],
    mayLog: /400/,
  });
});
