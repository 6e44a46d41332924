import assert from "node:assert/strict";
import { StreamEntries } from "../../../lib/live/stream_entries.ts";
import { streamId } from "../../../lib/model/id.ts";

const [a, b] = ["a", "b"].map(streamId);

function entries() {
  const forgotten: string[] = [];
  let made = 0;
  const list = new StreamEntries<{ id: typeof a; startedAt: number }, { number: number }>(
    () => ({ number: ++made }),
    (id, { number }) => forgotten.push(`${id} ${number}`),
  );
  return { list, forgotten };
}

Deno.test("an entry lasts until its stream is started again", () => {
  const { list, forgotten } = entries();
  const first = list.of({ id: a, startedAt: 1 });
  assert.equal(list.of({ id: a, startedAt: 1 }), first);
  assert.equal(list.get(a), first);
  const second = list.of({ id: a, startedAt: 2 });
  assert.notEqual(second, first);
  assert.equal(list.get(a), second);
  assert.deepEqual(forgotten, ["a 1"]);
});

Deno.test("an entry goes on over a start that is part of what it remembers", () => {
  const { list, forgotten } = entries();
  const first = list.of({ id: a, startedAt: 1 });
  list.goOn({ id: a, startedAt: 2 });
  list.goOn({ id: b, startedAt: 2 });
  assert.equal(list.of({ id: a, startedAt: 2 }), first);
  assert.equal(list.get(b), undefined);
  assert.deepEqual(forgotten, []);
});

Deno.test("streams that do not run any more are forgotten, each once", () => {
  const { list, forgotten } = entries();
  for (const id of [a, b]) list.of({ id, startedAt: 1 });
  list.keep([b]);
  assert.deepEqual(forgotten, ["a 1"]);
  assert.deepEqual([...list].map(([id]) => id), [b]);
  list.forget(a);
  list.clear();
  list.clear();
  assert.deepEqual(forgotten, ["a 1", "b 2"]);
});
