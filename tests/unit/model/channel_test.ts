import assert from "node:assert/strict";
import fc from "fast-check";
import { ServiceError } from "../../../lib/errors.ts";
import { planImport } from "../../../lib/model/backup.ts";
import { changedStream, streamFromBody } from "../../../lib/model/change.ts";
import { nextNumber, withNumbers } from "../../../lib/model/channel.ts";
import { reordered } from "../../../lib/model/order.ts";
import type { Stream } from "../../../lib/model/schema.ts";
import { aStream } from "../../support/fixture.ts";

const numbersOf = (streams: readonly { channelNumber: number }[]) =>
  streams.map(({ channelNumber }) => channelNumber);
const numbers = (fixed: number[]) =>
  numbersOf(withNumbers(fixed.map((channelNumber) => ({ channelNumber }))));

const url = "https://a.example/";

Deno.test("a new channel has the number after the highest, and beyond 9999 the lowest that is free", () => {
  const table: [taken: number[], next: number][] = [
    [[], 1],
    [[1, 2, 3], 4],
    [[4, 2], 5], // 3 was deleted: apps may still record by it
    [[7, 9998], 9999],
    [[1, 2, 5, 9999], 3],
  ];
  for (const [taken, next] of table) {
    assert.equal(nextNumber(taken.map((channelNumber) => ({ channelNumber }))), next, String(taken));
  }
});

Deno.test("a number stays with its channel when others are deleted, moved, added or imported", () => {
  const old = withNumbers(["a", "b", "c", "d"].map((id, order) => aStream({ id, name: id, order })));
  const shown = (streams: readonly Stream[]) =>
    streams.map(({ id, channelNumber }) => `${id}${channelNumber}`).join(" ");
  const rest = old.filter(({ id }) => id !== "b");
  assert.equal(shown(reordered(rest, { ids: ["d", "a", "c"] })), "d4 a1 c3");
  const added = [...rest, streamFromBody({ name: "e", url }, rest)];
  assert.equal(shown(added), "a1 c3 d4 e5");
  assert.equal(
    shown(planImport([{ id: "f", url }, { id: "c", name: "C", url }], rest).streams),
    "a1 c3 d4 f5",
  );
  for (const keep of [true, false]) {
    const body = { name: "C", url, channelNumber: 0 };
    assert.equal(changedStream(rest[1], body, keep, rest).channelNumber, 3);
  }
});

Deno.test("the channels are numbered by the order of the cards when somebody asks for it", () => {
  const old = [aStream({ id: "a", channelNumber: 9 }), aStream({ id: "b", order: 1, channelNumber: 2 })];
  const next = reordered(old, { ids: ["a", "b"], renumber: true });
  assert.deepEqual(numbersOf(next), [1, 2]);
  assert.equal(next[0].revision, old[0].revision + 1, "an open form hears of it");
  assert.equal(next[1], old[1]);
  assert.equal(reordered(next, { ids: ["a", "b"], renumber: true }), next);
  assert.deepEqual(Object.keys(refusal(() => reordered(old, { ids: ["a", "b"], renumber: "yes" }))), [
    "renumber",
  ]);
});

Deno.test("an imported channel gives way to the one that has its number here, and the import says so", () => {
  const here = [
    aStream({ id: "a", name: "A", channelNumber: 1 }),
    aStream({ id: "b", order: 1, channelNumber: 2 }),
  ];
  const file = [{ id: "x", name: "X", url, channelNumber: 1 }, { id: "y", name: "Y", url, channelNumber: 7 }];
  const { streams, summary } = planImport(file, here);
  assert.deepEqual(numbersOf(streams), [1, 2, 8, 7]);
  assert.deepEqual(summary.added, [{ id: "x", name: "X", channelNumber: 8 }, { id: "y", name: "Y" }]);
  // an own export, after the channels were numbered anew
  const [b, c] = [
    aStream({ id: "b", name: "B", channelNumber: 1 }),
    aStream({ id: "c", order: 1, channelNumber: 2 }),
  ];
  const exported = [{ id: "a", name: "A", url, channelNumber: 1 }, {
    id: "b",
    name: "Other",
    url,
    channelNumber: 2,
  }];
  const back = planImport(exported, [b, c]);
  assert.deepEqual(back.streams.map(({ id, channelNumber }) => `${id}${channelNumber}`), ["b1", "c2", "a3"]);
  assert.deepEqual([...back.summary.added, ...back.summary.changed].map((one) => one.channelNumber), [3, 1]);
  // a list of an earlier version, in an empty service, has the numbers that it had
  const earlier = [{ id: "x", url }, { id: "y", url, channelNumber: 900 }, { id: "z", url }];
  assert.deepEqual(numbersOf(planImport(earlier, []).streams), [1, 900, 3]);
});

Deno.test("channels without a number are numbered around those that have one", () => {
  const table: [fixed: number[], all: number[]][] = [
    [[], []],
    [[0, 0, 0], [1, 2, 3]],
    // a number beyond the list moves nobody
    [[0, 0, 100, 0, 0], [1, 2, 100, 4, 5]],
    // one that stands in the way moves those behind it, until the place that it left
    [[0, 0, 0, 0, 2, 0], [1, 3, 4, 5, 2, 6]],
    [[2, 3, 4, 0], [2, 3, 4, 5]],
    // a file edited by hand
    [[7, 0, 7], [7, 2, 3]],
    [[1, 1, 1], [1, 2, 3]],
  ];
  for (const [fixed, all] of table) assert.deepEqual(numbers(fixed), all, String(fixed));
});

Deno.test("whatever the fixed numbers: all differ, fixed ones hold, the others follow the cards", () => {
  fc.assert(fc.property(fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 12 }), (fixed) => {
    const all = numbers(fixed);
    assert.equal(new Set(all).size, all.length);
    assert.ok(all.every((number) => number > 0));
    for (const number of fixed.filter(Boolean)) assert.ok(all.includes(number));
    const others = all.filter((number) => !fixed.includes(number));
    const byCard = all.filter((number, at) => number !== fixed[at]);
    assert.deepEqual(byCard, others.toSorted((one, other) => one - other));
  }));
});

function refusal(action: () => unknown): Record<string, string> {
  try {
    action();
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    assert.equal(error.status, 400);
    return error.fields!;
  }
  throw new assert.AssertionError({ message: "nothing was refused" });
}

const news = aStream({ id: "news", name: "News", order: 0, channelNumber: 5 });
const sales = aStream({ id: "sales", name: "Sales", order: 1, channelNumber: 6 });
const maps = aStream({ id: "maps", name: "Maps", order: 2, channelNumber: 1 });
const ALL = [news, sales, maps];
const TAKEN = '"News" has the channel number 5. Choose another one. Example: 7';

Deno.test("a channel number belongs to one stream: of a new one, a changed one and an imported one", () => {
  assert.deepEqual(refusal(() => streamFromBody({ name: "X", url, channelNumber: "5" }, ALL)), {
    channelNumber: TAKEN,
  });
  assert.deepEqual(refusal(() => changedStream(maps, { channelNumber: 5 }, true, ALL)), {
    channelNumber: TAKEN,
  });
  assert.equal(changedStream(news, { name: "N", channelNumber: 5 }, true, ALL).channelNumber, 5);
  assert.equal(changedStream(news, { channelNumber: "" }, true, ALL).channelNumber, 5);
  const twice = [{ name: "X", url, channelNumber: 7 }, { name: "Y", url, channelNumber: 7 }];
  assert.deepEqual(Object.keys(refusal(() => planImport(twice, ALL))), [
    "1 (X): channelNumber",
    "2 (Y): channelNumber",
  ]);
  const last = [...ALL, aStream({ id: "last", name: "Last", order: 3, channelNumber: 9999 })];
  assert.match(
    refusal(() => streamFromBody({ name: "X", url, channelNumber: 9999 }, last)).channelNumber,
    /"Last" has .* Example: 0, for a number that is free/,
  );
});

Deno.test("an import may exchange numbers, and a stored conflict keeps no other field from being changed", () => {
  const exchanged = planImport([{ ...news, channelNumber: 6 }, { ...sales, channelNumber: 5 }], ALL).streams;
  assert.deepEqual(exchanged.map(({ channelNumber }) => channelNumber), [6, 5, 1]);
  const twin = aStream({ id: "twin", name: "Twin", order: 3, channelNumber: 5 });
  assert.equal(changedStream(twin, { name: "Other" }, true, [...ALL, twin]).name, "Other");
});
