/** Elements of Matroska. Pure. Source: RFC 8794 (EBML), RFC 9559 (Matroska). */

/** Elements by their ids, with the marker bits. */
export const ID = {
  ebml: [0x1a, 0x45, 0xdf, 0xa3],
  docType: [0x42, 0x82],
  docTypeVersion: [0x42, 0x87],
  docTypeReadVersion: [0x42, 0x85],
  segment: [0x18, 0x53, 0x80, 0x67],
  info: [0x15, 0x49, 0xa9, 0x66],
  timestampScale: [0x2a, 0xd7, 0xb1],
  muxingApp: [0x4d, 0x80],
  writingApp: [0x57, 0x41],
  tracks: [0x16, 0x54, 0xae, 0x6b],
  trackEntry: [0xae],
  trackNumber: [0xd7],
  trackUid: [0x73, 0xc5],
  trackType: [0x83],
  flagLacing: [0x9c],
  defaultDuration: [0x23, 0xe3, 0x83],
  codecId: [0x86],
  codecPrivate: [0x63, 0xa2],
  video: [0xe0],
  pixelWidth: [0xb0],
  pixelHeight: [0xba],
  fourCc: [0x2e, 0xb5, 0x24],
  cluster: [0x1f, 0x43, 0xb6, 0x75],
  timestamp: [0xe7],
  simpleBlock: [0xa3],
} as const satisfies Record<string, readonly number[]>;

/** Eight bytes: a live segment has no known end. */
export const UNKNOWN_SIZE = [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];

export type Bytes = readonly number[];

/** A size, always in eight bytes: so all heads have the same length. */
export function sizeOf(length: number): Bytes {
  return [0x01, ...bigEndian(length).slice(1)];
}

/** Eight bytes. */
export function bigEndian(value: number): number[] {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return [...bytes];
}

export function element(id: Bytes, data: Bytes): Bytes {
  return [...id, ...sizeOf(data.length), ...data];
}

/** In UTF-8. */
export const text = (value: string) => [...new TextEncoder().encode(value)];
