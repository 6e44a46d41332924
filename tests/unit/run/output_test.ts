import { strict as assert } from "node:assert";
import { EntryLines } from "../../../lib/run/output.ts";

const AT = new Date("2026-01-02T03:04:05.678Z");

/** The entries of an output that comes in these pieces. */
function entries(...pieces: string[]): Record<string, unknown>[] {
  const lines = new EntryLines("error", () => AT);
  const text = pieces.map((piece) => lines.add(piece)).join("") + lines.end();
  assert.ok(text === "" || text.endsWith("\n"));
  return text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
}

const said = (message: string) => ({ time: AT.toISOString(), level: "error", message });

Deno.test("output: entries pass as they are, and each other line becomes one", () => {
  const own = { time: "2026-01-01T00:00:00.000Z", level: "info", message: "listening", port: 3000 };
  const stack = "Error: it broke\n    at run (file:///a.ts:1:2)\n";
  assert.deepEqual(entries(`${JSON.stringify(own)}\n${stack}\n`), [
    own,
    said("Error: it broke"),
    said("    at run (file:///a.ts:1:2)"),
  ]);
  assert.deepEqual(entries('{"time":1}\n{half\n'), [said('{"time":1}'), said("{half")]);
});

Deno.test("output: lines come in pieces, and the last one may have no end", () => {
  assert.deepEqual(entries("one", " and ", "a half\ntw", "o"), [said("one and a half"), said("two")]);
  assert.deepEqual(entries("", "\n\n", " \n"), []);
});

Deno.test("output: a line without an end is not kept for ever", () => {
  const found = entries(..."x".repeat(20).split("").map((one) => one.repeat(10_000)));
  assert.equal(found.map(({ message }) => message).join(""), "x".repeat(200_000));
  assert.ok(found.length >= 3);
});
