import assert from "node:assert/strict";
import { withNumbers } from "../../../../lib/model/channel.ts";
import { channelsOf, chosenChannels } from "../../../../lib/channel/playlist/channels.ts";
import { playlist } from "../../../../lib/channel/playlist/m3u.ts";
import { publicStream } from "../../../../lib/model/schema.ts";
import { parseM3u } from "../../../support/m3u.ts";
import { seen } from "../../../support/m3u_readers.ts";
import { aStream } from "../../../support/fixture.ts";

const ORIGIN = "https://tv.example.org:8443";

function channels(...fields: Record<string, unknown>[]) {
  return channelsOf(withNumbers(fields.map((each) => publicStream(aStream(each)))));
}

Deno.test("a channel has every attribute that IPTV apps read", () => {
  const text = playlist(channels({ id: "clock", name: "Clock", group: "Walls" }), ORIGIN);
  assert.equal(
    text,
    `#EXTM3U x-tvg-url="${ORIGIN}/epg.xml" url-tvg="${ORIGIN}/epg.xml"
#EXTINF:-1 tvg-id="clock" tvg-name="Clock" tvg-chno="1" channel-number="1" tvg-logo="${ORIGIN}/api/streams/clock/thumb?logo=0" group-title="Walls",Clock
${ORIGIN}/api/hls/live/clock/index.m3u8
`,
  );
});

Deno.test("no stream, no channel, still a playlist", () => {
  assert.deepEqual(parseM3u(playlist([], ORIGIN)).channels, []);
});

/** Names as an older file or another program may have stored them; the schema lets fewer through. */
const HOSTILE: [stored: string, shown: string][] = [
  ['The "Big" Screen', "The Big Screen"],
  ['"', "clock"],
  ['" tvg-id="evil', "tvg-id=evil"],
  ["a\nb", "a b"],
  ["a\r\n#EXTINF:-1,Evil\r\nhttp://evil.example/x", "a #EXTINF:-1,Evil http://evil.example/x"],
  ["#EXTINF:-1,Evil", "#EXTINF:-1,Evil"],
  ["#EXTM3U", "#EXTM3U"],
  ["News, Sports, Weather", "News, Sports, Weather"],
  [", ", ","],
  ["a\u2028b\u2029c\u0085d\vd\fe\x1cf\0g", "a b c d d e f g"],
  ["📺 Télé 日本語", "📺 Télé 日本語"],
  ["👩‍👩‍👧", "👩‍👩‍👧"],
  ["حالة الشبكة", "حالة الشبكة"],
  ["\u202Eesrever", "\u202Eesrever"],
  ["half \uD83D of one", "half \uFFFD of one"],
  ["x".repeat(120), "x".repeat(120)],
  ["", "clock"],
  [" \t ", "clock"],
  ["a=b;c|d\\e'f<g>&amp;", "a=b;c|d\\e'f<g>&amp;"],
  ["$(id) %(ENV_x)s {{name}}", "$(id) %(ENV_x)s {{name}}"],
];

/** A line for a channel, and one for its address, without what ends a line or is not seen; one comma, before the name. */
const FILE = /^#EXTM3U [^\n]*\n(?:#EXTINF:-1 [^\n,]*"\,[^\n,"]+\nhttps:\/\/[\x21-\x7e]+\n)*$/;

Deno.test("a name and a group stay on their line, whatever they are", () => {
  const wrong: unknown[] = [];
  for (const [stored, shown] of HOSTILE) {
    const [channel] = channels({});
    const text = playlist([{ ...channel, name: stored, group: stored }], ORIGIN);
    const read = parseM3u(new TextEncoder().encode(text)).channels
      .map(({ name, attributes, url }) =>
        [name, attributes["group-title"], attributes["tvg-id"], url].map(seen)
      );
    const group = shown === "clock" ? "" : shown.split(";").filter(Boolean).join(", ");
    const right = [[shown, group, "clock", `${ORIGIN}/api/hls/live/clock/index.m3u8`]];
    const isFile = FILE.test(text) && !/[^\P{Cc}\n]|[\p{Zl}\p{Zp}\uFEFF]/u.test(text);
    if (JSON.stringify(read) !== JSON.stringify(right) || !isFile) wrong.push([stored, read, isFile]);
  }
  assert.deepEqual(wrong, []);
});

const CARDS = channels(
  { id: "a", name: "A", group: "Walls" },
  { id: "b", name: "B", group: "Düsseldorf, Hbf", desiredState: "stopped" },
  { id: "c", name: "C" },
  { id: "d", name: "D", group: "walls", desiredState: "stopped" },
);

const CHOICES: [query: string, ids: string][] = [
  ["", "a b c d"],
  ["group=", "a b c d"],
  ["group=Walls", "a d"],
  ["group=WALLS", "a d"],
  ["group=%20walls%20", "a d"],
  ["group=Wall", ""],
  ["group=d%C3%BCsseldorf,+hbf", "b"],
  ["group=du%CC%88sseldorf,+hbf", "b"],
  ["group=__proto__", ""],
  ["running=1", "a c"],
  ["running=true", "a c"],
  ["running=0", "a b c d"],
  ["running=", "a b c d"],
  ["running=1&group=walls", "a"],
  ["other=1", "a b c d"],
];

Deno.test("a query chooses channels, which keep the numbers of the cards", () => {
  const wrong: unknown[] = [];
  for (const [query, ids] of CHOICES) {
    const chosen = chosenChannels(CARDS, new URLSearchParams(query));
    const found = chosen.map(({ id }) => id).join(" ");
    const isNumbered = chosen.every(({ id, number }) => number === "abcd".indexOf(id) + 1);
    if (found !== ids || !isNumbered) wrong.push([query, found, ids]);
  }
  assert.deepEqual(wrong, []);
});

Deno.test("a logo has another address with each picture", () => {
  const at = (picture?: number) => playlist(channelsOf([publicStream(aStream())], () => picture), ORIGIN);
  assert.match(at(), /thumb\?logo=0"/);
  assert.match(at(1_700_000_000_123), /thumb\?logo=1700000000"/);
});
