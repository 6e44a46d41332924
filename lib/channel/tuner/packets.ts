/** The packets by which HDHomeRun clients look for tuners, UDP port 65001 (libhdhomerun, hdhomerun_pkt.h). Pure. */
import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";
import type { TunerDevice } from "./device.ts";

export const DISCOVERY_PORT = 65001;

const REQUEST = 2;
const REPLY = 3;
const TAG = { type: 0x01, id: 0x02, tuners: 0x10, lineup: 0x27, base: 0x2a, types: 0x2d };
const TUNER = 1;
const ANY = 0xffffffff;
/** Two bytes of type and two of length in front; four of checksum behind. */
const AROUND = 8;

/** Whether a datagram asks for this device: for all tuners, or for its ID. Anything else is no such request. */
export function isAskedFor(datagram: Uint8Array, id: string): boolean {
  const packet = Buffer.from(datagram);
  if (packet.length < AROUND || packet.readUInt16BE(0) !== REQUEST) return false;
  if (packet.readUInt16BE(2) !== packet.length - AROUND) return false;
  const end = packet.length - 4;
  if (packet.readUInt32LE(end) !== crc32(packet.subarray(0, end))) return false;
  let [isType, isId] = [true, true];
  for (let at = 4; at < end;) {
    const tag = packet[at++];
    let size = packet[at++];
    // a length of 128 and more has a second byte
    if (size & 0x80) size = (size & 0x7f) | packet[at++] << 7;
    if (at + size > end) return false;
    const value = packet.subarray(at, at += size);
    if (tag === TAG.type && size === 4) isType = [TUNER, ANY].includes(value.readUInt32BE());
    if (tag === TAG.id && size === 4) isId = [parseInt(id, 16), ANY].includes(value.readUInt32BE());
    if (tag === TAG.types) isType = false;
    for (let type = 0; tag === TAG.types && type + 4 <= size; type += 4) {
      isType ||= [TUNER, ANY].includes(value.readUInt32BE(type));
    }
  }
  return isType && isId;
}

/** The answer to such a request. @param base address of the tuner's files. */
export function discoveryReply({ id, tuners }: Pick<TunerDevice, "id" | "tuners">, base: string): Buffer {
  const number = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };
  const payload = Buffer.concat([
    field(TAG.type, number(TUNER)),
    field(TAG.id, number(parseInt(id, 16))),
    field(TAG.tuners, Buffer.of(tuners)),
    field(TAG.base, Buffer.from(base)),
    field(TAG.lineup, Buffer.from(`${base}/lineup.json`)),
  ]);
  const head = Buffer.alloc(4);
  head.writeUInt16BE(REPLY, 0);
  head.writeUInt16BE(payload.length, 2);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32(Buffer.concat([head, payload])));
  return Buffer.concat([head, payload, checksum]);
}

function field(tag: number, value: Buffer): Buffer {
  const size = value.length < 128 ? [value.length] : [0x80 | value.length & 0x7f, value.length >> 7];
  return Buffer.concat([Buffer.of(tag, ...size), value]);
}
