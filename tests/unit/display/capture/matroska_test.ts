/** The bytes that carry pictures to ffmpeg. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { matroskaHeader, PICTURE_HEAD_BYTES, pictureHead } from "../../../../lib/display/capture/matroska.ts";

interface Element {
  id: number;
  /** Null where it goes on until the end. */
  size: number | null;
  data: Uint8Array;
}

/** The elements one after the other, as RFC 8794 has it: ids and sizes of any length. */
function elements(bytes: Uint8Array): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length;) {
    const number = (keepsMarker: boolean) => {
      const length = Math.clz32(bytes[at]) - 23;
      const rest = bytes.slice(at, at + length);
      if (!keepsMarker) rest[0] &= 0xff >> length;
      at += length;
      const isUnknown = !keepsMarker && rest[0] === 0xff >> length &&
        rest.slice(1).every((one) => one === 0xff);
      return isUnknown ? null : Number(BigInt(`0x${rest.toHex()}`));
    };
    const id = number(true)!;
    const size = number(false);
    const data = bytes.subarray(at, size === null ? undefined : at + size);
    found.push({ id, size, data });
    at += size ?? bytes.length;
  }
  return found;
}

const uint = (data: Uint8Array) => Number(BigInt(`0x${data.toHex()}`));
const text = (data: Uint8Array) => new TextDecoder().decode(data);
const child = (data: Uint8Array, id: number) => elements(data).find((one) => one.id === id)!.data;

Deno.test("matroska: the header says what the pictures are, and has no end", () => {
  const [ebml, segment] = elements(matroskaHeader({ width: 1280, height: 720 }, 25));
  assert.deepEqual([ebml.id, text(child(ebml.data, 0x4282))], [0x1a45dfa3, "matroska"]);
  assert.deepEqual([segment.id, segment.size], [0x18538067, null]);
  assert.equal(uint(child(child(segment.data, 0x1549a966), 0x2ad7b1)), 1_000_000, "times are milliseconds");
  const track = child(child(segment.data, 0x1654ae6b), 0xae);
  assert.equal(text(child(track, 0x86)), "V_UNCOMPRESSED");
  assert.equal(uint(child(track, 0x23e383)), 40_000_000);
  const video = child(track, 0xe0);
  assert.deepEqual([uint(child(video, 0xb0)), uint(child(video, 0xba))], [1280, 720]);
  assert.equal(text(child(video, 0x2eb524)), "I420");
});

Deno.test("matroska: each picture is a cluster with its time, whose sizes fit, and its head is always as long", () => {
  fc.assert(fc.property(fc.nat(2 ** 42), fc.nat(3000), (at, size) => {
    const head = pictureHead(at, size);
    assert.equal(head.length, PICTURE_HEAD_BYTES);
    const [cluster, ...more] = elements(new Uint8Array([...head, ...new Uint8Array(size).fill(7)]));
    assert.deepEqual(more, []);
    assert.equal(cluster.id, 0x1f43b675);
    assert.equal(uint(child(cluster.data, 0xe7)), at);
    const block = child(cluster.data, 0xa3);
    assert.deepEqual([...block.subarray(0, 4)], [0x81, 0, 0, 0x80], "track 1, at once, to be shown");
    assert.equal(block.length, 4 + size);
    assert.ok(block.subarray(4).every((byte) => byte === 7));
  }));
});
