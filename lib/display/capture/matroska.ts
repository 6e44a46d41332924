/**
 * The least of Matroska that carries raw pictures with exact times: a header, then a cluster for each picture. Pure.
 * Source: RFC 9559 (Matroska), RFC 8794 (EBML).
 */
import type { Size } from "./picture.ts";

/** Elements by their ids, with the marker bits. */
const ID = {
  ebml: [0x1a, 0x45, 0xdf, 0xa3],
  docType: [0x42, 0x82],
  segment: [0x18, 0x53, 0x80, 0x67],
  info: [0x15, 0x49, 0xa9, 0x66],
  timestampScale: [0x2a, 0xd7, 0xb1],
  tracks: [0x16, 0x54, 0xae, 0x6b],
  trackEntry: [0xae],
  trackNumber: [0xd7],
  trackUid: [0x73, 0xc5],
  trackType: [0x83],
  flagLacing: [0x9c],
  defaultDuration: [0x23, 0xe3, 0x83],
  codecId: [0x86],
  video: [0xe0],
  pixelWidth: [0xb0],
  pixelHeight: [0xba],
  fourCc: [0x2e, 0xb5, 0x24],
  cluster: [0x1f, 0x43, 0xb6, 0x75],
  timestamp: [0xe7],
  simpleBlock: [0xa3],
} as const satisfies Record<string, readonly number[]>;

/** Eight bytes: a live segment has no known end. */
const UNKNOWN_SIZE = [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];

const MILLISECOND = 1_000_000; // nanoseconds

type Bytes = readonly number[];

/** A size, always in eight bytes: so all heads have the same length. */
function sizeOf(length: number): Bytes {
  return [0x01, ...bigEndian(length).slice(1)];
}

function bigEndian(value: number): number[] {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return [...bytes];
}

function element(id: Bytes, data: Bytes): Bytes {
  return [...id, ...sizeOf(data.length), ...data];
}

const text = (value: string) => [...new TextEncoder().encode(value)];

/** The header: a track of raw pictures, in planes of YUV 4:2:0. @param fps pictures a second at most. */
export function matroskaHeader({ width, height }: Size, fps: number): Uint8Array<ArrayBuffer> {
  const VIDEO = 1;
  const video = [
    ...element(ID.pixelWidth, bigEndian(width)),
    ...element(ID.pixelHeight, bigEndian(height)),
    ...element(ID.fourCc, text("I420")),
  ];
  const track = [
    ...element(ID.trackNumber, [1]),
    ...element(ID.trackUid, [1]),
    ...element(ID.trackType, [VIDEO]),
    ...element(ID.flagLacing, [0]),
    ...element(ID.defaultDuration, bigEndian(Math.round(1e9 / fps))),
    ...element(ID.codecId, text("V_UNCOMPRESSED")),
    ...element(ID.video, video),
  ];
  return Uint8Array.from([
    ...element(ID.ebml, element(ID.docType, text("matroska"))),
    ...ID.segment,
    ...UNKNOWN_SIZE,
    ...element(ID.info, element(ID.timestampScale, bigEndian(MILLISECOND))),
    ...element(ID.tracks, element(ID.trackEntry, track)),
  ]);
}

/** The bytes before a picture of so many bytes. @param atMs the picture's time, in whole milliseconds. */
export function pictureHead(atMs: number, pictureBytes: number): Uint8Array<ArrayBuffer> {
  const KEY_FRAME = 0x80;
  const block = [0x81, 0, 0, KEY_FRAME]; // track 1, at the cluster's time
  const timestamp = element(ID.timestamp, bigEndian(atMs));
  const blockHead = [...ID.simpleBlock, ...sizeOf(block.length + pictureBytes), ...block];
  const inside = timestamp.length + blockHead.length + pictureBytes;
  return Uint8Array.from([...ID.cluster, ...sizeOf(inside), ...timestamp, ...blockHead]);
}

/** Bytes of every `pictureHead`. */
export const PICTURE_HEAD_BYTES = pictureHead(0, 0).length;
