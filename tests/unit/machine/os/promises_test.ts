import assert from "node:assert/strict";
import { join } from "node:path";
import {
  arePoliciesThere,
  digestOf,
  readPromises,
  writePromises,
} from "../../../../lib/machine/os/promises.ts";
import { tempDir } from "../../../support/fixture.ts";

Deno.test("promises that cannot be read are none that a program may start by", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "promises.json");
  const promises = {
    packetFilter: true,
    memoryLimits: false,
    ownSharedMemory: true,
    policies: { files: [join(dir.path, "policies.json")], digest: digestOf("{}") },
  };
  await writePromises(path, promises);
  assert.deepEqual(await readPromises(path), promises);
  assert.equal(await arePoliciesThere(promises.policies), false);
  await Deno.writeTextFile(promises.policies.files[0], "{}");
  assert.equal(await arePoliciesThere(promises.policies), true);
  const wrong: string[] = [];
  for (
    const text of [
      "",
      "{",
      "{}",
      "null",
      '{"packetFilter":true}',
      '{"packetFilter":true,"memoryLimits":1}',
      '{"packetFilter":true,"memoryLimits":true,"policies":null}',
    ]
  ) {
    await Deno.writeTextFile(path, text);
    if (await readPromises(path).then(() => true, () => false)) wrong.push(text);
  }
  await Deno.remove(path);
  await assert.rejects(readPromises(path), /is missing/);
  assert.deepEqual(wrong, []);
});
