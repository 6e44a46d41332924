/** The words of a card's heartbeat bar. Pure. */
import { type Beat, beatsOf } from "../../../lib/model/answers/heartbeat.ts";
import { duration } from "../boardState.ts";
import type { Heartbeat, Heartbeats, SlotFault as Fault } from "../../../lib/model/answers/shapes.ts";

const WORDS: Record<Beat, string> = {
  good: "good",
  degraded: "degraded",
  failed: "failed",
  stopped: "stopped",
  unknown: "no data",
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** "Last 24 hours: 97 % good, 2 faults", or "Last 30 days: …" */
export function heartbeatLabel({ slotMs }: Span, { slots, goodPercent, faults }: Heartbeat): string {
  const days = slots.length * slotMs / DAY_MS;
  const span = days > 1 ? `${days} days` : "24 hours";
  if (goodPercent === null) {
    return `Last ${span}: ${slots.includes("s") ? "stopped" : "no data yet"}`;
  }
  const count = faults.length === 0
    ? "no fault"
    : faults.length === 1
    ? "1 fault"
    : `${faults.length} faults`;
  return `Last ${span}: ${goodPercent} % good, ${count}`;
}

type Span = Pick<Heartbeats, "from" | "slotMs">;

/** "14:00–14:15", or "Mon 3 Nov 16:00–Tue 4 Nov 00:00", in the viewer's zone unless another is given. */
function spanText({ from, slotMs }: Span, first: number, last: number, timeZone?: string): string {
  const day = { weekday: "short", day: "numeric", month: "short" } as const;
  const time = { hour: "2-digit", minute: "2-digit" } as const;
  const format = new Intl.DateTimeFormat("en-GB", {
    ...(slotMs < HOUR_MS ? time : { ...day, ...time }),
    timeZone,
  });
  return `${format.format(from + first * slotMs)}–${format.format(from + (last + 1) * slotMs)}`;
}

/** "14:00–14:15: degraded for 2 min. No new picture" */
export function faultText(span: Span, { from, to, beat, seconds, reason }: Fault, timeZone?: string): string {
  const sentence = reason && ` ${reason[0].toUpperCase()}${reason.slice(1)}`;
  return `${spanText(span, from, to, timeZone)}: ${beat} for ${duration(seconds)}.${sentence}`;
}

/** The words of a slot: its fault or its state. @param at the slot's number, counted from the oldest. */
export function slotText(span: Span, heartbeat: Heartbeat, at: number, timeZone?: string): string {
  const fault = heartbeat.faults.find(({ from, to }) => from <= at && at <= to);
  if (fault) return faultText(span, fault, timeZone);
  return `${spanText(span, at, at, timeZone)}: ${WORDS[beatsOf(heartbeat)[at] ?? "unknown"]}`;
}

/** Runs of slots with the same beat, for drawing. */
export function runsOf(heartbeat: Heartbeat): { beat: Beat; from: number; length: number }[] {
  const runs: { beat: Beat; from: number; length: number }[] = [];
  beatsOf(heartbeat).forEach((beat, at) => {
    const last = runs.at(-1);
    if (last?.beat === beat) last.length++;
    else runs.push({ beat, from: at, length: 1 });
  });
  return runs;
}
