/** Any text, for property tests. */
import fc from "fast-check";

const codePoint = fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }));

/** Of any characters but half surrogates. fast-check's own unit "binary" first makes a table, which takes it 1.5 s. */
export function anyText(options: { maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ unit: codePoint.map((code) => String.fromCodePoint(code)), ...options });
}
