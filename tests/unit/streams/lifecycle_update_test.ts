import assert from "node:assert/strict";
import { readChannel } from "../../../lib/capture/channel.ts";
import { url, withService } from "./service.ts";

const UPDATES: [change: Record<string, unknown>, commands: string[]][] = [
  [{ name: "New" }, []],
  [{ bitrate: "2M" }, ["restart stream-a:encoder-a"]],
  [{ url: "https://other.example/" }, ["stop autologin-a", "restart stream-a:browser-a"]],
  [{ fps: 30 }, ["restart stream-a:browser-a stream-a:encoder-a"]],
  [{ resolution: "640x360" }, [
    "restart stream-a:display-a stream-a:wm-a stream-a:browser-a stream-a:encoder-a",
  ]],
  [{ pass: "p" }, ["restart autologin-a"]],
  [{ autoReload: true }, ["restart autoreload-a"]],
  [{ desiredState: "stopped" }, ["stop stream-a:* autologin-a autoreload-a"]],
];

for (const [change, commands] of UPDATES) {
  withService(
    `${JSON.stringify(change)} restarts only what it concerns`,
    async ({ lifecycle, fake, places, store }) => {
      await lifecycle.create({ name: "A", url });
      fake.commands();
      const updated = await lifecycle.update("a", change, true);
      assert.deepEqual(fake.commands(), commands);
      assert.deepEqual(store.get("a"), updated);
      const channel = await readChannel(places.specsDir, "a");
      if (change.desiredState) assert.equal(channel, null);
      else assert.deepEqual([channel?.stream, channel?.startedAt], [updated, 1_000_000]);
    },
  );
}

withService("a helper that is no longer wanted is stopped", async ({ lifecycle, fake }) => {
  await lifecycle.create({ name: "A", url, autoReload: true, user: "u" });
  fake.commands();
  await lifecycle.update("a", { autoReload: false, user: "" }, true);
  assert.deepEqual(fake.commands().sort(), ["stop autologin-a autoreload-a"]);
});

withService(
  "a stopped stream's change starts nothing; wanting it running does",
  async ({ lifecycle, fake }) => {
    await lifecycle.create({ name: "A", url, desiredState: "stopped" });
    await lifecycle.update("a", { fps: 5 }, true);
    await lifecycle.restartPrograms("a", ["encoder"]);
    assert.deepEqual(fake.commands(), []);
    await lifecycle.update("a", { desiredState: "running" }, true);
    assert.equal(fake.state("encoder-a"), "RUNNING");
  },
);
