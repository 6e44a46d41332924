/** A push as it is set up in a stream's form, and told on its card. */
import { strict as assert } from "node:assert";
import { dirname } from "node:path";
import { streamId } from "../../lib/model/id.ts";
import { pushSocket } from "../../lib/paths.ts";
import { assertBothAccessible } from "../support/axe.ts";
import { formTest } from "../support/form_ui.ts";
import { same, until } from "../support/same.ts";

const ID = streamId("lobby");

formTest(
  "a push is set up in the form, its key is not shown again, and its card says how it goes",
  async (ui) => {
    const { app, page, form, dashboard } = ui;
    await form.edit("Lobby");
    await form.unfold("Push to another server");
    await form.field("Push to").fill("rtmp://127.0.0.1/live");
    await form.button("Save").click();
    await form.dialog.locator("[name=pushTo][aria-invalid]").waitFor();
    await form.field("Push to").fill("rtmp://tv.example.org/live");
    await form.field("Stream key").fill("sesame-key");
    await assertBothAccessible(page, "the form with a push", "dialog");
    await form.button("Save").click();
    await form.gone();
    assert.ok(!(await page.content()).includes("sesame-key"));

    await app.api("POST", "/api/streams/lobby/start");
    const line = dashboard.card("Lobby").locator(".card-push");
    const path = pushSocket(app.paths, ID);
    await Deno.mkdir(dirname(path), { recursive: true });
    app.service.fleet.get(ID).tick();
    let program: Deno.UnixConn | null = null;
    await until(
      "the socket",
      async () => (program ??= await Deno.connect({ transport: "unix", path }).catch(() => null)) !== null,
    );
    using socket = program!;
    const report = (text: string) => socket.write(new TextEncoder().encode(`${text}\n`));
    const problem =
      "the receiver does not answer within 15 seconds: is its address right, and does it listen?";
    await report(JSON.stringify({ state: "waiting", kbps: 0, problem, retrySeconds: 4 }));
    await same(() => line.textContent(), `Push failed: ${problem}`);
    await assertBothAccessible(page, "a card whose push fails", "main");
    await report('{"state":"sending","kbps":1500,"problem":"","retrySeconds":0}');
    await same(() => line.textContent(), "Pushed with 1.5 Mbit/s");
  },
);
