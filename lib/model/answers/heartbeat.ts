/** A stream's last 24 hours at a glance, slot by slot. Pure, and light enough for browsers. */

/** Milliseconds of a slot, and how many there are. */
export const SLOT_MS = 15 * 60_000;
export const SLOTS = 96;

/** What a slot can be, the worst first: the worst that was seen in it counts. */
export const BEATS = ["failed", "degraded", "good", "stopped", "unknown"] as const;

export type Beat = typeof BEATS[number];

/** One letter a slot in an answer: "f", "d", "g", "s", and "-" for unknown. */
const LETTERS: Record<Beat, string> = { failed: "f", degraded: "d", good: "g", stopped: "s", unknown: "-" };

/** Slots in a row that were bad for one reason. */
export interface Fault {
  /** The first and the last slot, counted from the oldest. */
  from: number;
  to: number;
  beat: "degraded" | "failed";
  /** How long it was bad in these slots, together. */
  seconds: number;
  reason: string;
}

export interface Heartbeat {
  /** A letter for each slot, the oldest first. */
  slots: string;
  /** How much of the time that it was to run it was good, 0 to 100; null when it was not to run. */
  goodPercent: number | null;
  faults: Fault[];
}

/** The heartbeats of all streams, by id. */
export interface Heartbeats {
  /** Unix ms of the oldest slot's begin. */
  from: number;
  slotMs: number;
  streams: Record<string, Heartbeat>;
}

export function letterOf(beat: Beat): string {
  return LETTERS[beat];
}

/** The slots of an answer; what is no letter of ours is unknown. */
export function beatsOf({ slots }: Heartbeat): Beat[] {
  return Array.from(slots, (letter) => BEATS.find((beat) => LETTERS[beat] === letter) ?? "unknown");
}
