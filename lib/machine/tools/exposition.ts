/**
 * Prometheus' text format, version 0.0.4. Source: https://prometheus.io/docs/instrumenting/exposition_formats/
 * Pure.
 */
import type { Steps } from "./turns.ts";

export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export interface Sample {
  labels?: Readonly<Record<string, string>>;
  value: number;
}

/** The data of a histogram: the number of values up to each bound, of all values, and their sum. */
export interface Distribution {
  /** Ascending; each count includes the counts of the lower bounds. */
  buckets: readonly { bound: number; count: number }[];
  count: number;
  sum: number;
}

type Labels = NonNullable<Sample["labels"]>;

/** One metric with its samples; "" without samples. Each step is a line. @param more labels of each sample. */
export function* family(
  name: string,
  type: "counter" | "gauge",
  help: string,
  samples: Iterable<Sample>,
  more: Labels = {},
): Steps<string> {
  let text = "";
  for (const { labels, value } of samples) {
    text += sampleLine(name, { ...labels, ...more }, value);
    yield;
  }
  return text && head(name, type, help) + text;
}

/** One histogram. @param labels of each of its lines. */
export function histogram(
  name: string,
  help: string,
  { buckets, count, sum }: Distribution,
  labels: Labels = {},
): string {
  const bounds = [...buckets, { bound: Infinity, count }];
  return [
    head(name, "histogram", help),
    ...bounds.map((one) => sampleLine(`${name}_bucket`, { le: valueText(one.bound), ...labels }, one.count)),
    sampleLine(`${name}_sum`, labels, sum),
    sampleLine(`${name}_count`, labels, count),
  ].join("");
}

function head(name: string, type: string, help: string): string {
  return `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${name} ${type}\n`;
}

function sampleLine(name: string, labels: Sample["labels"], value: number): string {
  const pairs = Object.entries(labels ?? {}).map(([label, text]) => `${label}="${labelText(text)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${valueText(value)}\n`;
}

/** A label's value is any UTF-8, which half a character is not. */
function labelText(text: string): string {
  return text.toWellFormed().replace(/[\\"\n]/g, (one) => one === "\n" ? "\\n" : `\\${one}`);
}

/** The number as Go's ParseFloat reads it. */
function valueText(value: number): string {
  if (value === Infinity) return "+Inf";
  return value === -Infinity ? "-Inf" : String(value);
}
