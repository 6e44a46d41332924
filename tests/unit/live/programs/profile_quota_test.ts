import assert from "node:assert/strict";
import { ProfileQuota } from "../../../../lib/live/programs/profile_quota.ts";
import { type StreamId, streamId } from "../../../../lib/model/id.ts";
import { setLogLevel } from "../../../../lib/system/log.ts";

setLogLevel("error");

/** The streams that are recreated when each has stored so many bytes. */
async function emptied(stored: Record<string, number>, busy = ""): Promise<string[]> {
  const ids: StreamId[] = [];
  const events: unknown[] = [];
  const counted: unknown[] = [];
  const quota = new ProfileQuota({
    running: () => Object.keys(stored).map((id) => ({ id: streamId(id) })),
    isBusy: (id) => id === busy,
    recreate: (id) => Promise.resolve(void ids.push(id)),
    maxBytes: 1_000_000,
    measure: (id) => Promise.resolve(stored[id]),
    addEvent: (id, kind, text, level) => events.push([id, kind, level, text]),
    countRestarts: (id, programs, cause) => counted.push([id, programs.length, cause]),
    limits: { profileCheckMs: 1000 },
  });
  await quota.round();
  assert.deepEqual(counted, ids.map((id) => [id, 5, "profile"]));
  return ids;
}

Deno.test("a profile over the limit is emptied, the others stay", async () => {
  assert.deepEqual(await emptied({ small: 100_000, large: 1_200_000, other: 500_000 }), ["large"]);
});

Deno.test("a stream that is being worked on is left for the next round", async () => {
  assert.deepEqual(await emptied({ large: 1_200_000 }, "large"), []);
});
