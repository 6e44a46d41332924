/**
 * What it takes to keep what a page looked like: ten kinds of pages, seven ways, in virtual time (docs/decisions/rewind.md).
 * libx264 in a process that has the pictures stands beside key frames of the channel that are encoded anew.
 */
import { join } from "node:path";
import { type Bench, folderIn, progress, shortened } from "./bench.ts";
import { exactness } from "./rewind/exactness.ts";
import { camerasIn, type Kind, KINDS, pastOf } from "./rewind/pages.ts";
import { type Past, taken } from "./rewind/past.ts";
import { type Figures, figuresOf, type Summary, summaryTable } from "./rewind/summary.ts";
import { keepInAllWays, type Way, WAYS } from "./rewind/ways.ts";
import type { Row } from "./table.ts";

/** Two times the longest from key frame to key frame, in seconds. */
const LONG = shortened(1200);
/** The same, once, for pages with a picture each second. */
const SHORT = shortened(240);
const [OURS, BASELINE]: Way[] = ["f", "d"];
const EACH_SECOND: Kind[] = ["clock", "list", "login", "video", "flicker"];
const ROWS: Kind[] = ["still", "clock", "slides", "video"];

async function weigh(past: Past, folder: string): Promise<Record<Way, Figures>> {
  const kept = await keepInAllWays(past, taken(past), folder);
  const figures: [Way, Figures][] = [];
  for (const way of WAYS) {
    const { files, times } = kept[way];
    figures.push([way, figuresOf(kept[way], await exactness(past, files, times), past.seconds)]);
  }
  return Object.fromEntries(figures) as Record<Way, Figures>;
}

/** All of a kind of page, whose files go when it has been weighed. @param parent goes with the bench. */
async function weighKind(
  cameras: Parameters<typeof pastOf>[0],
  kind: Kind,
  parent: string,
): Promise<Record<Way, Figures>> {
  const folder = join(parent, kind);
  await Deno.mkdir(folder);
  const seconds = EACH_SECOND.includes(kind) ? SHORT : LONG;
  const past = await pastOf(cameras, kind, seconds, join(folder, "pictures"));
  progress(`${kind}: ${past.changes.length} pictures in ${seconds} s`);
  const figures = await weigh(past, folder);
  await Deno.remove(folder, { recursive: true });
  return figures;
}

const row = (name: string, unit: string, ours: number, baseline: number): Row => ({
  name: `rewind, ${name}`,
  ours,
  baseline,
  unit,
  better: "less",
  beside: "the channel's key frames, encoded anew each minute",
});

export const rewind: Bench = {
  name: "rewind",
  limitMs: 7_200_000,
  async run(scope) {
    const cameras = await camerasIn(scope);
    const folder = folderIn(scope);
    const summary: Summary = {};
    for (const kind of KINDS) {
      summary[kind] = await weighKind(cameras, kind, folder);
      progress(summaryTable({ [kind]: summary[kind] }).split("\n").at(-1)!);
    }
    console.log(`\n${summaryTable(summary)}\n`);
    return ROWS.flatMap((kind) => {
      const [ours, baseline] = [summary[kind]![OURS], summary[kind]![BASELINE]];
      return [
        row(`${kind} page, disk`, "MB a day", ours.megabytes, baseline.megabytes),
        row(`${kind} page, processor`, "% of a core", ours.cpu, baseline.cpu),
      ];
    });
  },
};
