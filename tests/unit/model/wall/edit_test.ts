import assert from "node:assert/strict";
import {
  completed,
  filled,
  type Layout,
  placed,
  resized,
  spanned,
  stored,
} from "../../../../lib/model/wall/edit.ts";
import { wallFromBody } from "../../../../lib/model/wall/wall.ts";

/** The layout as a picture: a letter for each cell's stream, "." for an empty slot's. */
function picture({ rows, columns, slots }: Layout): string[] {
  const cells = Array.from({ length: rows }, () => Array(columns).fill("?"));
  for (const { row, column, rowSpan, columnSpan, stream } of slots) {
    for (let down = 0; down < rowSpan; down++) {
      for (let right = 0; right < columnSpan; right++) {
        assert.equal(cells[row - 1 + down][column - 1 + right], "?", "two slots in one cell");
        cells[row - 1 + down][column - 1 + right] = stream ?? ".";
      }
    }
  }
  // what is stored of it is a wall again
  wallFromBody({ name: "Wall", ...stored({ rows, columns, slots }) }, []);
  return cells.map((row) => row.join(""));
}

const full = (rows: number, columns: number, ids: string) =>
  filled(completed({ rows, columns, slots: [] }), [...ids]).layout;

Deno.test("every cell has a slot, and streams fill the empty ones in their order", () => {
  const { layout, left } = filled(completed({ rows: 2, columns: 2, slots: [] }), [..."abcde"]);
  assert.deepEqual(picture(layout), ["ab", "cd"]);
  assert.deepEqual(left, ["e"]);
  assert.deepEqual(filled(full(2, 2, "ab"), ["b", "c"]).left, [], "what is there is not added again");
});

Deno.test("a stream that is put into another slot changes places with what is there", () => {
  assert.deepEqual(picture(placed(full(2, 2, "abc"), 3, "a")), [".b", "ca"]);
  assert.deepEqual(picture(placed(full(2, 2, "abc"), 1, "a")), ["ba", "c."]);
  assert.deepEqual(picture(placed(full(2, 2, "abc"), 1, null)), ["a.", "c."]);
  assert.deepEqual(picture(placed(full(2, 2, "abc"), 1, "d")), ["ad", "c."]);
});

Deno.test("a larger slot covers others, whose streams move to empty ones as far as there are any", () => {
  const wide = spanned(full(2, 3, "abc"), 0, 1, 2);
  assert.deepEqual(picture(wide), ["aac", "b.."]);
  const large = spanned(wide, 0, 2, 2);
  assert.deepEqual(picture(large), ["aac", "aab"]);
  assert.deepEqual(picture(spanned(large, 0, 1, 1)), ["a.c", "..b"]);
  assert.deepEqual(picture(spanned(full(1, 2, "ab"), 0, 1, 2)), ["aa"], "one that fits nowhere is gone");
  const same = full(2, 2, "a");
  for (const [rows, columns] of [[3, 1], [1, 3], [0, 1]]) assert.equal(spanned(same, 0, rows, columns), same);
});

Deno.test("a smaller wall keeps the streams that fit, and cuts slots at its edge", () => {
  assert.deepEqual(picture(resized(full(2, 3, "abc"), 2, 2)), ["ab", "c."]);
  assert.deepEqual(picture(resized(full(2, 2, "abcd"), 1, 1)), ["a"]);
  assert.deepEqual(picture(resized(spanned(full(3, 3, "a"), 0, 3, 3), 2, 2)), ["aa", "aa"]);
  assert.deepEqual(picture(resized(full(1, 1, "a"), 9, 0)).length, 6);
});
