import { strict as assert } from "node:assert";
import fc from "fast-check";
import { family, histogram } from "../../../../lib/machine/tools/exposition.ts";
import { finish } from "../../../../lib/machine/tools/turns.ts";
import { anyText } from "../../../support/any_text.ts";
import { readExposition } from "../../../support/exposition.ts";

Deno.test("exposition: a metric is its help, its type and its samples", () => {
  const samples = [{ labels: { stream: "clock", state: "running" }, value: 1 }, { value: 0.25 }];
  assert.equal(
    finish(family("a_b", "gauge", "What it is\\\n.", samples)),
    "# HELP a_b What it is\\\\\\n.\n# TYPE a_b gauge\n" +
      'a_b{stream="clock",state="running"} 1\na_b 0.25\n',
  );
  assert.equal(finish(family("a_b", "gauge", "Nothing.", [])), "", "a metric without samples is not named");
});

Deno.test("exposition: whatever a label says is read back as it was", () => {
  const text = fc.oneof(
    anyText(),
    fc.string({
      unit: fc.constantFrom("\\", '"', "\n", "n", "\r", "\t", "}", ",", "=", "é", "\u2028", "\ud800"),
    }),
  );
  fc.assert(fc.property(text, text, (one, other) => {
    const written = finish(family("a", "gauge", "A.", [{ labels: { one, other }, value: 1 }]));
    const [{ labels }] = readExposition(written).get("a")!.samples;
    assert.deepEqual(labels, { one: one.toWellFormed(), other: other.toWellFormed() });
  }));
});

Deno.test("exposition: any number is read back as it was", () => {
  fc.assert(fc.property(fc.double(), (value) => {
    const written = finish(family("a", "gauge", "A.", [{ value }]));
    assert.equal(readExposition(written).get("a")!.samples[0].value, value === 0 ? 0 : value);
  }));
});

Deno.test("exposition: a histogram has what is below each bound, all, and their sum", () => {
  const buckets = [{ bound: 0.001, count: 2 }, { bound: 1, count: 3 }];
  const text = histogram("lag_seconds", "How late.", { buckets, count: 5, sum: 7.5 });
  assert.equal(
    text,
    "# HELP lag_seconds How late.\n# TYPE lag_seconds histogram\n" +
      'lag_seconds_bucket{le="0.001"} 2\nlag_seconds_bucket{le="1"} 3\nlag_seconds_bucket{le="+Inf"} 5\n' +
      "lag_seconds_sum 7.5\nlag_seconds_count 5\n",
  );
  readExposition(text);
});

Deno.test("exposition: the reader that tests use refuses what Prometheus would", () => {
  const head = "# HELP a A.\n# TYPE a gauge\n";
  const wrong = {
    "no end of the last line": `${head}a 1`,
    "a quote": `${head}a{b="c"d"} 1\n`,
    "a line break": `${head}a{b="c\nd"} 1\n`,
    "an unknown escape": `${head}a{b="\\t"} 1\n`,
    "a sample twice": `${head}a{b="1"} 1\na{b="1"} 2\n`,
    "no value": `${head}a \n`,
    "no type": "# HELP a A.\na 1\n",
    "another metric": `${head}b 1\n`,
    "a metric in two parts": `${head}a 1\n# HELP b B.\n# TYPE b gauge\nb 1\n${head}`,
    "a counter by another name": "# HELP a A.\n# TYPE a counter\na 1\n",
    "a hyphen": "# HELP a-b A.\n# TYPE a-b gauge\na-b 1\n",
  };
  readExposition(`${head}a{b="c"} 1\n`);
  for (const [what, text] of Object.entries(wrong)) assert.throws(() => readExposition(text), what);
});
