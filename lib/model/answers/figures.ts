/** A stream's use of the machine, and its viewers, as the API shows them. */
import type { Cost, StreamFigures } from "./shapes.ts";

/** Players ask for a playlist every 4 s at the latest; a player that missed two requests is gone. */
export const VIEWER_SECONDS = 10;

/** "2 fps, 34 % of a core, 410 MiB"; empty while nothing is measured. */
export function figuresText({ fps, ...cost }: Pick<StreamFigures, "fps"> & Cost): string {
  return [...(fps === null ? [] : [`${fps} fps`]), ...costParts(cost)].join(", ");
}

function costParts({ cpuPercent, mebibytes }: Cost): string[] {
  return [
    ...(cpuPercent === null ? [] : [`${cpuPercent} % of a core`]),
    ...(mebibytes === null ? [] : [`${mebibytes} MiB`]),
  ];
}

/** "1 viewer", "12 viewers" */
export function viewersText(viewers: number): string {
  return viewers === 1 ? "1 viewer" : `${viewers} viewers`;
}

/** "Pushed with 1.5 Mbit/s", or the problem; empty while there is no push. */
export function pushText(push: StreamFigures["push"]): string {
  if (!push) return "";
  const { state, kbps, problem } = push;
  if (state === "sending") {
    return `Pushed with ${kbps < 1000 ? `${kbps} kbit/s` : `${(kbps / 1000).toFixed(1)} Mbit/s`}`;
  }
  return problem ? `Push failed: ${problem}` : "Push: connecting";
}
