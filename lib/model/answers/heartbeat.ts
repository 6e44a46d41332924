/** A stream's last 24 hours at a glance, slot by slot. Pure, and light enough for browsers. */

/** Milliseconds of a slot, and how many there are. */
export const SLOT_MS = 15 * 60_000;
export const SLOTS = 96;

/** What a slot can be, the worst first: the worst that was seen in it counts. */
export const BEATS = ["failed", "degraded", "good", "stopped", "unknown"] as const;

export type Beat = typeof BEATS[number];

/** One letter a slot in an answer: "f", "d", "g", "s", and "-" for unknown. */
const LETTERS: Record<Beat, string> = { failed: "f", degraded: "d", good: "g", stopped: "s", unknown: "-" };

export function letterOf(beat: Beat): string {
  return LETTERS[beat];
}

/** The slots of an answer; what is no letter of ours is unknown. */
export function beatsOf({ slots }: { slots: string }): Beat[] {
  return Array.from(slots, (letter) => BEATS.find((beat) => LETTERS[beat] === letter) ?? "unknown");
}
