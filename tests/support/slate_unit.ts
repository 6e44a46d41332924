/** A second of MPEG-TS that is as small as can be: a table and one PES of a picture, with clock, presentation and decoding time. */
import { PACKET } from "./transport_checker.ts";

export const PICTURE_PID = 256;

/** @param time of the picture, 33 bits of 90 kHz; the clock's is the same. */
export function slateUnit(time = 126_000): Uint8Array<ArrayBuffer> {
  const unit = new Uint8Array(2 * PACKET).fill(0xff);
  // the table, whose payload nobody reads here
  unit.set([0x47, 0x40, 0x00, 0x10, 0x00]);
  const picture = unit.subarray(PACKET);
  picture.set([0x47, 0x40 | PICTURE_PID >> 8, PICTURE_PID & 0xff, 0x3e]);
  // an adaptation field with a clock, then the PES with both times
  picture.set([7, 0x10, ...clock(time)], 4);
  picture.set([0, 0, 1, 0xe0, 0, 0, 0x80, 0xc0, 10, ...timestamp(3, time), ...timestamp(1, time)], 12);
  return unit;
}

const clock = (time: number) =>
  [Math.floor(time / 2 ** 25), time >>> 17, time >>> 9, time >>> 1, (time & 1) << 7 | 0x7e, 0]
    .map((byte) => byte & 0xff);

const timestamp = (mark: number, time: number) =>
  [
    mark << 4 | Math.floor(time / 2 ** 30) << 1 | 1,
    time >>> 22,
    time >>> 14 | 1,
    time >>> 7,
    time << 1 | 1,
  ].map((byte) => byte & 0xff);

/** The three times of a packet that begins with a clock and a PES, in ticks of 90 kHz. */
export function timesOf(packet: Uint8Array): { clock: number; presented: number; decoded: number } {
  const bits = (from: number, count: number) => {
    let value = 0;
    for (let at = from; at < from + count; at++) value = value * 2 + (packet[at >> 3] >> (7 - at % 8) & 1);
    return value;
  };
  const stamp = (byte: number) =>
    bits(byte * 8 + 4, 3) * 2 ** 30 + bits(byte * 8 + 8, 15) * 2 ** 15 + bits(byte * 8 + 24, 15);
  return { clock: bits(6 * 8, 33), presented: stamp(12 + 9), decoded: stamp(12 + 14) };
}
