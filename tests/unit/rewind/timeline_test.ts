/** Which piece counts when, of random histories on a real disk, against a plain model that goes second by second. */
import { REASONS } from "../../../lib/model/past.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { streamId } from "../../../lib/model/id.ts";
import { Past } from "../../../lib/rewind/past.ts";
import { parsePiece, type Piece, pieceFile, SUFFIX } from "../../../lib/rewind/recorder/piece.ts";
import { shownAt, stretchAt } from "../../../lib/rewind/timeline.ts";
import { tempDir } from "../../support/fixture.ts";
import { HD, pastFolder, type PastPiece, writePast } from "../../support/past.ts";

const BEGIN = 1_700_000_000;
const ID = streamId("clock");

interface Cut {
  /** Parts of the two files that are left. */
  text: number;
  video: number;
}

/** A piece with its number, in the order in which they are recorded; a clock that is set back makes starts that fall. */
const history: fc.Arbitrary<{ piece: PastPiece; cut: Cut | null }[]> = fc.array(
  fc.record({
    from: fc.integer({ min: 0, max: 120 }),
    steps: fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 8 }),
    still: fc.integer({ min: 0, max: 20 }),
    reason: fc.option(fc.constantFrom(...REASONS), { nil: undefined }),
    goesOn: fc.boolean(),
    isSmall: fc.boolean(),
    cut: fc.option(
      fc.record({
        text: fc.double({ min: 0, max: 1, noNaN: true }),
        video: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      {
        nil: null,
        freq: 4,
      },
    ),
  }),
  { minLength: 1, maxLength: 8 },
).map((parts) => {
  let end = 0;
  return parts.map(({ from, steps, still, reason, goesOn, isSmall, cut }, at) => {
    const seconds = [BEGIN + (goesOn ? end : from)];
    for (const step of steps) seconds.push(seconds.at(-1)! + step);
    end = seconds.at(-1)! + 1 + still - BEGIN;
    const size = isSmall ? { width: 640, height: 360 } : HD;
    return { piece: { number: at + 1, seconds, end: BEGIN + end, reason, size }, cut };
  });
});

/** Cuts the files as a power cut may. */
async function cutFiles(folder: string, { number, seconds: [start] }: PastPiece, cut: Cut): Promise<void> {
  const path = join(folder, pieceFile({ number, start }));
  for (const [suffix, part] of [[SUFFIX.changes, cut.text], [SUFFIX.pictures, cut.video]] as const) {
    const { size } = await Deno.stat(path + suffix);
    await Deno.truncate(path + suffix, Math.floor(size * part));
  }
}

/** What the piece that counts at a second tells, by the rule itself. */
function countingAt(pieces: readonly { number: number; start: number; piece: Piece | null }[], at: number) {
  const begun = pieces.filter(({ start }) => start <= at).sort((one, other) => other.number - one.number);
  const piece = begun[0]?.piece;
  return piece && at < piece.end ? piece : null;
}

Deno.test("the past is what the piece with the greatest number of those begun tells, at every second", () =>
  fc.assert(
    fc.asyncProperty(history, async (parts) => {
      await using dir = await tempDir("/dev/shm");
      const folder = pastFolder({ rewindDir: dir.path });
      await writePast(folder, parts.map(({ piece }) => piece), false);
      for (const { piece, cut } of parts) if (cut) await cutFiles(folder, piece, cut);
      const pieces = await Promise.all(parts.map(async ({ piece: { number, seconds: [start] } }) => {
        const path = join(folder, pieceFile({ number, start }));
        const text = await Deno.readTextFile(path + SUFFIX.changes);
        const read = parsePiece({ number, start }, text, (await Deno.stat(path + SUFFIX.pictures)).size);
        return { number, start, piece: read?.pictures[0]?.place ? read : null };
      }));
      const past = new Past(dir.path);
      const [from, to] = [BEGIN + 3, BEGIN + 200];
      const windows = await past.windows(ID);
      const timeline = await past.timeline(ID, windows, from, to);
      let kept = 0;
      for (let at = from; at < to; at++) {
        const expected = countingAt(pieces, at);
        const stretch = stretchAt(timeline, at);
        assert.equal(stretch?.piece.number ?? null, expected?.number ?? null, `piece at ${at - BEGIN}`);
        const gaps = timeline.gaps.filter(({ start, end }) => start <= at && at < end);
        assert.equal(gaps.length, expected ? 0 : 1, `gap at ${at - BEGIN}`);
        if (!stretch || !expected) continue;
        kept++;
        // a picture of a second that was kept, and no later one
        const shown = shownAt(stretch.piece, at)!;
        const { seconds } = parts.find(({ piece }) => piece.number === expected.number)!.piece;
        assert.ok(shown.at <= at && seconds.includes(shown.at));
        const last = expected.pictures.filter((one) => one.at <= at && one.place).at(-1);
        assert.equal(shown.at, last?.at);
      }
      const length = timeline.spans.reduce((sum, { start, end }) => sum + end - start, 0);
      assert.equal(length, kept, "spans do not overlap");
      for (const [number, span] of timeline.spans.entries()) {
        const next = timeline.spans[number + 1];
        assert.ok(!next || span.end <= next.start);
        if (next?.start === span.end) {
          const [one, other] = [span, next].map(({ stretches: [{ piece }] }) => piece.size);
          assert.notDeepEqual(one, other, "a span ends where something is different");
        }
        assert.ok(
          span.stretches.every(({ piece: { size } }) => size.width === span.stretches[0].piece.size.width),
        );
      }
    }),
    { numRuns: 150 },
  ));

Deno.test("a gap has the reason of the piece before it, unless that was written over", async () => {
  await using dir = await tempDir("/dev/shm");
  const folder = pastFolder({ rewindDir: dir.path });
  await writePast(folder, [
    { number: 1, seconds: [BEGIN], end: BEGIN + 10, reason: "visit" },
    { number: 2, seconds: [BEGIN + 20], end: BEGIN + 60, reason: "cover" },
    // the clock was set back
    { number: 3, seconds: [BEGIN + 30], end: BEGIN + 40 },
    { number: 4, seconds: [BEGIN + 50], end: BEGIN + 55, reason: "disk" },
  ], false);
  const past = new Past(dir.path);
  const { spans, gaps } = await past.timeline(ID, await past.windows(ID), BEGIN - 5, BEGIN + 70);
  const seen = [...spans, ...gaps].map(({ start, end, reason }) => [start - BEGIN, end - BEGIN, reason]);
  assert.deepEqual(seen, [
    [0, 10, "visit"],
    [20, 40, null],
    [50, 55, "disk"],
    [-5, 0, null],
    [10, 20, "visit"],
    [40, 50, null],
    [55, 70, "disk"],
  ]);
});

Deno.test("what is shown is so since its change, over the pieces that go on without one", async () => {
  await using dir = await tempDir("/dev/shm");
  const folder = pastFolder({ rewindDir: dir.path });
  const end = (second: number) => ({ end: BEGIN + second });
  await writePast(folder, [
    { number: 1, seconds: [BEGIN, BEGIN + 7], ...end(600) },
    { number: 2, seconds: [BEGIN + 600], ...end(1200) },
    { number: 3, seconds: [BEGIN + 1200, BEGIN + 1300], ...end(1800), reason: "visit" },
    { number: 4, seconds: [BEGIN + 1800], ...end(2400) },
  ], false);
  const past = new Past(dir.path);
  const windows = await past.windows(ID);
  const since = async (second: number) => {
    const timeline = await past.timeline(ID, windows, BEGIN + second, BEGIN + second + 1);
    return await past.since(ID, windows, stretchAt(timeline, BEGIN + second)!, BEGIN + second) - BEGIN;
  };
  assert.deepEqual(
    await Promise.all([3, 7, 650, 1299, 1300, 1790, 1900].map(since)),
    [0, 7, 7, 7, 1300, 1300, 1800],
  );
  assert.deepEqual(await past.nearest(ID, windows, BEGIN - 9, BEGIN + 5000), { before: null, after: BEGIN });
  assert.deepEqual(await past.nearest(ID, windows, BEGIN + 4000, BEGIN + 5000), {
    before: BEGIN + 2399,
    after: null,
  });
});
