import assert from "node:assert/strict";
import { GatheredText } from "../../../../lib/machine/tools/gathered_text.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("gathered text: pieces of any size are one text, and each text begins anew", () => {
  const text = new GatheredText();
  const given = "ä🌍 text".repeat(20_000);
  for (const size of [1, 7, 1000, 100_000, 1_000_000]) {
    const all = bytes(given);
    for (let at = 0; at < all.length; at += size) text.add(all.subarray(at, at + size));
    assert.equal(text.size, all.length);
    assert.ok(text.end() === given, `${size} bytes at a time`);
    assert.equal(text.size, 0);
  }
  assert.equal(text.end(), "");
});

Deno.test("gathered text: a piece may be used again by who gave it, and the end may leave some out", () => {
  const text = new GatheredText();
  const piece = bytes("one");
  text.add(piece);
  piece.fill(120);
  text.add(bytes(" two"));
  assert.equal(text.end(5), "one t");
  text.add(bytes("three"));
  assert.equal(text.end(), "three");
});
