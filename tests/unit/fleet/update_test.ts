import { streamId } from "../../../lib/model/id.ts";
import assert from "node:assert/strict";
import { readSpec } from "../../../lib/live/programs/commands/spec.ts";
import { publicStream } from "../../../lib/model/schema.ts";
import { tempDir } from "../../support/fixture.ts";
import { aService, url, withService } from "./service.ts";
import { logged } from "../../support/logged.ts";

const UPDATES: [change: Record<string, unknown>, commands: string[]][] = [
  [{ name: "New" }, []],
  [{ bitrate: "2M" }, ["restart stream-a:encoder-a"]],
  [{ url: "https://other.example/" }, ["stop autologin-a", "restart stream-a:browser-a"]],
  [{ fps: 30 }, ["restart stream-a:browser-a stream-a:encoder-a"]],
  [{ resolution: "640x360" }, [
    "stop stream-a:browser-a",
    "restart stream-a:display-a stream-a:wm-a stream-a:browser-a stream-a:encoder-a",
  ]],
  [{ pass: "p" }, ["restart stream-a:browser-a autologin-a"]],
  [{ autoReload: true }, ["restart autoreload-a"]],
  [{ desiredState: "stopped" }, ["stop stream-a:browser-a stream-a:* autologin-a autoreload-a push-a"]],
];

for (const [change, commands] of UPDATES) {
  withService(
    `${JSON.stringify(change)} restarts only what it concerns`,
    async ({ streams, fake, paths, store }) => {
      await streams.create({ name: "A", url });
      fake.commands();
      const updated = await streams.update("a", change, true);
      assert.deepEqual(fake.commands(), commands);
      const stored = store.get(streamId("a"))!;
      assert.deepEqual(publicStream(stored), updated);
      const spec = await readSpec(paths.specsDir, streamId("a"));
      if (change.desiredState) assert.equal(spec, null);
      else assert.deepEqual([spec?.stream, spec?.startedAt], [stored, 1_000_000]);
    },
  );
}

withService("a helper that is no longer wanted is stopped", async ({ streams, fake }) => {
  await streams.create({ name: "A", url, autoReload: true, user: "u" });
  fake.commands();
  await streams.update("a", { autoReload: false, user: "" }, true);
  assert.deepEqual(fake.commands().sort(), ["restart stream-a:browser-a", "stop autologin-a autoreload-a"]);
});

withService(
  "a stopped stream's change starts nothing; wanting it running does",
  async ({ streams, work, fake }) => {
    await streams.create({ name: "A", url, desiredState: "stopped" });
    await streams.update("a", { fps: 5 }, true);
    await work(streamId("a")).restartPrograms(["encoder"]);
    assert.deepEqual(fake.commands(), []);
    await streams.update("a", { desiredState: "running" }, true);
    assert.equal(fake.state("encoder-a"), "RUNNING");
  },
);

/** Without the service's log, which tells of the failures that a test makes. */
async function quietly<Result>(work: () => Promise<Result>): Promise<Result> {
  let result!: Result;
  await logged(async () => result = await work());
  return result;
}

withService(
  "a change whose programs fail is saved, says why, and is applied at the next try",
  async ({ streams, work, fake, store, paths }) => {
    await streams.create({ name: "A", url });
    fake.fail("timed out");
    const saved = await quietly(() => streams.update("a", { bitrate: "2M" }, true));
    assert.deepEqual([saved.revision, publicStream(store.get(streamId("a"))!)], [1, saved]);
    assert.match(work(streamId("a")).problem!, /timed out/);
    // saving again what the answer said is no conflict, and tries again
    fake.fail(null);
    fake.commands();
    await streams.update("a", { bitrate: "2M", revision: saved.revision }, true);
    assert.deepEqual(fake.commands(), ["restart stream-a:encoder-a"]);
    assert.equal(work(streamId("a")).problem, null);
    const spec = await readSpec(paths.specsDir, streamId("a"));
    assert.deepEqual(publicStream(spec!.stream), saved);

    fake.fail("timed out");
    await quietly(() => streams.update("a", { autoReload: true, name: "B" }, true));
    fake.fail(null);
    fake.commands();
    await work(streamId("a")).retry(); // as the watch does
    assert.deepEqual(fake.commands(), ["restart autoreload-a"]);
    assert.equal(work(streamId("a")).problem, null);
  },
);

withService(
  "a stop that fails is told, and done by the same change again",
  async ({ streams, fake, desired }) => {
    await streams.create({ name: "A", url });
    fake.fail("timed out");
    await assert.rejects(streams.update("a", { desiredState: "stopped" }, true), /timed out/);
    fake.fail(null);
    await streams.update("a", { desiredState: "stopped" }, true);
    assert.deepEqual([fake.state("encoder-a"), desired("a")], ["STOPPED", "stopped"]);
  },
);

withService(
  "a new stream that cannot be started is stored, says why, and starts at the next try",
  async ({ streams, work, fake }) => {
    fake.fail("no such file");
    assert.equal((await quietly(() => streams.create({ name: "A", url }))).id, "a");
    assert.match(work(streamId("a")).problem!, /no such file/);
    fake.fail(null);
    await work(streamId("a")).retry();
    assert.deepEqual([work(streamId("a")).problem, fake.state("encoder-a")], [null, "RUNNING"]);
  },
);

Deno.test("a stop that was cut off is done at the web app's restart", async () => {
  await using dir = await tempDir();
  const first = await aService(dir.path);
  await first.streams.create({ name: "A", url });
  await first.store.change((streams) =>
    streams.map((stream) => ({ ...stream, desiredState: "stopped" as const }))
  );
  const second = await aService(dir.path, first.fake);
  await second.fleet.restore();
  assert.equal(second.fake.state("encoder-a"), "STOPPED");
  assert.equal(second.spec(streamId("a")), undefined);
});
