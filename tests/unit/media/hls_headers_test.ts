import assert from "node:assert/strict";
import { fileHeaders } from "../../../lib/media/hls_headers.ts";

/** The bytes of a head as Deno sends it. */
function headBytes(headers: Headers): number {
  const all = [...headers, ["date", "Sat, 21 Nov 2026 18:26:03 GMT"]];
  return `HTTP/1.1 200 OK\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`.length;
}

Deno.test("a playlist's head is as long as Deno needs to send a body with it, a segment's is not made longer", () => {
  const type = "application/vnd.apple.mpegurl";
  for (const size of [9, 64, 343, 1068]) {
    assert.equal(headBytes(fileHeaders("/live/clock/index.m3u8", { type, size, etag: null })), 513);
  }
  assert.equal(headBytes(fileHeaders("/live/clock/index.m3u8", { type: null, size: 343, etag: null })), 513);
  const long = fileHeaders("/live/clock/index.m3u8", { type: "x".repeat(600), size: 343, etag: null });
  assert.equal(long.get("x-padding"), "", "no need");
  const segment = fileHeaders("/live/clock/1795241652273.ts", {
    type: "video/mp2t",
    size: 200_000,
    etag: '"a-1"',
  });
  assert.equal(segment.get("x-padding"), null);
});
