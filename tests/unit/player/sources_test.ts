import assert from "node:assert/strict";
import { isBoard } from "../../../player/back.ts";
import { lastSequence } from "../../../lib/model/segments.ts";

Deno.test("a playlist's end is the number of its last segment", () => {
  const head = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-MEDIA-SEQUENCE:41\n#EXT-X-TARGETDURATION:1\n";
  assert.equal(lastSequence(`${head}#EXTINF:1.000,\na.ts\n`), 41);
  assert.equal(
    lastSequence(`${head}#EXTINF:1.000,\r\na.ts\r\n#EXT-X-DISCONTINUITY\r\n#EXTINF:1,\r\nb.ts`),
    42,
  );
  assert.equal(lastSequence("#EXTM3U\n#EXTINF:1,\na.ts\n"), 0);
  for (const text of [head, "", "<html>", "{}"]) assert.equal(lastSequence(text), -1);
});

Deno.test("only the first page of our own origin is the board", () => {
  const origin = "http://wall.example.org:3000";
  for (const referrer of [`${origin}/`, `${origin}/?size=lg`]) assert.ok(isBoard(referrer, origin));
  for (
    const referrer of ["", origin, `${origin}/player/a`, "http://wall.example.org/", "https://evil.example/"]
  ) {
    assert.ok(!isBoard(referrer, origin), referrer);
  }
});
