/** The pictures in an MPEG transport stream (ISO 13818-1). Pure. */

/** Bytes. */
export const PACKET = 188;

const VIDEO = 0xe0;

/** Seconds: the time of each picture, in the order they are in (2.4.3.6). */
export function pictureTimes(bytes: Uint8Array): number[] {
  const times: number[] = [];
  for (let at = 0; at + PACKET <= bytes.length; at += PACKET) {
    const packet = bytes.subarray(at, at + PACKET);
    const isStart = (packet[1] & 0x40) !== 0;
    const hasAdaptation = (packet[3] & 0x20) !== 0;
    const pes = packet.subarray(hasAdaptation ? 5 + packet[4] : 4);
    const isVideo = pes[0] === 0 && pes[1] === 0 && pes[2] === 1 && pes[3] === VIDEO;
    if (!isStart || !isVideo || (pes[7] & 0x80) === 0) continue;
    const [a, b, c, d, e] = pes.subarray(9, 14);
    const ticks = (a >> 1 & 7) * 2 ** 30 + b * 2 ** 22 + (c >> 1) * 2 ** 15 + d * 2 ** 7 + (e >> 1);
    times.push(ticks / 90_000);
  }
  return times;
}
