import assert from "node:assert/strict";
import { hostText, parseHost } from "../../../../lib/machine/net/host.ts";

const GOOD: [text: string, name: string, port: number | null][] = [
  ["tv.example.org", "tv.example.org", null],
  ["TV.Example.ORG:8443", "tv.example.org", 8443],
  ["tv.example.org.", "tv.example.org", null],
  ["localhost:3000", "localhost", 3000],
  ["my_app-1:3000", "my_app-1", 3000],
  ["xn--mller-kva.de", "xn--mller-kva.de", null],
  ["127.0.0.1:3000", "127.0.0.1", 3000],
  ["[::1]:3000", "::1", 3000],
  ["[FD00::1]", "fd00::1", null],
  ["[::ffff:127.0.0.1]", "::ffff:127.0.0.1", null],
  ["a:1", "a", 1],
  ["a:65535", "a", 65535],
  [`${"a".repeat(63)}.${"b".repeat(63)}`, `${"a".repeat(63)}.${"b".repeat(63)}`, null],
];

const BAD = [
  "",
  " ",
  ".",
  "a..b",
  ".a",
  "-a.b",
  "a-.b",
  "a b",
  "a\tb",
  "a\r\nb",
  "a\0b",
  'a"b',
  "a'b",
  "a,b",
  "a/b",
  "a\\b",
  "a?b",
  "a#b",
  "a%2eb",
  "<script>",
  "user@a",
  "user:pass@a",
  "http://a",
  "a:",
  "a:0",
  "a:65536",
  "a:999999",
  "a:80:80",
  "a:x",
  "a:-1",
  "::1",
  "[::1",
  "[::1]x",
  "[::1]:",
  "[]",
  "[1.2.3.4]",
  "[fe80::1%eth0]",
  "[g::1]",
  // what browsers would turn into an address
  "127.1",
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "a.1",
  "a.0x",
  "256.1.1.1",
  "1.2.3.4.5",
  "010.0.0.1",
  "münchen.de",
  "a".repeat(64),
  `${"a.".repeat(127)}ab`,
];

Deno.test("hosts are read as URLs have them", () => {
  for (const [text, name, port] of GOOD) {
    assert.deepEqual(parseHost(text), { name, port }, text);
    assert.equal(
      new URL(`http://${hostText({ name, port })}/`).hostname.replace(/[[\]]/g, ""),
      urlName(name),
    );
  }
});

/** URLs write IPv6 addresses in hexadecimal. */
function urlName(name: string): string {
  return name === "::ffff:127.0.0.1" ? "::ffff:7f00:1" : name;
}

Deno.test("anything else is no host", () => {
  for (const text of BAD) assert.equal(parseHost(text), null, JSON.stringify(text));
});
