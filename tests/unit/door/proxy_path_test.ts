import assert from "node:assert/strict";
import { upstreamPath } from "../../../lib/door/proxy.ts";

const GOOD = [
  ["/live/a/index.m3u8", "/live/a/index.m3u8"],
  ["live/a-b/1763700000123.ts", "/live/a-b/1763700000123.ts"],
  ["/x~y_z.ts", "/x~y_z.ts"],
];

const ATTACKS = [
  ...[
    "",
    "/",
    "..",
    "/..",
    "/../etc/passwd",
    "/live/../../x",
    "/live/..",
    "/live/./a",
    "/live/a/...",
    "/.hidden",
    "/a/.b",
  ],
  ...[
    "%2e%2e",
    "/%2e%2e/x",
    "/%252e%252e/x",
    "/..%2fx",
    "/a%2fb",
    "/%2E%2E%5c",
    "/a%00",
    "/%",
    "/a%20b",
    "/%c0%ae%c0%ae/x",
  ],
  ...[
    "\\",
    "/..\\x",
    "/a\\b",
    "//",
    "//evil.example/x",
    "/a//b",
    "/a/",
    "///",
    "/@evil.example",
    "http://evil.example/",
  ],
  ...[
    "/a\0",
    "/a\n",
    "/a\r\nHost: x",
    "/a b",
    "/a\t",
    "/a?b",
    "/a?",
    "/a#b",
    "/a;b",
    "/a:80",
    "/ä",
    "/\u2024\u2024/x",
  ],
  ...[
    "/" + "a".repeat(512),
    "/" + "a/".repeat(300) + "a",
    "/\uFF0E\uFF0E/x",
    "/__proto__/..",
    "/*",
    "/$(x)",
    "/a|b",
    "/~/..",
    "/{a}",
  ],
];

Deno.test("paths below the prefix", () => {
  for (const [raw, path] of GOOD) assert.equal(upstreamPath(raw), path);
});

Deno.test("paths that lead elsewhere are none", () => {
  for (const raw of ATTACKS) assert.equal(upstreamPath(raw), null, JSON.stringify(raw.slice(0, 60)));
});

Deno.test("what a URL parser made of an attack stays below the prefix", () => {
  for (const raw of ATTACKS) {
    const url = URL.parse(`http://localhost/api/hls/${raw.replace(/^\//, "")}`);
    const path = url?.pathname.startsWith("/api/hls")
      ? upstreamPath(url.pathname.slice("/api/hls".length))
      : null;
    if (path === null) continue;
    const target = new URL(`http://127.0.0.1:8888${path}`);
    assert.equal(target.host, "127.0.0.1:8888");
    assert.equal(target.pathname, path, raw);
  }
});
