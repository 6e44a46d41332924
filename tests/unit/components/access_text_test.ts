import assert from "node:assert/strict";
import { expiryText, lastUseText, scopeText } from "../../../components/playlist/accessText.ts";
import { streamId } from "../../../lib/model/id.ts";

const STREAMS = ["news", "clock", "bar", "wall"].map((id) => ({ id, name: id.toUpperCase() }));
const NOW = Date.UTC(2026, 10, 22, 12);
const MINUTE_MS = 60_000;

Deno.test("what a token opens is said by name as long as it is short", () => {
  const text = (group: string, ids: string[] | null) =>
    scopeText({ group, streams: ids && ids.map(streamId) }, STREAMS);
  assert.equal(text("", null), "All streams");
  assert.equal(text("Walls", null), "Group “Walls”");
  assert.equal(text("", ["news", "gone", "bar"]), "NEWS, gone, BAR");
  assert.equal(text("", ["news", "clock", "bar", "wall"]), "4 streams");
  assert.match(text("", []), /^No stream/);
});

Deno.test("a token's end and last use are said as people do", () => {
  assert.equal(expiryText({ expiresAt: null }, NOW), "no end");
  assert.equal(expiryText({ expiresAt: NOW + 1 }, NOW), "until 22 Nov 2026");
  assert.equal(expiryText({ expiresAt: NOW }, NOW), "ended 22 Nov 2026");
  assert.equal(lastUseText({ lastUsedAt: null }, NOW), "not used yet");
  assert.equal(lastUseText({ lastUsedAt: NOW - 19 * MINUTE_MS }, NOW), "used within the last 20 min");
  assert.equal(lastUseText({ lastUsedAt: NOW - 185 * MINUTE_MS }, NOW), "used 3 h 5 min ago");
});
