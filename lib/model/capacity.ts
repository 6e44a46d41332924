/** A stream's cost for the machine, as estimated before the stream runs. Pure, and light enough for browsers. */
import type { StreamFields } from "./schema.ts";
import type { Cost } from "./answers/shapes.ts";

/** The settings that decide a stream's cost, beside its page. */
export type CostFields = Pick<StreamFields, "resolution" | "scale" | "fps" | "preset">;

/** A running stream with its cost. */
export interface Sample {
  fields: CostFields;
  cost: Cost;
}

export interface Estimate {
  /** Per cent of one core. */
  cpuPercent: number;
  mebibytes: number;
  /** The number of running streams of the same kind behind the estimate; 0: a guess by the settings. */
  measured: number;
}

/**
 * The cost of a dashboard that changes now and then, at 1280x720 and 25 pictures a second; a still page takes a third,
 * a moving page four times as much (docs/performance.md). The cost that does not grow with the pictures is apart.
 */
const GUESS = { cpuPercent: 2, cpuPercentOfPictures: 8, mebibytes: 250, mebibytesOfPicture: 60 };
const USUAL_PIXELS = 1280 * 720;
const USUAL_FPS = 25;

const isSameKind = (one: CostFields, other: CostFields) =>
  one.resolution === other.resolution && one.scale === other.scale && one.fps === other.fps &&
  one.preset === other.preset;

/** The expected cost of a stream with these settings: the average of running streams of the kind, else a guess. */
export function estimateOf(fields: CostFields, running: readonly Sample[]): Estimate {
  const same = running.filter((one) => isSameKind(one.fields, fields)).flatMap(({ cost }) =>
    cost.cpuPercent === null || cost.mebibytes === null
      ? []
      : [{ cpuPercent: cost.cpuPercent, mebibytes: cost.mebibytes }]
  );
  if (same.length === 0) return guessOf(fields);
  const average = (of: (cost: (typeof same)[number]) => number) =>
    Math.round(same.reduce((sum, cost) => sum + of(cost), 0) / same.length);
  return {
    cpuPercent: average((cost) => cost.cpuPercent),
    mebibytes: average((cost) => cost.mebibytes),
    measured: same.length,
  };
}

function guessOf({ resolution, fps }: CostFields): Estimate {
  const [width, height] = resolution.split("x").map(Number);
  const pictures = width * height / USUAL_PIXELS;
  return {
    cpuPercent: Math.round(GUESS.cpuPercent + GUESS.cpuPercentOfPictures * pictures * fps / USUAL_FPS),
    mebibytes: Math.round(GUESS.mebibytes + GUESS.mebibytesOfPicture * pictures),
    measured: 0,
  };
}

/** "about 12 % of a CPU core and 310 MiB" */
export function estimateText({ cpuPercent, mebibytes }: Estimate): string {
  const cpu = cpuPercent < 100
    ? `${cpuPercent} % of a CPU core`
    : `${(cpuPercent / 100).toFixed(1)} CPU cores`;
  return `about ${cpu} and ${mebibytes} MiB`;
}

/** The text for the form: the expected cost, and its source. */
export function forecastText(estimate: Estimate): string {
  const { measured } = estimate;
  const source = measured === 0
    ? "usual for a dashboard; a moving page takes four times the CPU"
    : measured === 1
    ? "measured on a similar stream"
    : `average of ${measured} similar streams`;
  return `The stream will take ${estimateText(estimate)} (${source}).`;
}
