/** How a stream was at a glance, slot by slot. Pure, and light enough for browsers. */

/** The milliseconds of a slot of the last 24 hours, and the number of its slots. */
export const SLOT_MS = 15 * 60_000;
export const SLOTS = 96;

/** A time up to now, in slots. */
export interface Span {
  slotMs: number;
  slots: number;
}

/** The last 24 hours, in slots of 15 minutes. */
export const DAY: Span = { slotMs: SLOT_MS, slots: SLOTS };
/** The last 30 days, in slots of 8 hours. */
export const MONTH: Span = { slotMs: 8 * 3_600_000, slots: 90 };

/** The states of a slot, the worst first: the worst state that was seen in the slot counts. */
export const BEATS = ["failed", "degraded", "good", "stopped", "unknown"] as const;

export type Beat = typeof BEATS[number];

/** One letter a slot in an answer: "f", "d", "g", "s", and "-" for unknown. */
const LETTERS: Record<Beat, string> = { failed: "f", degraded: "d", good: "g", stopped: "s", unknown: "-" };

export function letterOf(beat: Beat): string {
  return LETTERS[beat];
}

/** The slots of an answer; any other letter means "unknown". */
export function beatsOf({ slots }: { slots: string }): Beat[] {
  return Array.from(slots, (letter) => BEATS.find((beat) => LETTERS[beat] === letter) ?? "unknown");
}
