/** What the settings show of the webhook, and its test. */
import { strict as assert } from "node:assert";
import { testReceiver } from "../support/receiver.ts";
import { runUi, uiTest } from "../support/ui.ts";
import { same } from "../support/same.ts";

Deno.test("the settings say where messages go, and a test says what the receiver said", async () => {
  await using receiver = testReceiver();
  const { host } = new URL(receiver.url);
  await runUi(async ({ page, dashboard }) => {
    await dashboard.open();
    await dashboard.choosePage("Settings");
    const panel = dashboard.dialog("Settings").getByRole("region", { name: "Messages when a stream fails" });
    await panel.getByText(`Sent to ${host} (ntfy) once it has been down for 30 s, and when it is back.`)
      .waitFor();
    const test = panel.getByRole("button", { name: "Send a test" });
    receiver.answer = () => new Response("forbidden", { status: 403 });
    await test.click();
    await panel.getByText("Not delivered. It answered 403: forbidden").waitFor();
    receiver.answer = () => new Response("{}");
    await test.focus();
    await page.keyboard.press("Enter");
    await panel.getByText("Delivered: it answered 200.").waitFor();
    const [{ body }] = receiver.received;
    assert.equal(JSON.parse(body).title, "Browser Stream: a test");
    assert.doesNotMatch(await page.content(), /sesame/);
  }, { env: { WEBHOOK_URL: `${receiver.url}/sesame`, WEBHOOK_FORMAT: "ntfy" } });
});

uiTest("without a webhook the settings say how to set one, and have no test", async ({ dashboard }) => {
  await dashboard.open();
  await dashboard.choosePage("Settings");
  const panel = dashboard.dialog("Settings").getByRole("region", { name: "Messages when a stream fails" });
  await panel.getByText("Nobody is told. Set WEBHOOK_URL").waitFor();
  await same(() => panel.getByRole("button").count(), 0);
});
