import { strict as assert } from "node:assert";
import { nextItem } from "../../../components/ui/menuKeys.ts";

const LABELS = ["Edit…", "Duplicate…", "Delete…", "Logs"];
const key = (name: string, modifiers: Partial<KeyboardEvent> = {}) => ({
  key: name,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...modifiers,
});

Deno.test("arrows go round, Home and End to the ends, letters to the next item that begins so", () => {
  const cases: [string, number, number | null][] = [
    ["ArrowDown", 0, 1],
    ["ArrowDown", 3, 0],
    ["ArrowUp", 0, 3],
    ["ArrowUp", -1, 3],
    ["Home", 2, 0],
    ["End", 0, 3],
    ["d", 0, 1],
    ["d", 1, 2],
    ["D", 2, 1],
    ["l", 3, 3],
    ["z", 0, null],
    ["Enter", 0, null],
    [" ", 0, null],
    ["Escape", 0, null],
  ];
  for (const [name, at, expected] of cases) {
    assert.equal(nextItem(key(name), LABELS, at), expected, `${name} at ${at}`);
  }
  assert.equal(nextItem(key("d", { ctrlKey: true }), LABELS, 0), null, "shortcuts are the browser's");
});
