import assert from "node:assert/strict";
import { type SeenPlaylist, withDiscontinuitySequence } from "../../../lib/media/discontinuity_sequence.ts";

/** A list as nginx-rtmp writes it: `names` in order, "|" before one that follows a break. */
function list(first: number, names: string): string {
  const segments = names.split(" ").map((name) => {
    const tag = name.startsWith("|") ? "#EXT-X-DISCONTINUITY\n" : "";
    return `${tag}#EXTINF:1.000,\n${name.replace("|", "")}.ts\n`;
  });
  const head = `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-MEDIA-SEQUENCE:${first}\n#EXT-X-TARGETDURATION:1\n`;
  return head + segments.join("");
}

/** The EXT-X-DISCONTINUITY-SEQUENCE of each list, one after the other. */
function numbers(lists: [first: number, names: string][], before: SeenPlaylist | null = null): number[] {
  return lists.map(([first, names]) => {
    const { playlist, listed } = withDiscontinuitySequence(list(first, names), before);
    before = listed;
    return Number(/^#EXT-X-DISCONTINUITY-SEQUENCE:(\d+)$/m.exec(playlist)?.[1]);
  });
}

Deno.test("the tag follows the media sequence, the rest stays", () => {
  const { playlist } = withDiscontinuitySequence(list(500, "a |b"), null);
  assert.equal(
    playlist,
    "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-MEDIA-SEQUENCE:500\n#EXT-X-DISCONTINUITY-SEQUENCE:500\n" +
      "#EXT-X-TARGETDURATION:1\n#EXTINF:1.000,\na.ts\n#EXT-X-DISCONTINUITY\n#EXTINF:1.000,\nb.ts\n",
  );
});

type Case = [what: string, lists: [first: number, names: string][], numbers: number[]];
const CASES: Case[] = [
  ["without a break it stays", [[500, "a b c"], [501, "b c d"]], [500, 500]],
  ["a break that is listed is not counted yet", [[500, "a b c"], [501, "b c |d"], [503, "|d e f"]], [
    500,
    500,
    500,
  ]],
  ["one that left is", [[500, "a |b c"], [501, "|b c d"], [502, "c d e"], [503, "d e f"]], [
    500,
    500,
    501,
    501,
  ]],
  ["two that left at once are two", [[500, "|a |b c"], [502, "c d e"]], [500, 502]],
  ["the same list again changes nothing", [[500, "|a b"], [501, "b c"], [501, "b c"]], [500, 501, 501]],
  ["the next list may follow without overlap", [[500, "a b"], [502, "c d"]], [500, 500]],
  ["after segments that nobody saw there may have been a break", [[500, "a |b"], [503, "d e"]], [500, 502]],
  [
    "a list that was overtaken by a newer one has its old number",
    [[500, "a |b c"], [502, "c d e"], [500, "a |b c"], [502, "c d e"]],
    [500, 501, 500, 501],
  ],
  ["a sequence that went back does not take it back", [[500, "a |b"], [3, "x y"], [4, "y z"]], [
    500,
    502,
    502,
  ]],
];

for (const [what, lists, expected] of CASES) {
  Deno.test(`discontinuity sequence: ${what}`, () => assert.deepEqual(numbers(lists), expected));
}

Deno.test("who forgets everything is never behind who remembered", () => {
  // every segment after a break, the worst there is
  const remembered = numbers([[500, "|a |b |c"], [501, "|b |c |d"], [503, "|d |e |f"], [550, "|x |y |z"]]);
  assert.ok(remembered.at(-1)! <= 550);
  assert.deepEqual(numbers([[550, "|x |y |z"]]), [550]);
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
