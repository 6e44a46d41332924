import assert from "node:assert/strict";
import { loginAddress, ownPath } from "../../../../lib/door/access/own_path.ts";

const OWN = [
  ["/", "/"],
  ["/player/clock", "/player/clock"],
  ["/streams/clock/log?program=browser", "/streams/clock/log?program=browser"],
  ["/playlist.m3u?group=a%20b&running=1", "/playlist.m3u?group=a%20b&running=1"],
  ["/player/clock?x=https://evil.example", "/player/clock?x=https://evil.example"],
  ["/@evil.example", "/@evil.example"],
  ["/a//b", "/a//b"],
  ["/streams/../player/clock", "/player/clock"],
  ["/player/clock#part", "/player/clock"],
  ["/logbook", "/logbook"],
];

/** Each would lead elsewhere in one browser or another, or nowhere. */
const ATTACKS = [
  ...["//evil.example", "///evil.example", "////evil.example/x", "//evil.example@x"],
  ...[
    "/\\evil.example",
    "/\\/evil.example",
    "\\\\evil.example",
    "\\/evil.example",
    "/a\\..\\..\\\\evil.example",
  ],
  ...["/%5cevil.example", "/%5Cevil.example", "/%2fevil.example", "/%2F%2Fevil.example"],
  ...["https://evil.example", "http:evil.example", "HTTPS:/evil.example", "https:///evil.example", "ftp://x"],
  ...["javascript:alert(1)", "data:text/html,x", "evil.example", "@evil.example", "?next=x", "#x", ""],
  ...["/\t/evil.example", "/\n/evil.example", "/\r/evil.example", "\t//evil.example", " //evil.example"],
  ...["/x\r\nset-cookie: a=b", "/\0", "/\x7f", "/a b"],
  ...["/.//evil.example", "/..//evil.example", "/a/..//evil.example", "/%2e//evil.example"],
  ...["/%2e%2e//evil.example", "/a/%2E%2E//evil.example", "/./\\evil.example", "/./%5cevil.example"],
  ...["/login", "/login?next=/login", "/login/", "/logout", "/./logout", "/x/../login"],
  `/${"x".repeat(2001)}`,
];

Deno.test("a login leads to our own paths", () => {
  for (const [text, path] of OWN) assert.equal(ownPath(text), path, text);
});

Deno.test("a login leads nowhere else", () => {
  assert.equal(ownPath(null), "/");
  for (const attack of ATTACKS) {
    assert.equal(ownPath(attack), "/", JSON.stringify(attack));
    assert.equal(loginAddress(attack), "/login", JSON.stringify(attack));
  }
});

Deno.test("the login's address leads back through any number of encodings", () => {
  for (const [text, path] of OWN.slice(1)) {
    const next = new URL(loginAddress(text), "http://localhost").searchParams.get("next");
    assert.equal(next, path);
    assert.equal(ownPath(next), path);
  }
});
