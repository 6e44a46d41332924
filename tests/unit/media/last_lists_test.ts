import { strict as assert } from "node:assert";
import { LastLists } from "../../../lib/media/last_lists.ts";
import type { StreamId } from "../../../lib/model/id.ts";

const ID = "ash" as StreamId;

Deno.test("a list that has ended stays as it was then, until another node should have had the channel", () => {
  let now = 0, number = 0;
  const lists = new LastLists(() => now);
  const list = (id = ID) => lists.list(id, () => `${++number}`);
  assert.deepEqual([list(), list()], ["1", "2"]);
  lists.end(ID);
  assert.deepEqual([lists.has(ID), list(), list()], [true, "3", "3"]);
  assert.equal(list("birch" as StreamId), "4");
  now = 9000;
  lists.end(ID);
  now = 18_000;
  assert.equal(list(), "3", "the node has asked again");
  now = 19_000;
  assert.deepEqual([lists.has(ID), list()], [false, "5"]);
  lists.end(ID);
  assert.equal(list(), "6", "what it was before does not come back");
  lists.forget(ID);
  assert.deepEqual([lists.has(ID), list()], [false, "7"]);
});
