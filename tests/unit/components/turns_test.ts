import { strict as assert } from "node:assert";
import { Turns } from "../../../components/board/card/useTurn.ts";

Deno.test("cards that become known together take turns, some a frame", () => {
  const frames: (() => void)[] = [];
  const drawn: number[] = [];
  const turns = new Turns(4, (call) => frames.push(call));
  const frame = () => {
    for (const call of frames.splice(0)) call();
    return drawn.splice(0);
  };
  const takeOut = Array.from({ length: 10 }, (_, card) => turns.add(() => drawn.push(card)));
  takeOut[1]();
  assert.deepEqual(frame(), [0, 2, 3, 4]);
  turns.add(() => drawn.push(10));
  assert.deepEqual(frame(), [5, 6, 7, 8]);
  assert.deepEqual(frame(), [9, 10]);
  assert.equal(frames.length, 0);
  turns.add(() => drawn.push(11))();
  turns.add(() => drawn.push(12));
  assert.equal(frames.length, 1, "a frame is asked for once");
  assert.deepEqual(frame(), [12]);
});
