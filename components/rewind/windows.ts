/** The part of the past that the bar shows. Pure. Moments are Unix times in s. */
import { SHEET_PICTURES } from "../../lib/model/past.ts";
import type { Range } from "./past.ts";

export const ZOOMS = {
  day: { word: "24 h", seconds: 86_400, scale: 60, ticks: [3600, 7200, 10_800, 21_600] },
  hour: { word: "1 h", seconds: 3600, scale: 3, ticks: [300, 600, 900, 1800] },
  minutes: { word: "5 min", seconds: 300, scale: 1, ticks: [30, 60, 120, 150] },
} as const;

export type Zoom = keyof typeof ZOOMS;
export const ZOOM_NAMES = Object.keys(ZOOMS) as Zoom[];

/** The window that shows a moment. @param at null: the newest. @param last the one before: it stays while it can. */
export function windowFor(zoom: Zoom, at: number | null, now: number, last?: Range): Range {
  const { seconds, scale } = ZOOMS[zoom];
  const newest = Math.ceil((now + 1) / scale) * scale;
  const isSame = last && last.end - last.start === seconds && at !== null && at >= last.start &&
    at < last.end;
  // a window that ended now goes on with the time
  if (isSame && newest - last.end > 5 * scale) return last;
  const end = at === null || isSame ? newest : Math.ceil((at + seconds / 2) / scale) * scale;
  const start = Math.min(end, newest) - seconds;
  return at !== null && at < start ? windowFor(zoom, at, now) : { start, end: start + seconds };
}

/** Where a moment is in a window, from 0 to 1. */
export function placeOf(at: number, { start, end }: Range): number {
  return (at - start) / (end - start);
}

/** Whole times of the viewer's zone, with little enough words for a width in rem. */
export function ticksOf(zoom: Zoom, { start, end }: Range, width: number): number[] {
  const most = Math.max(2, Math.floor(width / (zoom === "minutes" ? 6 : 4.5)));
  const step = ZOOMS[zoom].ticks.find((step) => (end - start) / step <= most) ?? ZOOMS[zoom].ticks.at(-1)!;
  const zone = -new Date(start * 1000).getTimezoneOffset() * 60;
  const first = Math.ceil((start + zone) / step) * step - zone;
  return Array.from({ length: Math.ceil((end - first) / step) }, (_, number) => first + number * step);
}

/** The sheet of small pictures for a window. */
export interface SheetPlan {
  start: number;
  step: number;
}

export function sheetFor({ start, end }: Range): SheetPlan {
  const step = Math.ceil((end - start) / SHEET_PICTURES);
  // moments of the same sheet stay the same while the window goes on
  return { start: Math.floor(start / step) * step, step };
}

/** The number of a moment's picture in a sheet: the last one by then. Null: it has none. */
export function pictureIn({ start, step }: SheetPlan, at: number): number | null {
  const number = Math.floor((at - start) / step);
  return number >= 0 && number < SHEET_PICTURES ? number : null;
}
