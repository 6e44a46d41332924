import assert from "node:assert/strict";
import { isPageOfThisMachine } from "../../../lib/channel/hls_headers.ts";

const STREAMED = [
  ...[
    "http://localhost",
    "http://LOCALHOST:8000",
    "http://x.localhost:1",
    "http://localhost.",
    "https://127.0.0.1",
  ],
  ...[
    "http://127.9.9.9:9",
    "http://0.0.0.0:8000",
    "http://[::1]:8000",
    "http://[::]",
    "http://[::ffff:7f00:1]",
  ],
  ...["null", "", "file://"],
];

Deno.test("pages of this machine, and those that hide, get no permission to read channels", () => {
  for (const origin of STREAMED) assert.equal(isPageOfThisMachine(origin), true, origin);
  for (
    const origin of ["https://tv.example.org", "http://192.168.1.9:3000", "http://127.example.org", null]
  ) {
    assert.equal(isPageOfThisMachine(origin), false, String(origin));
  }
});
