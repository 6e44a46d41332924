import { strict as assert } from "node:assert";
import { Buffer } from "node:buffer";
import { decoded, editedText, EncodingError } from "../../../../lib/machine/tools/text_encoding.ts";

const TEXT = '{"name": "Empfang Süd – 東京 📺"}';

const le = (text: string) => [...Buffer.from(text, "utf16le")];
const be = (text: string) => [...Buffer.from(text, "utf16le").swap16()];
const utf8 = (text: string) => [...Buffer.from(text)];

Deno.test("a text in UTF-8 or UTF-16 is read, with a byte order mark and without", () => {
  const table: [what: string, bytes: number[], text: string, isUtf8: boolean][] = [
    ["UTF-8", utf8(TEXT), TEXT, true],
    ["UTF-8 with a mark", [0xef, 0xbb, 0xbf, ...utf8(TEXT)], TEXT, true],
    ["UTF-16LE with a mark", [0xff, 0xfe, ...le(TEXT)], TEXT, false],
    ["UTF-16BE with a mark", [0xfe, 0xff, ...be(TEXT)], TEXT, false],
    ["UTF-16LE", le(TEXT), TEXT, false],
    ["UTF-16BE", be(TEXT), TEXT, false],
    ["UTF-16LE of two characters, the second not Latin", le("#東"), "#東", false],
    ["UTF-16BE of one character", be("1"), "1", false],
    ["nothing", [], "", true],
    ["a mark alone", [0xff, 0xfe], "", false],
  ];
  const wrong = table.filter(([, bytes, text, isUtf8]) => {
    const got = decoded(Uint8Array.from(bytes), "The body");
    return got.text !== text || got.isUtf8 !== isUtf8;
  });
  assert.deepEqual(wrong.map(([what]) => what), []);
});

Deno.test("another encoding is refused by its name, unless a header says it; what is UTF-8 is that, whatever it says", () => {
  const latin = [...Buffer.from('{"name": "Süd"}', "latin1")];
  const table: [bytes: number[], says: RegExp][] = [
    [latin, /^The body is not in UTF-8, but .*Windows-1252.*ANSI\. Save it as UTF-8, and try again\.$/],
    [[0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0], /^The body is in UTF-32, .*Save it as UTF-8/],
    [[0x7b, 0, 0, 0, 0x7d, 0, 0, 0], /^The body is in UTF-32, /],
    [[0xff, 0xfe, ...le(TEXT), 0x20], /^The body is in UTF-16LE, and damaged or not whole\. Save it/],
    [[0xff, 0xfe, 0x00, 0xd8], /^The body is in UTF-16LE, and damaged/],
    [le("Привет мир"), /^The body is in UTF-16LE without a byte order mark\. Save it as UTF-8/],
    [be("Привет мир"), /^The body is in UTF-16BE without a byte order mark\. Save it/],
    [[0x1f, 0x8b, 8, 0, 0, 0xff], /^The body is not text .* archive/],
  ];
  for (const [bytes, says] of table) {
    assert.throws(() => decoded(Uint8Array.from(bytes), "The body"), (error) => {
      assert.ok(error instanceof EncodingError);
      assert.match(error.message, says);
      return true;
    });
  }
  for (const said of ["iso-8859-1", "Windows-1252"]) {
    assert.deepEqual(decoded(Uint8Array.from(latin), "The body", said), {
      text: '{"name": "Süd"}',
      isUtf8: false,
    });
    assert.equal(decoded(Uint8Array.from(utf8(TEXT)), "The body", said).text, TEXT);
    assert.equal(decoded(Uint8Array.from(le(TEXT)), "The body", said).text, TEXT);
  }
  assert.throws(() => decoded(Uint8Array.from(latin), "The body", "no-such"), EncodingError);
  // who reads it says what a NUL is there
  for (const text of ["\0", "ab\0", "ab\0\0cd"]) {
    assert.equal(decoded(Uint8Array.from(utf8(text)), "The body").text, text);
  }
});

Deno.test("a file of ours that was edited is read by its byte order mark, and never refused", () => {
  assert.equal(editedText(Uint8Array.from([0xff, 0xfe, ...le(TEXT)])), TEXT);
  assert.equal(editedText(Uint8Array.from([0xfe, 0xff, ...be(TEXT)])), TEXT);
  assert.equal(editedText(Uint8Array.from([0xef, 0xbb, 0xbf, ...utf8(TEXT)])), TEXT);
  assert.equal(editedText(Uint8Array.of(0x61, 0xfc)), "a\ufffd");
  // such as /proc's, where NULs part words
  assert.equal(editedText(Uint8Array.of(0x61, 0, 0x62, 0)), "a\0b\0");
});
