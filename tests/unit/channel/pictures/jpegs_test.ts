import { strict as assert } from "node:assert";
import { jpegsIn } from "../../../../lib/channel/pictures/jpegs.ts";

const ONE = [0xff, 0xd8, 1, 0xff, 0, 0xd9, 2, 0xff, 0xd9];
const TWO = [0xff, 0xd8, 3, 0xd9, 0xff, 0xd9];

async function* inParts(bytes: number[], size: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < bytes.length; at += size) yield Uint8Array.from(bytes.slice(at, at + size));
}

const pictures = async (bytes: number[], size: number) =>
  (await Array.fromAsync(jpegsIn(inParts(bytes, size)))).map((picture) => [...picture]);

Deno.test("pictures are told apart however their bytes come, and half of one is none", async () => {
  for (let size = 1; size <= 24; size++) {
    assert.deepEqual(
      await pictures([...ONE, ...TWO, ...ONE.slice(0, 5)], size),
      [ONE, TWO],
      `${size} at a time`,
    );
  }
  assert.deepEqual(await pictures([], 1), []);
});

Deno.test("what is no JPEG, and one without an end, are refused", async () => {
  await assert.rejects(pictures([1, 2, 3, 0xff, 0xd9], 2), /no JPEG/);
  await assert.rejects(pictures([0xff, 0xd9], 1), /no JPEG/);
  async function* endless(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    for (let mib = 0; mib < 100; mib++) yield new Uint8Array(2 ** 20);
  }
  await assert.rejects(Array.fromAsync(jpegsIn(endless())), /more than/);
});
