/**
 * A strict reader of Prometheus' text format 0.0.4: it takes no text that Prometheus would refuse, or that breaks the
 * conventions which `promtool check metrics` looks at.
 * Source: https://prometheus.io/docs/instrumenting/exposition_formats/ and https://prometheus.io/docs/practices/naming/
 */
import { strict as assert } from "node:assert";

export interface ReadSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface ReadFamily {
  type: string;
  help: string;
  samples: ReadSample[];
}

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^\\\\"\\n]|\\\\[\\\\"n])*"';
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (\\S+)$`);
const VALUE = /^(?:[+-]?Inf|NaN|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;

/** @throws {AssertionError} saying which line is wrong. */
export function readExposition(text: string): Map<string, ReadFamily> {
  assert.ok(text === "" || text.endsWith("\n"), "the last line ends");
  const families = new Map<string, ReadFamily>();
  const state: {
    current: [name: string, family: ReadFamily] | null;
    help: [name: string, text: string] | null;
  } = {
    current: null,
    help: null,
  };
  for (const line of text.split("\n").slice(0, -1)) {
    const [, keyword, name, rest] = new RegExp(`^# (HELP|TYPE) (${NAME}) (.*)$`).exec(line) ?? [];
    const { current, help } = state;
    if (keyword === "HELP") {
      assert.ok(help === null && !families.has(name), `once, before all else of its metric: ${line}`);
      state.help = [name, rest];
    } else if (keyword === "TYPE") {
      assert.ok(help !== null && help[0] === name, `after its HELP: ${line}`);
      assert.match(rest, /^(?:counter|gauge|histogram)$/, line);
      const family: ReadFamily = { type: rest, help: help[1], samples: [] };
      Object.assign(state, { current: [name, family], help: null });
      families.set(name, family);
    } else {
      const sample = readSample(line);
      assert.ok(current !== null && help === null, `after its TYPE: ${line}`);
      const [of, family] = current;
      const suffixes = family.type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
      assert.ok(suffixes.some((suffix) => sample.name === of + suffix), `of another metric: ${line}`);
      family.samples.push(sample);
    }
  }
  assert.equal(state.help, null, "a HELP without its TYPE");
  for (const [name, family] of families) checkFamily(name, family);
  return families;
}

function readSample(line: string): ReadSample {
  const [, name, pairs = "", value] = SAMPLE.exec(line) ?? [];
  assert.ok(name !== undefined, `no sample: ${line}`);
  assert.match(value, VALUE, line);
  const found = [...pairs.matchAll(new RegExp(LABEL, "g"))].map(([pair]) => {
    const at = pair.indexOf("=");
    const unescaped = pair.slice(at + 2, -1).replace(/\\(.)/g, (_, one) => one === "n" ? "\n" : one);
    return [pair.slice(0, at), unescaped] as const;
  });
  const labels = Object.fromEntries(found);
  assert.equal(Object.keys(labels).length, found.length, `a label twice: ${line}`);
  assert.ok(!("__name__" in labels) && !Object.keys(labels).some((label) => label.startsWith("__")), line);
  return { name, labels, value: Number(value.replace("Inf", "Infinity")) };
}

function checkFamily(name: string, { type, help, samples }: ReadFamily): void {
  assert.notEqual(help, "", `${name} has a help text`);
  assert.doesNotMatch(
    name,
    /[A-Z:]|_(?:counter|gauge|histogram|ms|kb|mb|percent)(?:_|$)/,
    "as names should be",
  );
  assert.equal(name.endsWith("_total"), type === "counter", `${name} is a ${type}`);
  const keys = samples.map((sample) => JSON.stringify([sample.name, Object.entries(sample.labels).sort()]));
  assert.equal(new Set(keys).size, keys.length, `${name}: a sample twice`);
  const names = samples.filter((sample) => !sample.name.endsWith("_bucket") || type !== "histogram")
    .map(({ labels }) => Object.keys(labels).sort().join());
  assert.ok(new Set(names).size <= 1, `${name}: the same labels everywhere`);
  if (type === "counter") assert.ok(samples.every(({ value }) => value >= 0), `${name} is not below 0`);
  if (type !== "histogram") return;
  const value = (end: string) => samples.filter((sample) => sample.name === `${name}_${end}`);
  const buckets = value("bucket");
  const bounds = buckets.map(({ labels }) => Number(labels.le.replace("Inf", "Infinity")));
  assert.deepEqual(bounds, [...bounds].sort((a, b) => a - b), `${name}: bounds rise`);
  assert.equal(bounds.at(-1), Infinity);
  const counts = buckets.map((sample) => sample.value);
  assert.deepEqual(counts, [...counts].sort((a, b) => a - b), `${name}: buckets have all below them`);
  assert.deepEqual([value("sum").length, value("count")[0]?.value], [1, counts.at(-1)]);
}

/** The value of the one sample of a metric with these labels; undefined if there is none. */
export function valueOf(
  families: ReadonlyMap<string, ReadFamily>,
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  const isWanted = (sample: ReadSample) =>
    Object.entries(labels).every(([label, text]) => sample.labels[label] === text);
  const found = families.get(name)?.samples.filter(isWanted) ?? [];
  assert.ok(found.length <= 1, `${name} has ${found.length} such samples`);
  return found[0]?.value;
}
