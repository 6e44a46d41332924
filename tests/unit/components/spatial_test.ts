import { strict as assert } from "node:assert";
import { type Box, nextBox, underlaid } from "../../../components/board/order/spatial.ts";

const WIDTH = 100, HEIGHT = 80, GAP = 10;

const box = (column: number, row: number, top = row * (HEIGHT + GAP)): Box => {
  const left = column * (WIDTH + GAP);
  return { left, right: left + WIDTH, top, bottom: top + HEIGHT };
};

/** Three columns; the last row has two cards. */
const GRID = [0, 1, 2, 3, 4, 5, 6, 7].map((card) => box(card % 3, Math.floor(card / 3)));
const go = (from: number, key: string, boxes = GRID) => nextBox(boxes, from, `Arrow${key}`);

Deno.test("arrows go to the neighbour on the screen, and no further than the edge", () => {
  assert.deepEqual(["Right", "Left", "Down", "Up"].map((key) => go(4, key)), [5, 3, 7, 1]);
  assert.deepEqual([go(2, "Right"), go(3, "Left"), go(1, "Up"), go(7, "Down")], [null, null, null, null]);
});

Deno.test("a row that is shorter is entered at its nearest card", () => {
  assert.equal(go(5, "Down"), 7);
});

Deno.test("from a list to the next one, whatever is between and however wide it is", () => {
  const closed = { left: 0, right: 3 * WIDTH + 2 * GAP, top: 300, bottom: 330 };
  const boxes = [box(0, 0), box(2, 0), closed, box(0, 0, 400), box(1, 0, 400), box(2, 0, 400)];
  assert.deepEqual([go(0, "Down", boxes), go(1, "Down", boxes)], [2, 2]);
  assert.deepEqual([go(2, "Down", boxes), go(5, "Up", boxes)], [4, 2]);
  assert.deepEqual([go(2, "Left", boxes), go(2, "Right", boxes)], [null, null]);
});

Deno.test("cards of a row need not have one height, and edges may overlap by a fraction", () => {
  const low = { ...box(0, 0), bottom: 120.4 };
  const boxes = [low, box(1, 0), box(0, 0, 120), box(1, 0, 120)];
  assert.deepEqual([go(0, "Down", boxes), go(1, "Down", boxes), go(2, "Up", boxes)], [2, 3, 0]);
});

Deno.test("what lies over the lower edge comes between the rows that are seen whole and those below", () => {
  const toast = { left: 150, right: 190, top: 150, bottom: 170 };
  const toasts = [toast, { ...toast, top: 180, bottom: 200 }]; // over the second row; the third is not seen whole
  const isOver = [...GRID, ...toasts].map((_box, position) => position >= GRID.length);
  const boxes = underlaid([...GRID, ...toasts], isOver, 210);
  const [first, second] = [GRID.length, GRID.length + 1];
  assert.deepEqual(boxes.slice(0, GRID.length), GRID, "the others stay");
  assert.deepEqual([go(1, "Down", boxes), go(4, "Right", boxes), go(4, "Left", boxes)], [4, 5, 3]);
  assert.deepEqual([go(3, "Down", boxes), go(5, "Down", boxes)], [first, first]);
  assert.deepEqual([go(first, "Down", boxes), go(second, "Down", boxes)], [second, 7]);
  assert.deepEqual([go(second, "Up", boxes), go(first, "Up", boxes), go(7, "Up", boxes)], [first, 4, second]);
  assert.deepEqual(underlaid([toast], [true], 210)[0].top, 0, "a page without any other stop");
});

Deno.test("other keys lead nowhere", () => {
  for (const key of ["Enter", "ArrowSideways", "Home"]) assert.equal(nextBox(GRID, 4, key), null);
});
