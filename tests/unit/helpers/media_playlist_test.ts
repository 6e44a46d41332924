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

Deno.test("a date is that of the segments behind it, up to the next break", () => {
  const dated = GOOD.replace("#EXTINF:1.000", "#EXT-X-PROGRAM-DATE-TIME:2026-11-30T23:59:59.900Z\n$&");
  const date = Date.UTC(2026, 10, 30, 23, 59, 59, 900);
  assert.deepEqual(parseMediaPlaylist(dated).segments.map((one) => one.date), [date, undefined, undefined]);
  const behind = GOOD.replace("#EXTINF:0.840", "#EXT-X-PROGRAM-DATE-TIME:2026-11-30T23:59:59.900Z\n$&");
  assert.deepEqual(parseMediaPlaylist(behind).segments.map((one) => one.date), [undefined, date, date + 840]);
});

Deno.test("what is left out is zero, and version 1", () => {
  const { segments: [segment], ...rest } = parseMediaPlaylist(
    "#EXTM3U\r\n#EXT-X-TARGETDURATION:9\r\n#EXTINF:9,\r\na\r\n",
  );
  assert.deepEqual(rest, { version: 1, targetDuration: 9, sequence: 0, discontinuitySequence: 0 });
  assert.deepEqual(segment, { uri: "a", duration: 9, sequence: 0, discontinuity: 0 });
});

/** The good list with a change. */
const BAD: [what: string, change: [from: string, to: string]][] = [
  ["a byte order mark", ["#EXTM3U", "\uFEFF#EXTM3U"]],
  ["a control character", ["with a title", "with\ta title"]],
  ["no header", ["#EXTM3U\n", ""]],
  ["an empty line before the header", ["#EXTM3U", "\n#EXTM3U"]],
  ["something after the header", ["#EXTM3U", "#EXTM3U x"]],
  ["no end of the last line", ["?x=1\n", "?x=1"]],
  ["no target duration", ["#EXT-X-TARGETDURATION:1\n", ""]],
  ["a target duration of parts", ["DURATION:1\n", "DURATION:1.0\n"]],
  ["two target durations", ["DURATION:1\n", "DURATION:1\n#EXT-X-TARGETDURATION:1\n"]],
  ["a segment that is too long", ["1.499", "1.500"]],
  ["a negative sequence", ["SEQUENCE:40", "SEQUENCE:-1"]],
  ["a sequence behind a segment", ["a.ts\n", "a.ts\n#EXT-X-MEDIA-SEQUENCE:41\n"]],
  ["a discontinuity sequence behind a break", ["Y\n", "Y\n#EXT-X-DISCONTINUITY-SEQUENCE:7\n"]],
  ["two breaks at one segment", ["Y\n#EXTINF:0.8", "Y\n#EXT-X-DISCONTINUITY\n#EXTINF:0.8"]],
  ["a duration without its comma", ["1.000,", "1.000"]],
  ["a duration that is none", ["0.840", "1e0"]],
  ["a negative duration", ["0.840", "-0.840"]],
  ["two durations for one segment", ["a.ts\n", ""]],
  ["a segment without a duration", ["#EXTINF:1.499,\n", ""]],
  ["a duration without a segment", ["sub/c.ts?x=1\n", ""]],
  ["a break at the end", ["c.ts?x=1\n", "c.ts?x=1\n#EXT-X-DISCONTINUITY\n"]],
  ["a date without its zone", [
    "#EXTINF:1.0",
    "#EXT-X-PROGRAM-DATE-TIME:2026-11-30T23:59:59.900\n#EXTINF:1.0",
  ]],
  ["a date before a break", [
    "#EXT-X-DISC",
    "#EXT-X-PROGRAM-DATE-TIME:2026-11-30T23:59:59.900Z\n#EXT-X-DISC",
  ]],
  ["an address with a space", ["a.ts", "a b.ts"]],
  ["an end", ["sub/c.ts?x=1\n", "sub/c.ts?x=1\n#EXT-X-ENDLIST\n"]],
  ["a type", ["# a comment", "#EXT-X-PLAYLIST-TYPE:EVENT"]],
  ["a master playlist's tag", ["# a comment", "#EXT-X-STREAM-INF:BANDWIDTH=1"]],
  ["parts of seconds in version 2", ["VERSION:3", "VERSION:2"]],
  ["an error page", [GOOD, "<html>\n"]],
  ["nothing", [GOOD, ""]],
];

Deno.test("what is no live media playlist is refused", () => {
  const taken = BAD.filter(([, [from, to]]) => {
    assert.ok(GOOD.includes(from), from);
    try {
      return parseMediaPlaylist(GOOD.replace(from, () => to));
    } catch {
      return false;
    }
  });
  assert.deepEqual(taken.map(([what]) => what), []);
  assert.throws(() => parseMediaPlaylist(Uint8Array.of(35, 0xff, 10)), TypeError);
});
