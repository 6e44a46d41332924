import assert from "node:assert/strict";
import { readSpec, sinkName, specFile, type StreamSpec, writeSpec } from "../../../lib/pipeline/spec.ts";
import { streamId } from "../../../lib/streams/id.ts";
import { aStream, namesIn, tempDir } from "../../support/fixture.ts";

const spec: StreamSpec = {
  stream: aStream({ pass: "s3cret", future: 1 }),
  display: 101,
  startedAt: 5,
};

Deno.test("a spec is read as it was written, and only its owner can read it", async () => {
  await using dir = await tempDir();
  await writeSpec(dir.path, spec);
  assert.deepEqual(await readSpec(dir.path, streamId("clock")), spec);
  assert.deepEqual(await namesIn(dir.path), ["clock.json"]);
  assert.equal((await Deno.stat(specFile(dir.path, streamId("clock")))).mode! & 0o777, 0o600);
});

Deno.test("a stream that does not run has none", async () => {
  await using dir = await tempDir();
  assert.equal(await readSpec(dir.path, streamId("clock")), null);
});

Deno.test("each stream has a sink of its own", () => {
  assert.notEqual(sinkName(streamId("a")), sinkName(streamId("b")));
  assert.notEqual(sinkName(streamId("a-monitor")), `${sinkName(streamId("a"))}.monitor`);
});
