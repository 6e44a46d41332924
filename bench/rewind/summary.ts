/** Kinds of pages and ways to keep their past, as one table of Markdown. */
import { shown } from "../table.ts";
import type { Exactness } from "./exactness.ts";
import type { Kind } from "./pages.ts";
import { type Kept, type Way, WAYS } from "./ways.ts";

const DAY = 86_400; // seconds

/** What a way takes on a kind of page, on a day. */
export interface Figures {
  /** Millions of bytes a day. */
  megabytes: number;
  /** % of a core. */
  cpu: number;
  /** MiB more than without. */
  mib: number;
  exactness: Exactness;
}

export type Summary = Partial<Record<Kind, Record<Way, Figures>>>;

/** @param seconds that were kept. */
export function figuresOf({ bytes, cpu, mib }: Kept, exactness: Exactness, seconds: number): Figures {
  return { megabytes: bytes / 1e6 * DAY / seconds, cpu: cpu / seconds * 100, mib, exactness };
}

/** "MB a day / % of a core / MiB / exact of all". */
function cell({ megabytes, cpu, mib, exactness: { exact, of } }: Figures): string {
  return [shown(megabytes), cpu.toFixed(2), mib.toFixed(0), `${exact} of ${of}`].join(" / ");
}

/** Each cell has MB a day, % of a core, MiB more, and the changes that are shown exactly. */
export function summaryTable(summary: Summary): string {
  const rows = Object.entries(summary).map(([kind, ways]) => [kind, ...WAYS.map((way) => cell(ways[way]))]);
  return [["Page", ...WAYS], ["-", ...WAYS.map(() => "-")], ...rows]
    .map((row) => `| ${row.join(" | ")} |`).join("\n");
}
