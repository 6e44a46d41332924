import assert from "node:assert/strict";
import { enteredLine, storedLine } from "../../../../lib/model/entered/line.ts";

const RULE = { label: "A name", most: 60, problem: "A name is needed." };
/** One character, which NFC makes two. */
const QA = "\u0958";

Deno.test("what earlier versions stored is read, and what is read is read again", () => {
  const table: [what: string, text: string, line: string][] = [
    ["breaks beyond what is looked at", `a${"\n".repeat(10_001)}b`, "a b"],
    ["60 characters of two units", "📺".repeat(60), "📺".repeat(60)],
    ["60 characters that are longer in NFC", QA.repeat(60), QA.repeat(60)],
    ["59, one of which is", `${QA}${"a".repeat(58)}`, `${QA.normalize("NFC")}${"a".repeat(58)}`],
    ["60, one of which is", `${QA}${"a".repeat(59)}`, `${QA}${"a".repeat(59)}`],
    ["nothing to see", "\u200b", "Without a name"],
  ];
  const stored = storedLine(RULE);
  const wrong = table.filter(([, text, line]) =>
    stored.safeParse(text).data !== line || stored.safeParse(line).data !== line
  );
  assert.deepEqual(wrong.map(([what]) => what), []);
  for (const long of ["a".repeat(61), "📺".repeat(61), QA.repeat(61), `a${"\u200b".repeat(10_000)}`]) {
    assert.equal(
      enteredLine(RULE).safeParse(long).error?.issues[0].message,
      "A name has at most 60 characters.",
    );
  }
});
