/** The test's own reader of playlists: it must not let anything pass. */
import assert from "node:assert/strict";
import { parseM3u } from "../../support/m3u.ts";

const HEADER = '#EXTM3U x-tvg-url="http://a/epg.xml" url-tvg="http://a/epg.xml"';
const ATTRIBUTES =
  'tvg-id="x" tvg-name="X" tvg-chno="1" channel-number="1" tvg-logo="http://a/x.jpg" group-title=""';
const ENTRY = `#EXTINF:-1 ${ATTRIBUTES},X\nhttp://a/x.m3u8`;
const OTHER = ENTRY.replace('tvg-id="x"', 'tvg-id="y"').replaceAll('"1"', '"2"');

Deno.test("good playlists are read", () => {
  assert.deepEqual(parseM3u(`${HEADER}\n`).channels, []);
  const { header, channels } = parseM3u(`${HEADER}\n${ENTRY}\n${OTHER}\n`);
  assert.equal(header["url-tvg"], "http://a/epg.xml");
  assert.deepEqual(channels.map(({ name, url }) => [name, url]), [
    ["X", "http://a/x.m3u8"],
    ["X", "http://a/x.m3u8"],
  ]);
  assert.equal(channels[1].attributes["tvg-id"], "y");
});

const BAD: [what: string, text: string][] = [
  ["nothing", ""],
  ["no end of the last line", HEADER],
  ["a byte order mark", `\uFEFF${HEADER}\n`],
  ["CRLF", `${HEADER}\r\n${ENTRY}\r\n`],
  ["an empty line", `${HEADER}\n\n${ENTRY}\n`],
  ["another header", `#EXTM3U8\n`],
  ["a header without the guide", `#EXTM3U\n${ENTRY}\n`],
  ["one name of the guide", `#EXTM3U x-tvg-url="http://a/epg.xml"\n`],
  ["a relative guide", `${HEADER.replaceAll("http://a", "")}\n`],
  ["no entry line", `${HEADER}\nhttp://a/x.m3u8\n`],
  ["an entry without address", `${HEADER}\n${ENTRY.split("\n")[0]}\n`],
  ["two entry lines", `${HEADER}\n${ENTRY.split("\n")[0]}\n${ENTRY}\n`],
  ["a relative address", `${HEADER}\n${ENTRY.replace("\nhttp://a", "\n")}\n`],
  ["an address with a space", `${HEADER}\n${ENTRY.replace("x.m3u8", "x y.m3u8")}\n`],
  ["an address with credentials", `${HEADER}\n${ENTRY.replace("\nhttp://a", "\nhttp://u:p@a")}\n`],
  ["another scheme", `${HEADER}\n${ENTRY.replace("\nhttp", "\nfile")}\n`],
  ["a length", `${HEADER}\n${ENTRY.replace(":-1", ":10")}\n`],
  ["no comma", `${HEADER}\n${ENTRY.replace(",X", "")}\n`],
  ["no name", `${HEADER}\n${ENTRY.replace(",X", ",")}\n`],
  ["a space before the name", `${HEADER}\n${ENTRY.replace(",X", ", X")}\n`],
  ["a quote in the name", `${HEADER}\n${ENTRY.replace(",X", ',X"')}\n`],
  ["a quote in a value", `${HEADER}\n${ENTRY.replace('tvg-name="X"', 'tvg-name="X"Y"')}\n`],
  ["a value without quotes", `${HEADER}\n${ENTRY.replace('tvg-chno="1"', "tvg-chno=1")}\n`],
  ["an attribute twice", `${HEADER}\n${ENTRY.replace('tvg-id="x"', 'tvg-id="x" tvg-id="x"')}\n`],
  ["two names", `${HEADER}\n${ENTRY.replace(",X", ",Y")}\n`],
  ["two numbers", `${HEADER}\n${ENTRY.replace('channel-number="1"', 'channel-number="2"')}\n`],
  ["number 0", `${HEADER}\n${ENTRY.replaceAll('"1"', '"0"')}\n`],
  ["an empty id", `${HEADER}\n${ENTRY.replace('tvg-id="x"', 'tvg-id=""')}\n`],
  ["a relative logo", `${HEADER}\n${ENTRY.replace("http://a/x.jpg", "/x.jpg")}\n`],
  ["one id twice", `${HEADER}\n${ENTRY}\n${OTHER.replace('"y"', '"x"')}\n`],
  ["one number twice", `${HEADER}\n${ENTRY}\n${OTHER.replaceAll('"2"', '"1"')}\n`],
  ["a control character", `${HEADER}\n${ENTRY.replaceAll("X", "X\x07")}\n`],
  ["a line separator", `${HEADER}\n${ENTRY.replaceAll("X", "X\u2028Y")}\n`],
  ["a comment", `${HEADER}\n# hello\n${ENTRY}\n`],
];

for (const name of ["tvg-id", "tvg-name", "tvg-chno", "channel-number", "tvg-logo", "group-title"]) {
  BAD.push([`no ${name}`, `${HEADER}\n${ENTRY.replace(new RegExp(` ${name}="[^"]*"`), "")}\n`]);
}

for (const [what, text] of BAD) {
  Deno.test(`the strict reader refuses ${what}`, () => assert.throws(() => parseM3u(text), Error));
}

Deno.test("the strict reader refuses broken UTF-8", () => {
  const bytes = new TextEncoder().encode(`${HEADER}\n${ENTRY}\n`);
  assert.ok(parseM3u(bytes));
  bytes[bytes.indexOf("X".charCodeAt(0))] = 0xff;
  assert.throws(() => parseM3u(bytes));
});
