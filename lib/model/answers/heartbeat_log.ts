/** The states of one stream within a span, in seconds for each slot. Pure. */
import { type Beat, BEATS, DAY, letterOf, type Span } from "./heartbeat.ts";
import type { StreamState } from "./status.ts";
import type { Heartbeat, SlotFault as Fault } from "./shapes.ts";

/** Characters of a reason. */
const MAX_REASON = 200;

/** A starting stream is neither good nor bad; a stream that waits for a viewer or its time is off, as intended. */
const SEEN: Record<StreamState, Seen | null> = {
  running: "good",
  degraded: "degraded",
  failed: "failed",
  stopped: "stopped",
  waiting: "stopped",
  planned: "stopped",
  starting: null,
};

type Seen = Exclude<Beat, "unknown">;

interface Slot {
  /** Seconds. */
  good: number;
  degraded: number;
  failed: number;
  stopped: number;
  /** The first reason of the worst state. */
  reason: string;
}

/** A slot in the file: its number since 1970, the seconds, the reason. */
export type StoredSlot = [number, good: number, degraded: number, failed: number, stopped: number, string];

export class HeartbeatLog {
  #span: Span;
  #slots = new Map<number, Slot>();

  constructor(span = DAY) {
    this.#span = span;
  }

  /** Notes a state, and the seconds for which it counts. @param now Unix ms. */
  add(state: StreamState, reason: string, seconds: number, now: number): void {
    const seen = SEEN[state];
    if (seen === null || seconds <= 0) return;
    const number = this.#numberAt(now);
    const slot = this.#slots.get(number) ?? { good: 0, degraded: 0, failed: 0, stopped: 0, reason: "" };
    const isWorst = BEATS.indexOf(seen) < BEATS.indexOf(beatOf(slot));
    if (isWorst) slot.reason = seen === "degraded" || seen === "failed" ? reason.slice(0, MAX_REASON) : "";
    slot[seen] += seconds;
    this.#slots.set(number, slot);
    // a clock that was set back leaves slots of the future behind
    for (const old of this.#slots.keys()) {
      if (old <= number - this.#span.slots || old > number) this.#slots.delete(old);
    }
  }

  /** The span up to now. @param now Unix ms. */
  read(now: number): Heartbeat {
    // a board may ask for a thousand streams at once
    const { slots } = this.#span;
    if (this.#slots.size === 0) {
      return { slots: letterOf("unknown").repeat(slots), goodPercent: null, faults: [] };
    }
    const first = this.#numberAt(now) - slots + 1;
    const faults: Fault[] = [];
    let letters = "", good = 0, wanted = 0;
    for (let at = 0; at < slots; at++) {
      const slot = this.#slots.get(first + at);
      const beat = beatOf(slot);
      letters += letterOf(beat);
      if (!slot) continue;
      good += slot.good;
      wanted += slot.good + slot.degraded + slot.failed;
      if (beat !== "degraded" && beat !== "failed") continue;
      const seconds = Math.round(slot.degraded + slot.failed);
      const last = faults.at(-1);
      if (last?.to === at - 1 && last.beat === beat && isAlike(last.reason, slot.reason)) {
        Object.assign(last, { to: at, seconds: last.seconds + seconds });
      } else faults.push({ from: at, to: at, beat, seconds, reason: slot.reason });
    }
    return { slots: letters, goodPercent: wanted === 0 ? null : percent(good, wanted), faults };
  }

  /** The slots for the file. */
  stored(): StoredSlot[] {
    return [...this.#slots].map(([number, { good, degraded, failed, stopped, reason }]) => [
      number,
      ...([good, degraded, failed, stopped].map(Math.round) as [number, number, number, number]),
      reason,
    ]);
  }

  /** The log of stored slots; entries that are no slot are left out. */
  static of(stored: unknown, span = DAY): HeartbeatLog {
    const log = new HeartbeatLog(span);
    for (const entry of Array.isArray(stored) ? stored.slice(-span.slots) : []) {
      if (!Array.isArray(entry)) continue;
      const [number, good, degraded, failed, stopped, reason] = entry;
      const isWhole = [number, good, degraded, failed, stopped].every((one) =>
        Number.isFinite(one) && one >= 0
      );
      if (!isWhole || typeof reason !== "string") continue;
      log.#slots.set(number, { good, degraded, failed, stopped, reason: reason.slice(0, MAX_REASON) });
    }
    return log;
  }

  #numberAt(now: number): number {
    return Math.floor(now / this.#span.slotMs);
  }
}

function beatOf(slot: Slot | undefined): Beat {
  if (!slot) return "unknown";
  return slot.failed > 0
    ? "failed"
    : slot.degraded > 0
    ? "degraded"
    : slot.good > 0
    ? "good"
    : slot.stopped > 0
    ? "stopped"
    : "unknown";
}

/** Per cent, rounded; only the whole is 100 %. */
function percent(part: number, whole: number): number {
  return part === whole ? 100 : Math.min(99, Math.round(100 * part / whole));
}

/** Whether two reasons differ in their numbers alone: "no new picture for 8 s", "… for 21 s". */
function isAlike(one: string, other: string): boolean {
  return one.replace(/\d+/g, "") === other.replace(/\d+/g, "");
}
