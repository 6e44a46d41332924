/** What the service and its pages agree on about channels' past. Pure. */

/** Why nothing is kept. `stopped`: the channel was off the air. `away`: another node has it, which cannot be asked. */
export const REASONS = ["visit", "cover", "off", "disk", "stopped", "away"] as const;
export type Reason = typeof REASONS[number];

/** How many times as fast as it was a film may be. */
export const SPEEDS = [1, 10, 60] as const;
export type Speed = typeof SPEEDS[number];

/** Seconds of the longest list for players. */
export const MOST_LISTED = 7200;

/** A sheet of small pictures. */
export const SHEET = { columns: 12, rows: 12, width: 160, height: 90 } as const;
export const SHEET_PICTURES = SHEET.columns * SHEET.rows;

/** A Unix time in whole s in RFC 3339: "2026-11-29T03:12:07Z". */
export function timeText(time: number): string {
  return new Date(time * 1000).toISOString().replace(".000Z", "Z");
}

/** The stream's or the service's settings. `grab`: ffmpeg takes the pictures. */
export type WhyNothing = "stream" | "service" | "grab";

/** Why nothing new of a stream is kept; null: it is. */
export function whyNothing(
  { REWIND_GB, CAPTURE }: { REWIND_GB: number | ""; CAPTURE: string },
  { rewind }: { rewind?: unknown },
): WhyNothing | null {
  if (REWIND_GB === 0) return "service";
  if (CAPTURE === "x11grab") return "grab";
  return rewind === false ? "stream" : null;
}
