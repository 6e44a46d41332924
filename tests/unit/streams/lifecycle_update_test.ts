import assert from "node:assert/strict";
import { readChannel } from "../../../lib/capture/channel.ts";
import { tempDir } from "../fixture.ts";
import { aService, url, withService } from "./service.ts";

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

withService(
  "a new stream that cannot be started is stored, says why, and starts at the next try",
  async ({ lifecycle, fake }) => {
    fake.fail("no such file");
    const { log } = console;
    console.log = () => {}; // it is an error, and logged as one
    try {
      assert.equal((await lifecycle.create({ name: "A", url })).id, "a");
    } finally {
      console.log = log;
    }
    assert.match(lifecycle.problem("a")!, /no such file/);
    fake.fail(null);
    await lifecycle.retry("a");
    assert.deepEqual([lifecycle.problem("a"), fake.state("encoder-a")], [null, "RUNNING"]);
  },
);

Deno.test("a stop that was cut off is done at the web app's restart", async () => {
  await using dir = await tempDir();
  const first = await aService(dir.path);
  await first.lifecycle.create({ name: "A", url });
  await first.store.change((streams) =>
    streams.map((stream) => ({ ...stream, desiredState: "stopped" as const }))
  );
  const second = await aService(dir.path, first.fake);
  await second.lifecycle.restore();
  assert.equal(second.fake.state("encoder-a"), "STOPPED");
  assert.equal(second.lifecycle.startedAt("a"), null);
});
