import assert from "node:assert/strict";
import { intervals, LiveRules } from "../../support/live_rules.ts";

interface List {
  first: number;
  /** Names of the segments; "|" before one that follows a break. */
  names: string;
  breaks?: number;
  target?: number;
  seconds?: string;
  version?: number;
  /** Of the first segment. */
  date?: string;
}

function text({ first, names, breaks = 0, target = 1, seconds = "1.000", version = 3, date }: List): string {
  const segments = names.split(" ").filter(Boolean).map((name) =>
    `${name.startsWith("|") ? "#EXT-X-DISCONTINUITY\n" : ""}#EXTINF:${seconds},\n${
      name.replace("|", "")
    }.ts\n`
  );
  return `#EXTM3U\n#EXT-X-VERSION:${version}\n#EXT-X-MEDIA-SEQUENCE:${first}\n` +
    `#EXT-X-DISCONTINUITY-SEQUENCE:${breaks}\n#EXT-X-TARGETDURATION:${target}\n` +
    (date ? `#EXT-X-PROGRAM-DATE-TIME:${date}\n` : "") + segments.join("");
}

function problems(lists: List[]): string[] {
  const rules = new LiveRules();
  lists.forEach((list, at) => rules.add(text(list), at * 1000));
  return rules.problems;
}

const SIX = { first: 10, names: "a b c d e f" };

const GOOD: [what: string, lists: List[]][] = [
  ["a window that slides", [SIX, { first: 11, names: "b c d e f g" }, { first: 13, names: "d e f g h i" }]],
  ["a channel that has just begun", [{ first: 10, names: "a" }, { first: 10, names: "a b" }, SIX]],
  ["the same list twice", [SIX, SIX]],
  ["a break that comes, stays and leaves", [
    SIX,
    { first: 11, names: "b c d e f |g" },
    { first: 16, names: "|g h i j k l" },
    { first: 17, names: "h i j k l m", breaks: 1 },
  ]],
  ["a date that goes on by the durations", [
    { ...SIX, date: "2026-11-30T23:59:59.900Z" },
    { first: 11, names: "b c d e f g", date: "2026-12-01T00:00:00.900Z" },
  ]],
  ["the next list without overlap", [SIX, { first: 16, names: "g h i j k l" }]],
];

for (const [what, lists] of GOOD) {
  Deno.test(`live rules: ${what} is fine`, () => assert.deepEqual(problems(lists), []));
}

const BAD: [what: string, lists: List[], problem: RegExp][] = [
  ["another target duration", [SIX, { ...SIX, target: 2 }], /target duration went from 1 to 2/],
  ["another version", [SIX, { ...SIX, version: 4 }], /version 3 became 4/],
  ["a sequence that goes back", [SIX, { first: 0, names: "u v w x y z" }], /went back from 10 to 0/],
  ["a jump", [SIX, { first: 20, names: "k l m n o p" }], /segments 16 to 19 were never listed/],
  [
    "a segment removed without counting",
    [SIX, { first: 10, names: "b c d e f g" }],
    /segment 10 was a\.ts, now b\.ts/,
  ],
  [
    "a count without removing",
    [SIX, { first: 11, names: "a b c d e f g" }],
    /segment 11 was b\.ts, now a\.ts/,
  ],
  [
    "an address used again",
    [SIX, { first: 16, names: "g h i j k a" }],
    /a\.ts is segment 21 and was segment 10/,
  ],
  ["another duration", [SIX, { ...SIX, seconds: "0.900" }], /changed its duration/],
  [
    "another date",
    [
      { ...SIX, date: "2026-11-30T23:59:59.900Z" },
      { first: 11, names: "b c d e f g", date: "2026-12-01T00:00:00.950Z" },
    ],
    /b\.ts was of 2026-12-01T00:00:00\.900Z, now 2026-12-01T00:00:00\.950Z/,
  ],
  ["a date that is taken back", [{ ...SIX, date: "2026-11-30T23:59:59.900Z" }, SIX], /now no date/],
  [
    "segments taken from the end",
    [SIX, { first: 10, names: "a b c d" }],
    /segment 15 was taken from the list's end/,
  ],
  ["too few segments", [SIX, { first: 12, names: "c d e f g" }], /5 segments are listed/],
  [
    "too short a list",
    [{ ...SIX, target: 3 }, { first: 11, names: "b c d e f g", target: 3 }],
    /lasts 6 s, less than 3 target/,
  ],
  ["no segment", [SIX, { first: 16, names: "" }], /without a segment/],
  [
    "a break that leaves uncounted",
    [{ first: 10, names: "a |b c d e f" }, { first: 12, names: "c d e f g h" }],
    /c\.ts changed its discontinuity sequence from 1 to 0/,
  ],
  ["a break made up later", [SIX, { first: 10, names: "a b c |d e f" }], /d\.ts changed its discontinuity/],
  [
    "a discontinuity sequence that goes back",
    [{ ...SIX, breaks: 5 }, { first: 16, names: "g h i j k l", breaks: 4 }],
    /discontinuity sequence went back from 5 to 4/,
  ],
];

for (const [what, lists, problem] of BAD) {
  Deno.test(`live rules: ${what} is a problem`, () => {
    const found = problems(lists);
    assert.ok(found.some((text) => problem.test(text)), JSON.stringify(found));
  });
}

Deno.test("live rules: a list that cannot be read is a problem, said once", () => {
  const rules = new LiveRules();
  for (let at = 0; at < 3; at++) assert.equal(rules.add("<html>\n", at), null);
  assert.deepEqual(rules.problems, ["Invalid Playlist : The EXTM3U tag MUST be the first line."]);
});

Deno.test("live rules: what came and what left, and how long it took apart from faults", () => {
  const rules = new LiveRules();
  const names = (at: number) => ["a", "b", "c", "d", "e", "f", "g", "h", "i"].slice(at, at + 6).join(" ");
  rules.add(text(SIX), 0);
  const update = rules.add(text({ first: 12, names: names(2) }), 2100)!;
  assert.deepEqual(update.added.map(({ uri }) => uri), ["g.ts", "h.ts"]);
  assert.deepEqual(update.removed.map(({ uri }) => uri), ["a.ts", "b.ts"]);
  assert.equal(rules.add(text({ first: 12, names: names(2) }), 3000), null);
  rules.add(text({ first: 13, names: names(3) }), 3400);
  assert.deepEqual(intervals(rules.updates, []), [2100, 1300]);
  assert.deepEqual(intervals(rules.updates, [{ from: 500, to: 2100 }]), [1300]);
  assert.deepEqual(intervals(rules.updates, [{ from: 2200, to: 2300 }]), [2100]);
});
