import { strict as assert } from "node:assert";
import { type CostFields, estimateOf, forecastText } from "../../../lib/model/capacity.ts";

const USUAL: CostFields = { resolution: "1280x720", scale: "1280x720", fps: 25, preset: "superfast" };

Deno.test("what a stream will take is what running ones of its kind take on average", () => {
  const running = [
    { fields: USUAL, cost: { cpuPercent: 4, mebibytes: 200 } },
    { fields: USUAL, cost: { cpuPercent: 11, mebibytes: 301 } },
    { fields: USUAL, cost: { cpuPercent: null, mebibytes: 100 } }, // not measured yet
    { fields: { ...USUAL, fps: 10 }, cost: { cpuPercent: 90, mebibytes: 900 } },
  ];
  const estimate = estimateOf(USUAL, running);
  assert.deepEqual(estimate, { cpuPercent: 8, mebibytes: 251, measured: 2 });
  assert.equal(
    forecastText(estimate),
    "The stream will take about 8 % of a CPU core and 251 MiB (average of 2 similar streams).",
  );
  assert.match(
    forecastText(estimateOf({ ...USUAL, fps: 10 }, running)),
    /\(measured on a similar stream\)\.$/,
  );
});

Deno.test("without one of its kind it is a guess, which grows with the page's size and its pictures a second", () => {
  assert.deepEqual(estimateOf(USUAL, []), { cpuPercent: 10, mebibytes: 310, measured: 0 });
  assert.deepEqual(estimateOf({ ...USUAL, fps: 5 }, []), { cpuPercent: 4, mebibytes: 310, measured: 0 });
  const large = estimateOf({ ...USUAL, resolution: "3840x2160", fps: 60 }, []);
  assert.deepEqual(large, { cpuPercent: 175, mebibytes: 790, measured: 0 });
  assert.match(
    forecastText(large),
    /^The stream will take about 1\.8 CPU cores and 790 MiB \(usual for a dashboard;/,
  );
});
