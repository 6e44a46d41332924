import assert from "node:assert/strict";
import { join } from "node:path";
import { readSpec, sinkName, specFile, type StreamSpec, writeSpec } from "../../../lib/pipeline/spec.ts";
import { aStream, namesIn, tempDir } from "../../support/fixture.ts";

const spec: StreamSpec = {
  stream: aStream({ pass: "s3cret", future: 1 }),
  display: 101,
  devtoolsPort: 9301,
  startedAt: 5,
};

Deno.test("a spec is read as it was written, and only its owner can read it", async () => {
  await using dir = await tempDir();
  await writeSpec(dir.path, spec);
  assert.deepEqual(await readSpec(dir.path, "clock"), spec);
  assert.deepEqual(await namesIn(dir.path), ["clock.json"]);
  assert.equal((await Deno.stat(specFile(dir.path, "clock"))).mode! & 0o777, 0o600);
});

Deno.test("a stream that does not run has none", async () => {
  await using dir = await tempDir();
  assert.equal(await readSpec(dir.path, "clock"), null);
});

Deno.test("what is no id reaches no file", async () => {
  await using dir = await tempDir();
  await Deno.writeTextFile(join(dir.path, "x.json"), "{}");
  for (const id of ["../x", "", "__proto__", "a/b", "x\0", "%2e%2e", "a".repeat(64), ".x"]) {
    assert.throws(() => specFile(join(dir.path, "specs"), id), /is no stream id/, id);
    await assert.rejects(readSpec(join(dir.path, "specs"), id), /is no stream id/, id);
  }
});

Deno.test("each stream has a sink of its own", () => {
  assert.notEqual(sinkName("a"), sinkName("b"));
  assert.notEqual(sinkName("a-monitor"), `${sinkName("a")}.monitor`);
});
