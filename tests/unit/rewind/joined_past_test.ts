/** A past that is in several places: which node's pieces count when, and what is said of a node that is away. */
import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { streamId } from "../../../lib/model/id.ts";
import { Past } from "../../../lib/rewind/past.ts";
import { EARLY_SECONDS, stretchAt, type Timeline } from "../../../lib/rewind/timeline.ts";
import { tempDir } from "../../support/fixture.ts";
import { pastFolder, type PastPiece, writePast } from "../../support/past.ts";
import { HERE, type PretendedNodes, pretendedNodes } from "../../support/past_elsewhere.ts";

const BEGIN = 1_700_000_000;
const ID = streamId("clock");

type Recorded = Record<string, [start: number, end: number, reason?: PastPiece["reason"]][]>;

interface World extends AsyncDisposable {
  nodes: PretendedNodes;
  folders: Record<string, string>;
  /** A client's look at a time, in s since BEGIN. */
  timeline(from: number, to: number): Promise<Timeline>;
}

/** @param recorded the pieces of each node, in the order in which they were recorded. Times are s since BEGIN. */
async function world(stays: readonly [string, number][], recorded: Recorded): Promise<World> {
  const dir = await tempDir("/dev/shm");
  const folders: Record<string, string> = {};
  for (const [node, pieces] of Object.entries(recorded)) {
    folders[node] = join(dir.path, node);
    const written = pieces.map(([start, end, reason], at): PastPiece => ({
      number: at + 1,
      seconds: [BEGIN + start],
      end: BEGIN + end,
      reason,
    }));
    await writePast(pastFolder({ rewindDir: folders[node] }), written, false);
  }
  const nodes = pretendedNodes(stays.map(([node, since]) => [node, BEGIN + since]), folders);
  return {
    nodes,
    folders,
    async timeline(from, to) {
      const past = new Past(folders[HERE] ?? join(dir.path, "none"), nodes);
      const range = [BEGIN + from, BEGIN + to] as const;
      return await past.timeline(ID, await past.windows(ID, ...range), ...range);
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

/** What a time has, as [start, end, what]. */
function told({ spans, gaps }: Timeline): [number, number, string][] {
  const stretches = spans.flatMap(({ stretches }) => stretches).map((
    { start, end, node, piece },
  ): [number, number, string] => [start - BEGIN, end - BEGIN, `${node ?? HERE} ${piece.number}`]);
  const others = gaps.map(({ start, end, reason, node }): [number, number, string] => [
    ...[start - BEGIN, end - BEGIN] as const,
    ["gap", reason, node].filter(Boolean).join(" "),
  ]);
  return [...stretches, ...others].sort(([one], [other]) => one - other);
}

Deno.test("a stream that came from another node has both parts, one behind the other", async () => {
  await using moved = await world([["b2", 0], [HERE, 1000]], {
    b2: [[0, 600], [600, 1002, "stopped"]],
    [HERE]: [[990, 1500], [1500, 2000]],
  });
  assert.deepEqual(told(await moved.timeline(0, 2000)), [
    [0, 600, "b2 1"],
    [600, 1000, "b2 2"],
    [1000, 1500, "a1 1"],
    [1500, 2000, "a1 2"],
  ]);
  assert.deepEqual(told(await moved.timeline(998, 1002)), [[998, 1000, "b2 2"], [1000, 1002, "a1 1"]]);
  const { spans } = await moved.timeline(0, 2000);
  assert.deepEqual(spans.map(({ start, end }) => [start - BEGIN, end - BEGIN]), [[0, 2000]], "one span");
});

Deno.test("only nodes that had the stream in the time asked for are asked, and texts come in one answer", async () => {
  await using moved = await world([["b2", 0], [HERE, 1000]], {
    b2: Array.from({ length: 40 }, (_, at) => [at * 20, at * 20 + 20]),
    [HERE]: [[1000, 2000]],
  });
  await moved.timeline(1200, 1300);
  assert.deepEqual(moved.nodes.asked, []);
  await moved.timeline(0, 2000);
  assert.deepEqual(moved.nodes.asked, ["b2 names", "b2 texts"]);
});

Deno.test("a node that was lost: what its successor kept before it was on the air is there", async () => {
  await using moved = await world([["b2", 0], [HERE, 1020]], {
    b2: [[0, 1000]],
    [HERE]: [[1012, 1400]],
  });
  assert.deepEqual(told(await moved.timeline(900, 1100)), [
    [900, 1000, "b2 1"],
    [1000, 1012, "gap"],
    [1012, 1100, "a1 1"],
  ]);
});

Deno.test("a node that was cut off and went on recording counts until another one had the stream, and no longer", async () => {
  await using split = await world([["b2", 0], [HERE, 100], ["b2", 400]], {
    // it was cut off from 90 to 380
    b2: [[0, 60], [60, 260], [260, 390, "stopped"], [395, 500]],
    [HERE]: [[95, 250], [250, 405, "stopped"]],
  });
  assert.deepEqual(told(await split.timeline(0, 500)), [
    [0, 60, "b2 1"],
    [60, 100, "b2 2"],
    [100, 250, "a1 1"],
    [250, 400, "a1 2"],
    [400, 500, "b2 4"],
  ]);
});

Deno.test("a stream that went away and came back has all three parts, and the node between may be away", async () => {
  await using both = await world([[HERE, 0], ["b2", 100], [HERE, 200]], {
    [HERE]: [[0, 102, "stopped"], [195, 300]],
    b2: [[96, 203, "stopped"]],
  });
  assert.deepEqual(told(await both.timeline(0, 300)), [
    [0, 100, "a1 1"],
    [100, 200, "b2 1"],
    [200, 300, "a1 2"],
  ]);
  both.nodes.away.add("b2");
  const { spans, gaps } = await both.timeline(0, 300);
  assert.deepEqual(told({ spans, gaps }), [
    [0, 100, "a1 1"],
    [100, 195, "gap away b2"],
    [195, 300, "a1 2"],
  ]);
  assert.deepEqual(spans.map(({ reason, node }) => [reason, node]), [["away", "b2"], [null, undefined]]);
  both.nodes.away.clear();
  both.nodes.silent.add("b2");
  assert.deepEqual((await both.timeline(120, 140)).gaps.map(({ node }) => node), ["b2"]);
  assert.equal(both.nodes.asked.filter((one) => one === "b2 names").length, 2, "asked once for each look");
});

Deno.test("clocks that differ by some seconds make neither a second that counts twice nor a wrong order", async () => {
  for (const off of [-9, -3, 3, 9]) {
    await using moved = await world([["b2", 0], [HERE, 1000]], {
      b2: [[0 + off, 600 + off], [600 + off, 1001 + off, "stopped"]],
      [HERE]: [[992, 1400]],
    });
    const timeline = await moved.timeline(0, 1400);
    const parts = told(timeline).filter(([, , what]) => !what.startsWith("gap"));
    for (const [at, [start]] of parts.entries()) assert.ok(at === 0 || start >= parts[at - 1][1]);
    const gaps = timeline.gaps.filter(({ start }) => start > BEGIN + 20);
    assert.ok(gaps.every(({ start, end }) => end - start <= 9), "less is missing than the clocks differ by");
    assert.equal(stretchAt(timeline, BEGIN + 1000)!.node, null);
  }
});

Deno.test("a node that is lost between its names and its texts is a gap with its name", async () => {
  await using moved = await world([["b2", 0], [HERE, 100]], { b2: [[0, 100]], [HERE]: [[100, 200]] });
  const past = new Past(moved.folders[HERE], moved.nodes);
  const windows = await past.windows(ID);
  moved.nodes.silent.add("b2");
  const timeline = await past.timeline(ID, windows, BEGIN, BEGIN + 200);
  assert.deepEqual(told(timeline), [[0, 100, "gap away b2"], [100, 200, "a1 1"]]);
  assert.deepEqual(await past.nearest(ID, windows, BEGIN + 10, BEGIN + 200), {
    before: null,
    after: BEGIN + 100,
  });
  assert.deepEqual(moved.nodes.asked, ["b2 names", "b2 texts"], "it is not asked again");
});

Deno.test("a picture that a new node begins with is not taken for what the former one showed", async () => {
  await using moved = await world([["b2", 0], [HERE, 100]], { b2: [[0, 100]], [HERE]: [[100, 200]] });
  const past = new Past(moved.folders[HERE], moved.nodes);
  const windows = await past.windows(ID);
  const timeline = await past.timeline(ID, windows, BEGIN + 150, BEGIN + 151);
  assert.equal(
    await past.since(ID, windows, stretchAt(timeline, BEGIN + 150)!, BEGIN + 150),
    BEGIN + 100,
  );
});

Deno.test("of random moves, each second counts once, and by the node that had the stream", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          node: fc.constantFrom(HERE, "b2", "c3"),
          seconds: fc.integer({ min: 5, max: 200 }),
          early: fc.integer({ min: 0, max: 40 }),
          late: fc.integer({ min: 0, max: 150 }),
          missing: fc.integer({ min: 0, max: 30 }),
        }),
        { minLength: 1, maxLength: 7 },
      ),
      fc.constantFrom(null, "b2", "c3"),
      async (moves, away) => {
        const recorded: Recorded = { [HERE]: [], b2: [], c3: [] };
        const stays: [string, number][] = [];
        let at = 0;
        for (const { node, seconds, early, late, missing } of moves) {
          if (stays.at(-1)?.[0] === node) continue;
          stays.push([node, at]);
          const [start, middle] = [at - early, at + Math.ceil(seconds / 2)];
          recorded[node].push([start, Math.max(start, middle - missing) + 1], [middle, at + seconds + late]);
          at += seconds;
        }
        await using joined = await world(stays, recorded);
        if (away) joined.nodes.away.add(away);
        const timeline = await joined.timeline(-50, at + 200);
        const parts = told(timeline);
        for (const [number, [start, end]] of parts.entries()) {
          assert.ok(start < end);
          assert.equal(start, number === 0 ? -50 : parts[number - 1][1], "all is told once");
        }
        assert.equal(parts.at(-1)![1], at + 200);
        for (let second = 0; second < at; second++) {
          const stay = stays.findLastIndex(([, since]) => since <= second);
          const [node] = stays[stay];
          const number = recorded[node].findLastIndex(([start]) => start <= second);
          const isKept = node !== away && number >= 0 && second < recorded[node][number][1];
          const [, , what] = parts.find(([start, end]) => start <= second && second < end)!;
          if (isKept) assert.equal(what, `${node} ${number + 1}`, `at ${second}`);
          else if (!what.startsWith("gap")) {
            const [other] = what.split(" ");
            const next = stays.findIndex(([one], at) => at > stay && one === other);
            assert.ok(next > stay && stays[next][1] - second <= EARLY_SECONDS, `${what} at ${second}`);
          }
        }
      },
    ),
    { numRuns: 150 },
  ));
