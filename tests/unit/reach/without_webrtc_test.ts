import assert from "node:assert/strict";
import { join } from "node:path";
import { keepWithoutWebRtc } from "../../../lib/reach/without_webrtc.ts";
import { tempDir } from "../../support/fixture.ts";

Deno.test("the extension against WebRTC is put back when a file of it is gone or another, and that alone is told", async () => {
  await using dir = await tempDir();
  const folder = join(dir.path, "extension");
  const undo: (() => Promise<void>)[] = [
    () => Promise.resolve(), // a first start
    () => Deno.remove(join(folder, "manifest.json")),
    () => Deno.writeTextFile(join(folder, "rules.json"), "[]"),
    () => Deno.remove(folder, { recursive: true }),
  ];
  for (const [at, action] of undo.entries()) {
    await action();
    assert.deepEqual(
      [await keepWithoutWebRtc(folder), await keepWithoutWebRtc(folder)],
      [true, false],
      `${at}`,
    );
  }
});
