/**
 * A slate's segments: one second of MPEG-TS that was made once, with the timestamps and counters that it has in its place
 * of the channel. A segment follows from its number alone.
 */
import { SEQUENCE_EPOCH } from "../model/segments.ts";
import {
  forEachPacket,
  hasAdaptation,
  hasPayload,
  pesTimestampAt,
  pidOf,
  readTimestamp,
  TIMESTAMP_CLOCK,
  TIMESTAMP_PERIOD,
} from "./transport_packets.ts";

/**
 * Seconds that a slate's timestamps are behind the clock. An encoder's are at it, and its first segment is listed up to
 * two seconds after its begin: so they go on forward for players that know of no discontinuities.
 */
export const BEHIND_SECONDS = 3;

export class SlateSegments {
  #unit: Uint8Array<ArrayBuffer>;
  /** The timestamp that the unit begins with. */
  #begin: number;
  /** How many packets with a payload each stream has. */
  #counts = new Map<number, number>();

  /** @param unit one second, as ffmpeg wrote it. @throws {Error} when it is no MPEG-TS with a timestamp. */
  constructor(unit: Uint8Array<ArrayBuffer>) {
    this.#unit = unit;
    let begin = Infinity;
    forEachPacket(unit, (packet) => {
      if (hasPayload(packet)) this.#counts.set(pidOf(packet), (this.#counts.get(pidOf(packet)) ?? 0) + 1);
      const at = pesTimestampAt(packet);
      if (at !== null) begin = Math.min(begin, readTimestamp(packet, at));
    });
    if (begin === Infinity) throw new Error("the slate has no timestamp");
    this.#begin = begin;
  }

  /** The segment with this media sequence number. */
  segment(sequence: number): Uint8Array<ArrayBuffer> {
    const begin = (SEQUENCE_EPOCH / 1000 + sequence - BEHIND_SECONDS) * TIMESTAMP_CLOCK;
    const shift = ((begin - this.#begin) % TIMESTAMP_PERIOD + TIMESTAMP_PERIOD) % TIMESTAMP_PERIOD;
    const segment = this.#unit.slice();
    forEachPacket(segment, (packet) => {
      const counted = sequence * (this.#counts.get(pidOf(packet)) ?? 0);
      packet[3] = (packet[3] & 0xf0) | ((packet[3] & 0x0f) + counted % 16) % 16;
      shiftClock(packet, shift);
      const at = pesTimestampAt(packet);
      if (at === null) return;
      shiftTimestamp(packet, at, shift);
      // decoding time stands behind the presentation time where both are there
      if ((packet[at - 2] & 0xc0) === 0xc0) shiftTimestamp(packet, at + 5, shift);
    });
    return segment;
  }
}

function shiftTimestamp(packet: Uint8Array, at: number, shift: number): void {
  const time = (readTimestamp(packet, at) + shift) % TIMESTAMP_PERIOD;
  const high = Math.floor(time / 2 ** 30);
  const middle = Math.floor(time / 2 ** 15) % 2 ** 15;
  const low = time % 2 ** 15;
  packet[at] = packet[at] & 0xf0 | high << 1 | 1;
  packet[at + 1] = middle >> 7;
  packet[at + 2] = (middle << 1 & 0xff) | 1;
  packet[at + 3] = low >> 7;
  packet[at + 4] = (low << 1 & 0xff) | 1;
}

/** The program clock reference: 33 bits, then 6 that are reserved, then 9 of a faster clock. */
function shiftClock(packet: Uint8Array, shift: number): void {
  const hasClock = hasAdaptation(packet) && packet[4] >= 7 && (packet[5] & 0x10) !== 0;
  if (!hasClock) return;
  const view = new DataView(packet.buffer, packet.byteOffset, packet.length);
  const base = (view.getUint32(6) * 2 + (packet[10] >> 7) + shift) % TIMESTAMP_PERIOD;
  view.setUint32(6, Math.floor(base / 2));
  packet[10] = packet[10] & 0x7f | base % 2 << 7;
}
