import assert from "node:assert/strict";
import { join } from "node:path";
import { ProfileQuota } from "../../../lib/control/profile_quota.ts";
import { type StreamId, streamId } from "../../../lib/streams/id.ts";
import { setLogLevel } from "../../../lib/system/log.ts";
import { run } from "../../../lib/system/process.ts";
import { tempDir } from "../../support/fixture.ts";

setLogLevel("error");

/** The streams that are recreated when each has stored so many bytes. */
async function emptied(stored: Record<string, number>, busy = ""): Promise<string[]> {
  await using dir = await tempDir();
  const ids: StreamId[] = [];
  for (const [id, bytes] of Object.entries(stored)) {
    const folder = join(dir.path, id, "Default/IndexedDB");
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeFile(join(folder, "1.log"), new Uint8Array(bytes).fill(1));
  }
  const quota = new ProfileQuota({
    running: () => Object.keys(stored).map((id) => ({ id: streamId(id), profile: join(dir.path, id) })),
    isBusy: (id) => id === busy,
    recreate: (id) => Promise.resolve(void ids.push(id)),
    maxBytes: 1_000_000,
    run,
    limits: { profileCheckMs: 1000 },
  });
  await quota.round();
  return ids;
}

Deno.test("a profile over the limit is emptied, the others stay", async () => {
  assert.deepEqual(await emptied({ small: 100_000, large: 1_200_000, other: 500_000 }), ["large"]);
});

Deno.test("a stream that is being worked on is left for the next round", async () => {
  assert.deepEqual(await emptied({ large: 1_200_000 }, "large"), []);
});
