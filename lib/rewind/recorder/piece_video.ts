/** The pictures of a piece as Matroska: a header, and one cluster from the key frame on, in whole seconds. Pure. */
import { bigEndian, type Bytes, element, ID, text, UNKNOWN_SIZE } from "../../display/capture/ebml.ts";
import type { Size } from "../../display/capture/picture.ts";
import { LENGTH_BYTES, type ParameterSets } from "./x264.ts";

const PROGRAM = "Browser Stream Service";

const SECOND = 1_000_000_000; // nanoseconds

/** The file's beginning. @param start Unix time in s of the first picture. */
export function pieceHeader(
  { width, height }: Size,
  sets: ParameterSets,
  start: number,
): Uint8Array<ArrayBuffer> {
  const VIDEO = 1;
  const video = [
    ...element(ID.pixelWidth, bigEndian(width)),
    ...element(ID.pixelHeight, bigEndian(height)),
  ];
  const track = [
    ...element(ID.trackNumber, [1]),
    ...element(ID.trackUid, [1]),
    ...element(ID.trackType, [VIDEO]),
    ...element(ID.flagLacing, [0]),
    ...element(ID.codecId, text("V_MPEG4/ISO/AVC")),
    ...element(ID.codecPrivate, decoderSettings(sets)),
    ...element(ID.video, video),
  ];
  const ebml = [
    ...element(ID.docType, text("matroska")),
    ...element(ID.docTypeVersion, [4]),
    ...element(ID.docTypeReadVersion, [2]),
  ];
  const info = [
    ...element(ID.timestampScale, bigEndian(SECOND)),
    ...element(ID.muxingApp, text(PROGRAM)),
    ...element(ID.writingApp, text(PROGRAM)),
  ];
  return Uint8Array.from([
    ...element(ID.ebml, ebml),
    ...ID.segment,
    ...UNKNOWN_SIZE,
    ...element(ID.info, info),
    ...element(ID.tracks, element(ID.trackEntry, track)),
    ...clusterHead(start),
  ]);
}

/** What stands in front of blocks. @param start Unix time in s that they count from. */
export function clusterHead(start: number): Bytes {
  return [...ID.cluster, ...UNKNOWN_SIZE, ...element(ID.timestamp, bigEndian(start))];
}

/** Bytes of every `clusterHead`. */
export const CLUSTER_HEAD_BYTES = clusterHead(0).length;

/** The bytes before a picture. @param second since the piece's start, at most 32767. */
export function blockHead(second: number, bytes: number, isKey: boolean): Uint8Array<ArrayBuffer> {
  const block = [0x81, second >> 8, second & 0xff, isKey ? 0x80 : 0];
  const size = block.length + bytes;
  // four bytes tell as much as a picture can have
  const told = [0x10 | size >>> 24, size >>> 16 & 0xff, size >>> 8 & 0xff, size & 0xff];
  return Uint8Array.from([...ID.simpleBlock, ...told, ...block]);
}

/** Bytes of every `blockHead`. */
export const BLOCK_HEAD_BYTES = blockHead(0, 0, true).length;

/** AVCDecoderConfigurationRecord, of a profile with 4:2:0 and 8 bits. Source: ISO/IEC 14496-15, 5.3.3.1. */
function decoderSettings({ sequence, picture }: ParameterSets): Bytes {
  const [, profile, compatibility, level] = sequence;
  const chroma420 = 0xfd;
  const eightBits = 0xf8;
  return [
    ...[1, profile, compatibility, level, 0xfc | LENGTH_BYTES - 1],
    ...[0xe1, sequence.length >> 8, sequence.length & 0xff, ...sequence],
    ...[1, picture.length >> 8, picture.length & 0xff, ...picture],
    ...[chroma420, eightBits, eightBits, 0],
  ];
}
