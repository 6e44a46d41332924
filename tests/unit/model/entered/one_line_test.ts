import assert from "node:assert/strict";
import { oneLine } from "../../../../lib/model/entered/one_line.ts";

/** As people paste them from chats, documents and tables. */
const ENTERED: [text: string, line: string][] = [
  ...[
    ["Lobby\u200b", "Lobby"],
    ["\ufeffBom", "Bom"],
    ["\u202eyalpsid", "yalpsid"],
    ["\u2066Eingang\u2069", "Eingang"],
    ["\u061c\u200eA\u200f", "A"],
    ["a\u00adb\u034fc\u2060d\u{1d173}e\ufffcf\uffffg\u180eh", "abcdefgh"],
    ["a\ud800b\udfffc", "abc"],
    ["A\u{e0041}\u{e007f}\ufe0f\u{e0100}", "A"],
  ] as [string, string][],
  ...[
    ["Etage\u00a02", "Etage 2"],
    ["Etage \u200b \u20282", "Etage 2"],
    ["Gate\u0085Three\r\n\tB", "Gate Three B"],
    ["\u3000東京\u3000駅\u2800\u3164", "東京 駅"],
    ["A\uffa0\u1680B", "A B"],
  ] as [string, string][],
  ...["", " ", "\u200b\u200b", "\u3164\u115f\u1160", "\u2800", "\u0301\u0302", " \u20e3\u200d ", "\ud800"]
    .map((text): [string, string] => [text, ""]),
  ...[
    ["Cafe\u0301", "Caf\u00e9"],
    ["e\u200b\u0301", "\u00e9"],
    ["\u212b", "\u00c5"],
  ] as [string, string][],
  // a joiner that changes nothing: beside letters that are not joined there, and of Latin
  ...[["a\u200db\u200c", "ab"], ["مرحبا\u200d", "مرحبا"], ["کار\u200cها", "کارها"], ["क\u200dष", "कष"]] as [
    string,
    string,
  ][],
  ["😀\ufe0f", "😀"],
];

/** What its script, or emoji, need. */
const NEEDED = [
  ...["שלום 12 A", "مرحبا", "می\u200cخواهم", "ه\u200d.ش", "İstanbul", "ᠮᠣᠩᠭᠣᠯ\u180eᠠ", "\u0600 5"],
  ...["क्\u200dष", "র\u200d্যাম", "ශ්\u200dරී", "ന്\u200d", "葛\u{e0100}城", "\u1100\u1160", "\u115f\u1161"],
  ...["👨\u200d👩\u200d👧 TV", "❤\ufe0f\u200d🔥", "🏳\ufe0f\u200d🌈", "👩🏽\u200d⚕\ufe0f", "1\ufe0f\u20e3 Eins"],
  ...["🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} England", "\ue000", "½ – “A” № 5 • ™"],
];

const spelled = (text: string) =>
  JSON.stringify(text).replace(/[^ -~]/gu, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`);

Deno.test("a line has what is seen of a text, with single blanks, and what its script or emoji need", () => {
  const rows = [...ENTERED, ...NEEDED.map((text) => [text, text.normalize("NFC")])];
  const wrong = rows.filter(([text, line]) => oneLine(text) !== line);
  assert.deepEqual(wrong.map(([text, line]) => [text, line, oneLine(text)].map(spelled)), []);
});

Deno.test("a line of a line is the same", () => {
  const parts = [...new Set([...ENTERED.flat(), ...NEEDED].flatMap((text) => [...text]))];
  const wrong: string[] = [];
  for (const one of parts) {
    for (const two of parts) {
      for (const text of [one + two, `a${one}${two}`, `م${one}${two}b`, `क्${one}${two}\u0301`]) {
        const line = oneLine(text);
        if (oneLine(line) !== line) wrong.push(spelled(text));
      }
    }
  }
  assert.deepEqual(wrong, []);
});
