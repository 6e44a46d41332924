import assert from "node:assert/strict";
import { parseStreamIds, startedIds, streamIdsText } from "../../../lib/run/stream_ids.ts";
import { parseOwnStreams } from "../../../lib/cluster/own_streams.ts";
import { aStream } from "../../support/fixture.ts";

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

Deno.test("a start has programs for the streams that it starts, not for those that are stopped or wait for viewers", () => {
  const stream = (id: string, fields = {}) => ({ ...aStream({ id, ...fields }) });
  const printed = streamIdsText([
    stream("ash"),
    stream("birch", { desiredState: "stopped" }),
    stream("cedar", { onDemand: true }),
    stream("oak"),
  ], (id) => id === "oak");
  const { own, all } = parseStreamIds(printed);
  assert.deepEqual([own, all], [["ash", "birch", "cedar"], ["ash", "birch", "cedar", "oak"]]);
  assert.deepEqual(startedIds(printed, own), ["ash"]);
  // of a list without any
  assert.deepEqual(parseStreamIds(streamIdsText([], () => false)), { all: [], own: [] });
});
