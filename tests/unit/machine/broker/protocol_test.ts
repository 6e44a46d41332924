import assert from "node:assert/strict";
import {
  MAX_REQUEST_BYTES,
  parseRequest,
  type Request,
  requestLine,
} from "../../../../lib/machine/broker/protocol.ts";
import { streamId } from "../../../../lib/model/id.ts";

const longest = streamId("a".repeat(63));

const REQUESTS: Request[] = [
  { do: "prepare", id: longest, needs: { display: 9500, resolution: "3840x2160", memoryLimitMb: 65536 } },
  { do: "capture", id: longest, resolution: "3840x2160", kind: "thumbnail" },
  { do: "watch", id: longest, resolution: "3840x2160", fps: 5 },
  ...(["release", "reset", "disown", "remove", "measure", "pack", "hasSound", "mute", "unmute"] as const).map(
    (action) => ({
      do: action,
      id: longest,
    }),
  ),
  { do: "unpack", id: longest, size: 32 * 1024 * 1024 },
  { do: "repairs", after: 0 },
  { do: "repairs", after: 999_999_999_999_999 },
];

for (const request of REQUESTS) {
  Deno.test(`${requestLine(request).slice(0, 40).trim()}: what was written is read, and is short enough`, () => {
    const line = requestLine(request);
    assert.ok(line.endsWith("\n") && line.length <= MAX_REQUEST_BYTES);
    assert.deepEqual(parseRequest(line.slice(0, -1)), request);
  });
}

const REFUSED = [
  "",
  "prepare",
  "release",
  "release ",
  "release ..",
  "release ../a",
  "release a/b",
  "release A",
  "release a b",
  "release a\0",
  "release  a",
  "Release a",
  "__proto__ a",
  "constructor a",
  "remove %2e%2e",
  "remove -rf",
  "prepare a",
  "prepare a 101",
  "prepare a 101 1280x720 1500 1",
  "prepare a 101 1500 1280x720",
  "prepare a 101 1280x720x1 1500",
  "prepare a 101 -1x720 1500",
  "prepare a -1 1280x720 1500",
  "prepare a 1e3 1280x720 1500",
  "prepare a 0x65 1280x720 1500",
  "prepare a 101 1280x720 1500\n",
  "prepare a 101 1280x720 12345678",
  "pack a 1",
  "unpack a",
  "unpack a -1",
  "unpack a 33554433",
  "unpack a 1 1",
  "capture a",
  "capture a 1280x720x1",
  "capture a 1280x720 -f",
  "capture a -i",
  "capture a 1x1",
  "capture a 1280x720",
  "capture a 1280x720 gif",
  "capture a 1280x720 png -y",
  "watch a",
  "watch a 1280x720",
  "watch a 1280x720 0",
  "watch a 1280x720 6",
  "watch a 1280x720 2.5",
  "watch a 1280x720 1 1",
  "watch a 1 1280x720",
  "repairs",
  "repairs ",
  "repairs a",
  "repairs -1",
  "repairs 1e3",
  "repairs 1 2",
  "repairs 1234567890123456",
  "hasSound",
  "hasSound a b",
  "mute",
  "unmute a b",
  `release ${"a".repeat(64)}`,
];

for (const line of REFUSED) {
  Deno.test(`refused: ${JSON.stringify(line.slice(0, 40))}`, () => assert.equal(parseRequest(line), null));
}
