import assert from "node:assert/strict";
import { parseStreamIds } from "../../../lib/cli/stream_ids.ts";
import { parseOwnStreams } from "../../../lib/node/own_streams.ts";

Deno.test("the streams that another machine has are known, and are not this machine's to write files for", () => {
  const printed = "ash\nbirch elsewhere\n../x\n../y elsewhere\ncedar\n";
  assert.deepEqual(parseStreamIds(printed), { all: ["ash", "cedar", "birch"], own: ["ash", "cedar"] });
  assert.deepEqual(parseStreamIds("\n"), { all: [], own: [] });
});

Deno.test("what is no stream in the list of a machine's own ones is left out", () => {
  assert.deepEqual([...parseOwnStreams('{"ash": 7, "../x": 1, "birch": "1", "oak": 0}')], [["ash", 7], [
    "oak",
    0,
  ]]);
  assert.throws(() => parseOwnStreams("{"));
});
