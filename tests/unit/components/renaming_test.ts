import assert from "node:assert/strict";
import { renamed, renamings } from "../../../components/select/renaming.ts";

Deno.test("a text is replaced wherever it is in a name; without one the new text comes first", () => {
  for (
    const [name, find, replacement, expected] of [
      ["Hall clock hall", "Hall", "Lobby", "Lobby clock hall"],
      ["a.b.a", "a", "$&", "$&.b.$&"],
      ["Clock", "", "Hall ", "Hall Clock"],
      ["Old Clock", "Old", "", "Clock"],
      ["Clock", "x", "y", "Clock"],
    ]
  ) assert.equal(renamed(name, find, replacement), expected);
  const items = [{ name: "Hall 1" }, { name: "Lobby" }];
  assert.deepEqual(renamings(items, "Hall", "Room"), [{ item: items[0], value: "Room 1" }]);
  assert.deepEqual(renamings(items, "", ""), []);
});
