import assert from "node:assert/strict";
import { apiError } from "../../../lib/door/errors.ts";
import { reordered } from "../../../lib/model/order.ts";
import { aStream } from "../../support/fixture.ts";

const streams = [
  aStream({ id: "a", order: 3, revision: 7 }),
  aStream({ id: "b", order: 5 }),
  aStream({ id: "c", order: 9 }),
];

/** The answer to a body that is refused. */
async function refused(body: unknown) {
  try {
    reordered(streams, body);
  } catch (error) {
    const response = apiError(error, new Request("http://localhost/api/streams/reorder"));
    return { status: response.status, ...await response.json() };
  }
  throw new assert.AssertionError({ message: `${JSON.stringify(body)} was not refused` });
}

Deno.test("the orders are counted again; nothing else changes", () => {
  const next = reordered(streams, { ids: ["c", "a", "b"], more: 1 });
  assert.deepEqual(next, [{ ...streams[2], order: 0 }, { ...streams[0], order: 1 }, {
    ...streams[1],
    order: 2,
  }]);
  assert.deepEqual(reordered([], { ids: [] }), []);
});

Deno.test("the same order is the very same list, but for gaps", () => {
  const next = reordered(streams, { ids: ["a", "b", "c"] });
  assert.deepEqual(next.map(({ order }) => order), [0, 1, 2]);
  assert.equal(reordered(next, { ids: ["a", "b", "c"] }), next);
});

const ANOTHER: [ids: string[], says: RegExp][] = [
  [["a", "b"], /"c" is missing/],
  [[], /"a" is missing/],
  [["a", "b", "c", "d"], /no stream "d"/],
  [["a", "b", "d"], /no stream "d"/],
  [["a", "b", "c", "a"], /"a" occurs twice/],
  [["a", "a", "b"], /"a" occurs twice/],
  [["__proto__", "a", "b", "c"], /no stream "__proto__"/],
  [["constructor", "b", "c"], /no stream "constructor"/],
  [["A", "b", "c"], /no stream "A"/],
  [["x".repeat(9999)], /no stream "x{63}"/],
];

Deno.test("another list is a 409 with the order there is", async () => {
  for (const [ids, says] of ANOTHER) {
    const { status, error, ids: current } = await refused({ ids });
    assert.deepEqual([status, current], [409, ["a", "b", "c"]], JSON.stringify(ids).slice(0, 60));
    assert.match(error.message, says);
  }
});

Deno.test("what is no list of texts is a 400 with an example", async () => {
  const bodies = [null, 5, "a", [], ["a", "b", "c"], {}, { ids: null }, { ids: "a" }, { ids: { 0: "a" } }];
  for (const body of [...bodies, { ids: ["a", "b", 3] }, { ids: [["a"], "b", "c"] }, { ids: [null] }]) {
    const { status, error } = await refused(body);
    assert.equal(status, 400, JSON.stringify(body));
    assert.match(error.fields.ids, /\{"ids": \["news", "grafana"\]\}/);
  }
});
