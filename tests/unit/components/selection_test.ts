import { strict as assert } from "node:assert";
import {
  extended,
  forEachOf,
  nameList,
  NOTHING,
  picked,
  together,
} from "../../../components/select/selection.ts";

const ORDER = [..."abcdef"];

Deno.test("a card is picked and unpicked, and Shift takes all from the last one", () => {
  const one = picked(NOTHING, "b");
  assert.deepEqual(extended(one, "e", ORDER).ids, [..."bcde"]);
  assert.deepEqual(extended(one, "a", ORDER).ids.toSorted(), ["a", "b"]);
  assert.deepEqual(picked(one, "b").ids, []);
  assert.deepEqual(extended(NOTHING, "c", ORDER), { ids: ["c"], anchor: "c" });
  assert.deepEqual(
    extended(extended(one, "e", ORDER), "a", ORDER).ids.toSorted(),
    [..."abcde"],
    "from b again",
  );
  assert.deepEqual(extended({ ids: [], anchor: "gone" }, "c", ORDER).ids, ["c"]);
});

Deno.test("the cards of a group are picked together, and unpicked when all are", () => {
  const some = picked(picked(NOTHING, "a"), "c");
  assert.deepEqual(together(some, ["c", "d"]), { ids: ["a", "c", "d"], anchor: "d" });
  assert.deepEqual(together(together(some, ["c", "d"]), ["c", "d"]), { ids: ["a"], anchor: "d" });
});

Deno.test("so many are worked on at a time, and one that fails stops no other", async () => {
  let [running, most] = [0, 0];
  const failed = await forEachOf([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
    if (item % 3 === 0) throw new Error(`no ${item}`);
  });
  assert.equal(most, 3);
  assert.deepEqual(failed.map(({ item }) => item), [3, 6]);
});

Deno.test("names are listed, not too many of them", () => {
  assert.equal(nameList(["A"]), "“A”");
  assert.equal(nameList(["A", "B"]), "“A” and “B”");
  assert.equal(nameList([..."ABCD"]), "“A”, “B”, “C” and “D”");
  assert.equal(nameList([..."ABCDE"]), "“A”, “B”, “C” and 2 more");
});
