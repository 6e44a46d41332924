import assert from "node:assert/strict";
import { withNumbers } from "../../../lib/model/channel.ts";
import { channelsOf, chosenChannels } from "../../../lib/playlist/channels.ts";
import { playlist } from "../../../lib/playlist/m3u.ts";
import { publicStream } from "../../../lib/model/schema.ts";
import { parseM3u } from "../../support/m3u.ts";
import { aStream } from "../../support/fixture.ts";

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

for (const [stored, shown] of HOSTILE) {
  Deno.test(`the name ${JSON.stringify(stored).slice(0, 60)} stays on its line`, () => {
    const [channel] = channels({});
    const text = playlist([{ ...channel, name: stored, group: stored }], ORIGIN);
    const read = parseM3u(new TextEncoder().encode(text));
    assert.equal(text.trimEnd().split("\n").length, 3);
    assert.equal(read.channels.length, 1);
    const { name, attributes, url } = read.channels[0];
    assert.deepEqual([name, attributes["tvg-id"]], [shown, "clock"]);
    assert.equal(
      attributes["group-title"],
      shown === "clock" ? "" : shown.split(";").filter(Boolean).join(", "),
    );
    assert.equal(url, `${ORIGIN}/api/hls/live/clock/index.m3u8`);
  });
}

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

for (const [query, ids] of CHOICES) {
  Deno.test(`?${query} is "${ids}", with the numbers of the cards`, () => {
    const chosen = chosenChannels(CARDS, new URLSearchParams(query));
    assert.equal(chosen.map(({ id }) => id).join(" "), ids);
    for (const { id, number } of chosen) assert.equal(number, "abcd".indexOf(id) + 1);
    assert.equal(parseM3u(playlist(chosen, ORIGIN)).channels.length, chosen.length);
  });
}

Deno.test("a group with semicolons is one group", () => {
  for (const [group, listed] of [["Ops; night", "Ops, night"], ["a;b;c", "a, b, c"], [";", ""]]) {
    const text = playlist(channels({ group }), ORIGIN);
    assert.ok(text.includes(`group-title="${listed}"`), text);
  }
});

Deno.test("a logo has another address with each picture", () => {
  const at = (picture?: number) => playlist(channelsOf([publicStream(aStream())], () => picture), ORIGIN);
  assert.match(at(), /thumb\?logo=0"/);
  assert.match(at(1_700_000_000_123), /thumb\?logo=1700000000"/);
});
