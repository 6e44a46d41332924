import { strict as assert } from "node:assert";
import { placeByKey } from "../../../components/board/card/cardKeys.ts";

Deno.test("Ctrl or Cmd with Shift and an arrow moves a card, at most to the ends; other keys do not", () => {
  const keys = { ctrlKey: true, metaKey: false, shiftKey: true, altKey: false };
  const cases: [key: string, position: number, place: number | null][] = [
    ["ArrowLeft", 2, 1],
    ["ArrowUp", 0, 0],
    ["ArrowRight", 2, 3],
    ["ArrowDown", 4, 4],
    ["Home", 3, 0],
    ["End", 1, 4],
    ["Enter", 1, null],
  ];
  for (const [key, position, place] of cases) {
    assert.equal(placeByKey({ key, ...keys }, position, 4), place, key);
  }
  const command = { ...keys, ctrlKey: false, metaKey: true };
  assert.equal(placeByKey({ key: "End", ...command }, 0, 4), 4);
  for (const other of [{ shiftKey: false }, { ctrlKey: false }, { altKey: true }]) {
    assert.equal(placeByKey({ key: "End", ...keys, ...other }, 0, 4), null);
  }
});
