/**
 * The least of Matroska that carries raw pictures with exact times: a header, then a cluster for each picture. Pure.
 */
import { bigEndian, element, ID, sizeOf, text, UNKNOWN_SIZE } from "./ebml.ts";
import type { Size } from "./picture.ts";

const MILLISECOND = 1_000_000; // nanoseconds

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
