import assert from "node:assert/strict";
import { parseMediaPlaylist } from "../../support/media_playlist.ts";

const GOOD = `#EXTM3U
#EXT-X-VERSION:3
#EXT-X-MEDIA-SEQUENCE:40
#EXT-X-DISCONTINUITY-SEQUENCE:7
#EXT-X-TARGETDURATION:1
#EXTINF:1.000,
a.ts
# a comment
#EXT-X-DISCONTINUITY
#EXTINF:0.840,with a title

b.ts
#EXTINF:1.499,
sub/c.ts?x=1
`;

Deno.test("a live media playlist: numbers, durations, and the breaks before each segment", () => {
  const { segments, ...rest } = parseMediaPlaylist(GOOD);
  assert.deepEqual(rest, { version: 3, targetDuration: 1, sequence: 40, discontinuitySequence: 7 });
  assert.deepEqual(segments, [
    { uri: "a.ts", duration: 1, sequence: 40, discontinuity: 7 },
    { uri: "b.ts", duration: 0.84, sequence: 41, discontinuity: 8 },
    { uri: "sub/c.ts?x=1", duration: 1.499, sequence: 42, discontinuity: 8 },
  ]);
});

Deno.test("what is left out is zero, and version 1", () => {
  const { segments: [segment], ...rest } = parseMediaPlaylist(
    "#EXTM3U\r\n#EXT-X-TARGETDURATION:9\r\n#EXTINF:9,\r\na\r\n",
  );
  assert.deepEqual(rest, { version: 1, targetDuration: 9, sequence: 0, discontinuitySequence: 0 });
  assert.deepEqual(segment, { uri: "a", duration: 9, sequence: 0, discontinuity: 0 });
});

/** The good list with a change, and what has to be said of it. */
const BAD: [what: string, change: [from: string, to: string], problem: RegExp][] = [
  ["a byte order mark", ["#EXTM3U", "\uFEFF#EXTM3U"], /line 1: a control character or byte order mark/],
  ["a control character", ["with a title", "with\ta title"], /line 10: a control character/],
  ["no header", ["#EXTM3U\n", ""], /line 1: not #EXTM3U/],
  ["an empty line before the header", ["#EXTM3U", "\n#EXTM3U"], /line 1: not #EXTM3U/],
  ["something after the header", ["#EXTM3U", "#EXTM3U x"], /line 1: not #EXTM3U/],
  ["no end of the last line", ["?x=1\n", "?x=1"], /last line has no end/],
  ["no target duration", ["#EXT-X-TARGETDURATION:1\n", ""], /no #EXT-X-TARGETDURATION/],
  ["a target duration of parts", ["DURATION:1\n", "DURATION:1.0\n"], /line 5: no whole number/],
  ["two target durations", ["DURATION:1\n", "DURATION:1\n#EXT-X-TARGETDURATION:1\n"], /line 6: stands twice/],
  ["a segment that is too long", ["1.499", "1.500"], /c\.ts\?x=1 lasts 1\.5 s/],
  ["a negative sequence", ["SEQUENCE:40", "SEQUENCE:-1"], /line 3: no whole number/],
  ["a sequence after a segment", ["# a comment", "#EXT-X-TARGETDURATION:1"], /stands twice/],
  ["a discontinuity sequence after a segment", [
    "a.ts\n",
    "a.ts\n#EXT-X-DISCONTINUITY-SEQUENCE:7\n",
  ], /stands twice/],
  [
    "two breaks at one segment",
    ["Y\n#EXTINF:0.8", "Y\n#EXT-X-DISCONTINUITY\n#EXTINF:0.8"],
    /stands twice for one/,
  ],
  ["a duration without its comma", ["1.000,", "1.000"], /line 6: not #EXTINF/],
  ["a duration that is none", ["0.840", "1e0"], /not #EXTINF/],
  ["a negative duration", ["0.840", "-0.840"], /not #EXTINF/],
  ["two durations for one segment", ["a.ts\n", ""], /no segment follows the one before/],
  ["a segment without a duration", ["#EXTINF:1.499,\n", ""], /line 13: a segment without #EXTINF/],
  ["a duration without a segment", ["sub/c.ts?x=1\n", ""], /no segment follows$/],
  ["a break at the end", ["c.ts?x=1\n", "c.ts?x=1\n#EXT-X-DISCONTINUITY\n"], /no segment follows$/],
  ["an address with a space", ["a.ts", "a b.ts"], /no URI/],
  ["an end", ["sub/c.ts?x=1\n", "sub/c.ts?x=1\n#EXT-X-ENDLIST\n"], /no tag of a live media playlist/],
  ["a type", ["# a comment", "#EXT-X-PLAYLIST-TYPE:EVENT"], /no tag of a live media playlist/],
  ["a master playlist's tag", ["# a comment", "#EXT-X-STREAM-INF:BANDWIDTH=1"], /no tag of a live/],
  ["parts of seconds in version 2", ["VERSION:3", "VERSION:2"], /needs version 3/],
  ["an error page", [GOOD, "<html>\n"], /line 1: not #EXTM3U/],
  ["nothing", [GOOD, ""], /no #EXT-X-TARGETDURATION/],
];

for (const [what, [from, to], problem] of BAD) {
  Deno.test(`media playlist: ${what} is refused`, () => {
    assert.ok(GOOD.includes(from));
    assert.throws(() => parseMediaPlaylist(GOOD.replace(from, () => to)), problem);
  });
}

Deno.test("media playlist: the order of the head, and bytes that are no UTF-8", () => {
  const late = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na\n#EXT-X-MEDIA-SEQUENCE:4\n";
  assert.throws(() => parseMediaPlaylist(late), /line 5: must stand before/);
  const behindBreak =
    "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-DISCONTINUITY\n#EXT-X-DISCONTINUITY-SEQUENCE:4\n";
  assert.throws(() => parseMediaPlaylist(behindBreak), /line 4: must stand before/);
  assert.throws(() => parseMediaPlaylist(Uint8Array.of(35, 0xff, 10)), TypeError);
});
