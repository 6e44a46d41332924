import assert from "node:assert/strict";
import { type SeenPlaylist, withDiscontinuitySequence } from "../../../lib/channel/breaks.ts";

/** A list as nginx-rtmp writes it: `names` in order, "|" before one that follows a break. */
function list(first: number, names: string): string {
  const segments = names.split(" ").map((name) => {
    const tag = name.startsWith("|") ? "#EXT-X-DISCONTINUITY\n" : "";
    return `${tag}#EXTINF:1.000,\n${name.replace("|", "")}.ts\n`;
  });
  const head = `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-MEDIA-SEQUENCE:${first}\n#EXT-X-TARGETDURATION:1\n`;
  return head + segments.join("");
}

const numberIn = (playlist: string) => Number(/^#EXT-X-DISCONTINUITY-SEQUENCE:(\d+)$/m.exec(playlist)?.[1]);

/** The EXT-X-DISCONTINUITY-SEQUENCE of each list, one after the other. */
function numbers(lists: [first: number, names: string][], before: SeenPlaylist | null = null): number[] {
  return lists.map(([first, names]) => {
    const { playlist, listed } = withDiscontinuitySequence(list(first, names), before);
    before = listed;
    return numberIn(playlist);
  });
}

Deno.test("the tag follows the media sequence, the rest stays", () => {
  const { playlist } = withDiscontinuitySequence(list(500, "a |b"), null);
  assert.equal(
    playlist,
    "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-MEDIA-SEQUENCE:500\n#EXT-X-DISCONTINUITY-SEQUENCE:0\n" +
      "#EXT-X-TARGETDURATION:1\n#EXTINF:1.000,\na.ts\n#EXT-X-DISCONTINUITY\n#EXTINF:1.000,\nb.ts\n",
  );
});

type Case = [what: string, lists: [first: number, names: string][], numbers: number[]];
const CASES: Case[] = [
  ["without a break it stays", [[500, "a b c"], [501, "b c d"]], [0, 0]],
  ["a break that is listed is not counted yet", [[500, "a b c"], [501, "b c |d"], [503, "|d e f"]], [
    0,
    0,
    0,
  ]],
  ["one that left is", [[500, "a |b c"], [501, "|b c d"], [502, "c d e"], [503, "d e f"]], [0, 0, 1, 1]],
  ["two that left at once are two", [[500, "|a |b c"], [502, "c d e"]], [0, 2]],
  ["the same list again changes nothing", [[500, "|a b"], [501, "b c"], [501, "b c"]], [0, 1, 1]],
  ["the next list may follow without overlap", [[500, "a b"], [502, "c d"]], [0, 0]],
  ["after segments that nobody saw there may have been a break", [[500, "a |b"], [503, "d e"]], [0, 2]],
  [
    "a list that was overtaken by a newer one has its old number",
    [[500, "a |b c"], [502, "c d e"], [500, "a |b c"], [502, "c d e"]],
    [0, 1, 0, 1],
  ],
  ["a sequence that went back does not take it back", [[500, "a |b"], [3, "x y"], [4, "y z"]], [0, 2, 2]],
];

for (const [what, lists, expected] of CASES) {
  Deno.test(`discontinuity sequence: ${what}`, () => assert.deepEqual(numbers(lists), expected));
}

Deno.test("who begins takes the days of the media sequence, a small number for as long as anybody watches", () => {
  const secondsUntil2060 = 35 * 365.25 * 86_400;
  assert.deepEqual(numbers([[secondsUntil2060, "a b"]]), [12_783]);
});

Deno.test("what is no list of segments stays as it is", () => {
  for (
    const text of [
      "",
      "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:7\n",
      "<html>404</html>",
      "#EXTM3U\n#EXTINF:1,\na.ts\n",
    ]
  ) {
    const before = { first: 1, next: 2, discontinuity: 1, breaks: [] };
    assert.deepEqual(withDiscontinuitySequence(text, before), { playlist: text, listed: before });
  }
});
