/** The packets of an MPEG transport stream. ISO/IEC 13818-1: 2.4.3.2 (packets), 2.4.3.6 (PES). Pure. */
export const PACKET_BYTES = 188;
const SYNC = 0x47;

/** Of a timestamp: 33 bits at 90 kHz. */
export const TIMESTAMP_PERIOD = 2 ** 33;
export const TIMESTAMP_CLOCK = 90_000;

/** The first four bits of a video's stream id. ISO/IEC 13818-1, 2.4.3.7. */
const VIDEO = 0xe0;

/** @throws {Error} when it is not made of whole packets. */
export function forEachPacket(bytes: Uint8Array, visit: (packet: Uint8Array) => void): void {
  if (bytes.length === 0 || bytes.length % PACKET_BYTES !== 0) throw new Error("this is no MPEG-TS");
  for (let at = 0; at < bytes.length; at += PACKET_BYTES) {
    const packet = bytes.subarray(at, at + PACKET_BYTES);
    if (packet[0] !== SYNC) throw new Error("this is no MPEG-TS");
    visit(packet);
  }
}

export const pidOf = (packet: Uint8Array) => (packet[1] & 0x1f) << 8 | packet[2];
export const hasPayload = (packet: Uint8Array) => (packet[3] & 0x10) !== 0;
export const hasAdaptation = (packet: Uint8Array) => (packet[3] & 0x20) !== 0;

/** Where a packet has the header of a PES that begins in it; null if none does. */
export function pesHeaderAt(packet: Uint8Array): number | null {
  const isBegin = (packet[1] & 0x40) !== 0;
  if (!isBegin || !hasPayload(packet)) return null;
  const at = hasAdaptation(packet) ? 5 + packet[4] : 4;
  return packet[at] === 0 && packet[at + 1] === 0 && packet[at + 2] === 1 ? at : null;
}

/** Whether the PES whose header is at this place of a packet is a video's: one of its pictures. */
export const isVideoPes = (packet: Uint8Array, at: number) => (packet[at + 3] & 0xf0) === VIDEO;

/** Where a packet's PES header has its presentation time; null if the packet begins no PES, or that has none. */
export function pesTimestampAt(packet: Uint8Array): number | null {
  const at = pesHeaderAt(packet);
  return at !== null && at + 19 <= PACKET_BYTES && (packet[at + 7] & 0x80) !== 0 ? at + 9 : null;
}

/** 33 bits among markers: 3, 15 and 15. */
export function readTimestamp(packet: Uint8Array, at: number): number {
  const high = packet[at] >> 1 & 0x07;
  const middle = (packet[at + 1] << 8 | packet[at + 2]) >> 1;
  const low = (packet[at + 3] << 8 | packet[at + 4]) >> 1;
  // beyond the 32 bits of shifts
  return high * 2 ** 30 + middle * 2 ** 15 + low;
}
