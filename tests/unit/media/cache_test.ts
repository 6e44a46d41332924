import assert from "node:assert/strict";
import { hlsCacheControl } from "../../../lib/media/cache.ts";

const RULES = [
  ["/live/a/1763700000123.ts", "max-age=300, immutable"],
  ["/live/a/index.m3u8", "no-cache, no-store"],
  ["/live/ts", "no-cache, no-store"],
  ["/live/a.ts/index.m3u8", "no-cache, no-store"],
  ["/live/a/x.mp4", "no-cache, no-store"],
];

Deno.test("segments may be kept for 300 s, playlists never", () => {
  for (const [path, rule] of RULES) assert.equal(hlsCacheControl(path), rule, path);
});
