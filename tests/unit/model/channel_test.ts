import assert from "node:assert/strict";
import fc from "fast-check";
import { ServiceError } from "../../../lib/errors.ts";
import { planImport } from "../../../lib/model/backup.ts";
import { changedStream, streamFromBody } from "../../../lib/model/change.ts";
import { channelNumbers } from "../../../lib/model/channel.ts";
import { aStream } from "../../support/fixture.ts";

const numbers = (fixed: number[]) => channelNumbers(fixed.map((channelNumber) => ({ channelNumber })));

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

const url = "https://a.example/";
const news = aStream({ id: "news", name: "News", order: 0, channelNumber: 5 });
const sales = aStream({ id: "sales", name: "Sales", order: 1, channelNumber: 6 });
const maps = aStream({ id: "maps", name: "Maps", order: 2 });
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
  assert.equal(changedStream(news, { channelNumber: "" }, true, ALL).channelNumber, 0);
  assert.deepEqual(refusal(() => planImport([{ id: "maps", name: "Maps", url, channelNumber: 5 }], ALL)), {
    "1 (Maps): channelNumber": TAKEN,
  });
  const last = [...ALL, aStream({ id: "last", name: "Last", order: 3, channelNumber: 9999 })];
  assert.match(
    refusal(() => streamFromBody({ name: "X", url, channelNumber: 9999 }, last)).channelNumber,
    /"Last" has .* Example: 0, for a number/,
  );
});

Deno.test("an import may exchange numbers, and a stored conflict keeps no other field from being changed", () => {
  const exchanged = planImport([{ ...news, channelNumber: 6 }, { ...sales, channelNumber: 5 }], ALL).streams;
  assert.deepEqual(exchanged.map(({ channelNumber }) => channelNumber), [6, 5, 0]);
  const twin = aStream({ id: "twin", name: "Twin", order: 3, channelNumber: 5 });
  assert.equal(changedStream(twin, { name: "Other" }, true, [...ALL, twin]).name, "Other");
});
