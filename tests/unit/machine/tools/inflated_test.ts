import { strict as assert } from "node:assert";
import { inflated } from "../../../../lib/machine/tools/inflated.ts";

const MIB = 1024 * 1024;

async function packed(format: CompressionFormat, mebibytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const zeros = new Uint8Array(MIB);
  const all = new Blob(Array.from({ length: mebibytes }, () => zeros)).stream();
  return await new Response(all.pipeThrough(new CompressionStream(format))).bytes();
}

for (const format of ["gzip", "deflate"] as const) {
  Deno.test(`${format}: a thousandth of 32 MiB becomes them in parts of 1 MiB, and ends when somebody has had enough`, async () => {
    const small = await packed(format, 32);
    assert.ok(small.length < MIB / 16);
    let all = 0, most = 0;
    for await (const part of inflated(small, format)) {
      all += part.length;
      most = Math.max(most, part.buffer.byteLength);
    }
    assert.equal(all, 32 * MIB);
    assert.ok(most <= 2 * MIB, `${most} bytes`);
    for await (const part of inflated(small, format)) {
      assert.ok(part.length <= 2 * MIB);
      break;
    }
    const early = Array.fromAsync(inflated(small.subarray(0, small.length - 9), format));
    if (format === "gzip") await assert.rejects(early);
    else await early;
    await assert.rejects(Array.fromAsync(inflated(new Uint8Array([1, 2, 3]), format)));
  });
}
