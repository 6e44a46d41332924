import { strict as assert } from "node:assert";
import { lastChangeText } from "../../../components/stream/lastChange.ts";

Deno.test("a picture's last change is told as exactly as it is known", () => {
  const now = Date.UTC(2026, 0, 5, 12);
  const text = (seconds: number) => lastChangeText(now - seconds * 1000, now);
  assert.deepEqual([-5, 0, 119].map(text), Array(3).fill("less than 2 min ago"));
  assert.deepEqual([120, 900, 7260, 90_000].map(text), [
    "2 min ago",
    "15 min ago",
    "2 h 1 min ago",
    "1 d 1 h ago",
  ]);
});
