/** What every bucket of a cluster promises (lib/cluster/buckets.ts): the fake's and NATS' tests are the same. */
import { strict as assert } from "node:assert";
import { Buffer } from "node:buffer";
import { type Blobs, type Bucket, ConflictError, type Entry } from "../../lib/cluster/buckets.ts";
import { same } from "./same.ts";

/** Opens a bucket that nobody has used. */
type Opener = () => Promise<AsyncDisposable & { bucket: Bucket }>;

/** Registers the tests. @param kind what they are told as. */
export function testBucket(kind: string, open: Opener): void {
  Deno.test(`${kind}: a record is made once, changed as it is known, removed, and made again`, async () => {
    await using opened = await open();
    const { bucket } = opened;
    const first = await bucket.put("clock", "1", 0);
    await assert.rejects(bucket.put("clock", "other", 0), conflictOf("clock"));
    const second = await bucket.put("clock", "2", first);
    assert.ok(second > first && first > 0);
    await assert.rejects(bucket.put("clock", "3", first), conflictOf("clock"));
    await assert.rejects(bucket.remove("clock", first), conflictOf("clock"));
    const removed = await bucket.remove("clock", second);
    assert.ok(removed > second);
    await assert.rejects(bucket.put("clock", "4", second), conflictOf("clock"));
    assert.ok(await bucket.put("clock", "5", 0) > removed);
  });

  Deno.test(`${kind}: of many who write at once one wins, and revisions rise`, async () => {
    await using opened = await open();
    const { bucket } = opened;
    const revision = await bucket.put("clock", "", 0);
    const tries = await Promise.allSettled(
      Array.from({ length: 20 }, (_, at) => bucket.put("clock", String(at), revision)),
    );
    assert.equal(tries.filter(({ status }) => status === "fulfilled").length, 1);
    const others = await Promise.all(Array.from({ length: 20 }, (_, at) => bucket.put(`s${at}`, "", 0)));
    assert.equal(new Set(others).size, 20);
  });

  Deno.test(`${kind}: who watches is told what is there, then each change, in order`, async () => {
    await using opened = await open();
    const { bucket } = opened;
    const told: Entry[] = [];
    const ending = new AbortController();
    try {
      await bucket.watch((entry) => told.push(entry), ending.signal);
      assert.deepEqual(told, [], "nothing is there");
      const a = await bucket.put("a", LONG, 0);
      const b = await bucket.put("b", "1", 0);
      const late: Entry[] = [];
      await bucket.watch((entry) => late.push(entry), ending.signal);
      assert.deepEqual(late.map(({ key, revision }) => [key, revision]), [["a", a], ["b", b]]);
      assert.equal(late[0].text, LONG);
      const gone = await bucket.remove("a", a);
      const newer = await bucket.put("b", "2", b);
      const expected = [{ key: "a", text: null, revision: gone }, { key: "b", text: "2", revision: newer }];
      const withoutTimes = (entries: Entry[]) => entries.slice(2).map(({ at: _, ...entry }) => entry);
      await same(() => withoutTimes(late), expected);
      await same(() => withoutTimes(told), expected);
      const times = told.map(({ at }) => at);
      assert.deepEqual(times, times.toSorted((one, other) => one - other));
      assert.ok(times.every((at) => Math.abs(at - Date.now()) < 60_000), String(times));
    } finally {
      ending.abort();
    }
    await bucket.put("c", "", 0);
    assert.ok(told.every(({ key }) => key !== "c"), "who has left is told nothing");
  });
}

/** The same for what nodes leave for each other. */
export function testBlobs(kind: string, open: () => Promise<AsyncDisposable & { blobs: Blobs }>): void {
  Deno.test(`${kind}: bytes of any length are left, left anew, and removed with all that was there`, async () => {
    await using opened = await open();
    const { blobs } = opened;
    assert.equal(await blobs.get("ash"), null);
    await blobs.remove("ash");
    for (const length of [3_000_000, 0, 10, 1_200_000]) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 31 + length) % 251);
      await blobs.put("ash", bytes);
      // a difference of millions of bytes would take node:assert all memory
      const got = await blobs.get("ash");
      assert.deepEqual([got?.length, got && Buffer.compare(got, bytes)], [length, 0]);
    }
    const seen: unknown[] = [];
    for (let turn = 0; turn < 40; turn++) {
      await blobs.put("ash", new Uint8Array(1_000_000).fill(turn));
      seen.push((await blobs.get("ash"))?.[0]);
    }
    assert.deepEqual(seen, seen.map((_, turn) => turn), "what was just left");
    await blobs.put("ash-2", Uint8Array.of(1));
    await blobs.remove("ash");
    assert.equal(await blobs.get("ash"), null);
    assert.deepEqual(await blobs.get("ash-2"), Uint8Array.of(1));
    await blobs.put("ash", Uint8Array.of(2));
    assert.deepEqual(await blobs.get("ash"), Uint8Array.of(2));
  });
}

const LONG = "ü".repeat(500);

const conflictOf = (key: string) => (error: unknown) => error instanceof ConflictError && error.key === key;
