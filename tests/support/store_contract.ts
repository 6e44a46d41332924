/** What every keeper of the stream list promises (lib/store/stream_store.ts). */
import { strict as assert } from "node:assert";
import type { Stream } from "../../lib/model/schema.ts";
import type { StreamStore } from "../../lib/store/stream_store.ts";
import { aStream } from "./fixture.ts";

interface Opened extends AsyncDisposable {
  store: StreamStore;
  /** The same list, as a new start has it. */
  again(): Promise<StreamStore>;
}

const idsOf = (store: StreamStore) => store.list().map(({ id }) => id);
const add = (id: string, order: number, more: Partial<Stream> = {}) => (streams: readonly Stream[]) => [
  ...streams,
  { ...aStream({ id, order }), ...more },
];

/** Registers the tests. @param kind what they are told as. */
export function testStore(kind: string, open: () => Promise<Opened>): void {
  Deno.test(`${kind}: what is added, changed and removed is there, in order, also after a new start`, async () => {
    await using opened = await open();
    const { store, again } = opened;
    assert.deepEqual(store.list(), []);
    for (const [at, id] of ["a", "b", "c"].entries()) await store.change(add(id, at));
    assert.deepEqual(idsOf(store), ["a", "b", "c"]);
    await store.change((streams) => streams.map((one) => one.id === "b" ? { ...one, name: "Other" } : one));
    await store.change((streams) => streams.filter(({ id }) => id !== "a"));
    for (const one of [store, await again()]) {
      assert.deepEqual([idsOf(one), one.get("b")?.name, one.get("a")], [["b", "c"], "Other", undefined]);
    }
  });

  Deno.test(`${kind}: an order is kept, and unknown fields and secrets are`, async () => {
    await using opened = await open();
    const { store, again } = opened;
    const strange = { "x-note": { of: ["another", "version"] }, pass: "sesame" } as Partial<Stream>;
    for (const [at, id] of ["a", "b", "c"].entries()) await store.change(add(id, at, strange));
    const place: Record<string, number> = { c: 0, a: 1, b: 2 };
    await store.change((streams) => streams.map((one) => ({ ...one, order: place[one.id] })));
    for (const one of [store, await again()]) {
      assert.deepEqual(idsOf(one), ["c", "a", "b"]);
      for (const stream of one.list()) {
        assert.deepEqual([Reflect.get(stream, "x-note"), stream.pass], [
          { of: ["another", "version"] },
          "sesame",
        ]);
        assert.equal(one.get(stream.id), stream, "one object for each stream");
      }
    }
  });

  Deno.test(`${kind}: a stream without a channel number gets one, and keeps it when others go`, async () => {
    await using opened = await open();
    const { store, again } = opened;
    for (const [at, id] of ["a", "b", "c"].entries()) await store.change(add(id, at));
    await store.change((streams) => streams.filter(({ id }) => id !== "a"));
    for (const one of [store, await again()]) {
      assert.deepEqual(one.list().map(({ channelNumber }) => channelNumber), [2, 3]);
    }
  });

  Deno.test(`${kind}: changes at the same time are all kept, one after the other`, async () => {
    await using opened = await open();
    const { store, again } = opened;
    const changes = Array.from({ length: 30 }, (_, at) => store.change(add(`s${at}`, at)));
    await store.settled();
    await Promise.all(changes);
    assert.equal(store.list().length, 30);
    assert.deepEqual(idsOf(await again()), idsOf(store));
  });

  Deno.test(`${kind}: the version is another after each change, and only then`, async () => {
    await using opened = await open();
    const { store } = opened;
    const seen = [store.version];
    await store.change(add("a", 0));
    seen.push(store.version);
    await store.change((streams) => streams);
    await assert.rejects(
      store.change(() => {
        throw new RangeError("no");
      }),
      RangeError,
    );
    assert.equal(store.version, seen[1]);
    await store.change(([stream]) => [{ ...stream, name: "Other" }]);
    seen.push(store.version);
    assert.equal(new Set(seen).size, 3, seen.join());
    for (const version of seen) assert.match(version, /^[\w-]{1,40}$/);
  });

  Deno.test(`${kind}: a change that throws changes nothing and blocks nobody`, async () => {
    await using opened = await open();
    const { store, again } = opened;
    await store.change(add("a", 0));
    const failing = store.change(() => {
      throw new RangeError("no");
    });
    const after = store.change(add("b", 1));
    await assert.rejects(failing, RangeError);
    await after;
    assert.deepEqual([idsOf(store), idsOf(await again())], [["a", "b"], ["a", "b"]]);
  });

  Deno.test(`${kind}: what is too large is refused, and changes nothing`, async () => {
    await using opened = await open();
    const { store, again } = opened;
    await store.change(add("a", 0));
    const large = { "x-note": "y".repeat(5 * 1024 * 1024) } as Partial<Stream>;
    await assert.rejects(store.change(add("b", 1, large)), { status: 400 });
    assert.deepEqual([idsOf(store), idsOf(await again())], [["a"], ["a"]]);
  });
}
