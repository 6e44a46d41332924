/** A stream's last 24 hours at a glance, slot by slot. Pure, and light enough for browsers. */

/** The milliseconds of a slot, and the number of slots. */
export const SLOT_MS = 15 * 60_000;
export const SLOTS = 96;

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
