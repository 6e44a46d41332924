/** The table at the end of `deno task bench`, in Markdown, so that it can be put into docs/performance.md as it is. */

export interface Row {
  name: string;
  ours: number;
  /** Measured in the same minutes. */
  baseline: number;
  /** What the baseline is. */
  beside: string;
  unit: string;
  better: "more" | "less";
}

const HEADINGS = ["Measured", "Ours", "Baseline", "Unit", "Ratio", "Better", "The baseline is"];
/** All numbers, which stand on the right. */
const RIGHT = [1, 2, 4];

/** Ours as a multiple of the baseline; NaN where that alone is 0. */
export function ratio({ ours, baseline }: Pick<Row, "ours" | "baseline">): number {
  if (ours === baseline) return 1;
  return baseline === 0 ? NaN : ours / baseline;
}

/** Three digits that count, at most two of them behind the point; "?" for what could not be measured. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return "?";
  const digits = value === 0 ? 0 : 2 - Math.floor(Math.log10(Math.abs(value)));
  return value.toFixed(Math.min(Math.max(digits, 0), 2));
}

/** The rows as a table of Markdown whose columns stand below each other. */
export function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.name,
    shown(row.ours),
    shown(row.baseline),
    row.unit,
    ratio(row).toFixed(2).replace("NaN", "?"),
    row.better,
    row.beside,
  ]);
  const widths = HEADINGS.map((heading, at) =>
    Math.max(heading.length, ...cells.map((row) => row[at].length))
  );
  const line = (row: readonly string[]) =>
    `| ${
      row.map((cell, at) => RIGHT.includes(at) ? cell.padStart(widths[at]) : cell.padEnd(widths[at])).join(
        " | ",
      )
    } |`;
  const rule = widths.map((width, at) =>
    RIGHT.includes(at) ? `${"-".repeat(width - 1)}:` : "-".repeat(width)
  );
  return [line(HEADINGS), line(rule), ...cells.map(line)].join("\n");
}
