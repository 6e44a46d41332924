/** The packets of an MPEG transport stream. ISO/IEC 13818-1: 2.4.3.2 (packets), 2.4.3.6 (PES). Pure. */
export const PACKET_BYTES = 188;
const SYNC = 0x47;

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
