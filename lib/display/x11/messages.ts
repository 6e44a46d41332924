/**
 * The messages between an X client and its server, as bytes; pure. All numbers are little-endian, as our greeting says.
 * Source: X Window System Protocol, version 11, release 7.7, sections 1 and 8, and appendix B.
 */

/** A request's length is counted in words, in 16 bits. */
export const MAX_REQUEST_BYTES = 4 * 0xffff;

const COOKIE = "MIT-MAGIC-COOKIE-1";

/** Bytes of each message of the server after its greeting, at least. */
export const MESSAGE_BYTES = 32;

/** Bytes of the server's greeting that say how long the rest is. */
export const GREETING_HEAD = 8;

/** The number of bytes, rounded up to whole words. */
export function padded(bytes: number): number {
  return (bytes + 3) & ~3;
}

/** Two numbers of 16 bits as a number of 32. */
export function pair(low: number, high: number): number {
  return (low & 0xffff) | (high & 0xffff) << 16;
}

/** A request: its opcode, the byte beside it, then numbers of 32 bits, then bytes. @throws {RangeError} if too long. */
export function request(
  opcode: number,
  detail: number,
  numbers: readonly number[],
  bytes: Uint8Array = new Uint8Array(),
): Uint8Array<ArrayBuffer> {
  const length = 4 + numbers.length * 4 + padded(bytes.length);
  if (length > MAX_REQUEST_BYTES) throw new RangeError(`a request of ${length} bytes is too long`);
  const message = new Uint8Array(length);
  const view = new DataView(message.buffer);
  view.setUint8(0, opcode);
  view.setUint8(1, detail);
  view.setUint16(2, length / 4, true);
  numbers.forEach((number, at) => view.setUint32(4 + at * 4, number, true));
  message.set(bytes, 4 + numbers.length * 4);
  return message;
}

/** The first message of a client. */
export function greeting(cookie: Uint8Array): Uint8Array<ArrayBuffer> {
  const name = new TextEncoder().encode(COOKIE);
  const HEAD = 12;
  const message = new Uint8Array(HEAD + padded(name.length) + padded(cookie.length));
  const view = new DataView(message.buffer);
  view.setUint8(0, "l".charCodeAt(0)); // little-endian
  view.setUint16(2, 11, true);
  view.setUint16(6, name.length, true);
  view.setUint16(8, cookie.length, true);
  message.set(name, HEAD);
  message.set(cookie, HEAD + padded(name.length));
  return message;
}

/** The first screen of a server. */
export interface Screen {
  /** The first of the ids that the client may give. */
  firstId: number;
  root: number;
  /** Pixels. */
  width: number;
  height: number;
  /** Bits of a pixel that count. */
  depth: number;
  /** Whether a pixel is four bytes: blue, green, red, and an unused byte. */
  isBgrx: boolean;
}

/** The number of bytes after the head of the server's greeting. @throws {Error} when the server refuses us. */
export function greetingLength(head: DataView): number {
  const ACCEPTED = 1;
  if (head.getUint8(0) !== ACCEPTED) throw new Error("the display refused us");
  return head.getUint16(6, true) * 4;
}

/** The first screen of the server's greeting, without its head. @throws {Error} when there is no screen. */
export function parseGreeting(view: DataView): Screen {
  try {
    const vendorBytes = view.getUint16(16, true);
    const formats = view.getUint8(21);
    const formatsAt = 32 + padded(vendorBytes);
    const screen = formatsAt + formats * 8;
    const depth = view.getUint8(screen + 38);
    const isLeastFirst = view.getUint8(22) === 0;
    return {
      firstId: view.getUint32(4, true),
      root: view.getUint32(screen, true),
      width: view.getUint16(screen + 20, true),
      height: view.getUint16(screen + 22, true),
      depth,
      isBgrx: isLeastFirst && bitsOfPixel(view, formatsAt, formats, depth) === 32 &&
        hasMasks(view, screen, [0xff0000, 0x00ff00, 0x0000ff]),
    };
  } catch (error) {
    if (error instanceof RangeError) throw new Error("the display has no screen");
    throw error;
  }
}

/** The bits of a pixel of a depth in a picture; 0: the server has no such pictures. */
function bitsOfPixel(view: DataView, formatsAt: number, formats: number, depth: number): number {
  for (let at = formatsAt; at < formatsAt + formats * 8; at += 8) {
    if (view.getUint8(at) === depth) return view.getUint8(at + 1);
  }
  return 0;
}

/** Whether the root's visual has these masks for red, green and blue. */
function hasMasks(view: DataView, screen: number, masks: readonly number[]): boolean {
  const rootVisual = view.getUint32(screen + 32, true);
  let at = screen + 40;
  for (let depths = view.getUint8(screen + 39); depths > 0; depths--) {
    const visuals = view.getUint16(at + 2, true);
    at += 8;
    for (let visual = 0; visual < visuals; visual++, at += 24) {
      if (view.getUint32(at, true) !== rootVisual) continue;
      return masks.every((mask, colour) => view.getUint32(at + 8 + colour * 4, true) === mask);
    }
  }
  return false;
}

/** Kinds of messages of a server, by their first byte. All others are events. */
export const ERROR = 0;
export const REPLY = 1;
const KEYMAP_NOTIFY = 11;
const GENERIC_EVENT = 35;

/** A message of the server, by its first 32 bytes. */
export interface MessageHead {
  /** The code, without the bit that marks an event of another client. */
  code: number;
  /** The number of its request, as 16 bits; null: the event KeymapNotify, which has no number. */
  sequence: number | null;
  /** Bytes after the first 32. */
  more: number;
}

export function messageHead(view: DataView): MessageHead {
  const code = view.getUint8(0) & 0x7f;
  const isLong = code === REPLY || code === GENERIC_EVENT;
  return {
    code,
    sequence: code === KEYMAP_NOTIFY ? null : view.getUint16(2, true),
    more: isLong ? view.getUint32(4, true) * 4 : 0,
  };
}

/** The text of an error, for a log. */
export function errorOf(view: DataView): Error {
  const [kind, minor, major] = [view.getUint8(1), view.getUint16(8, true), view.getUint8(10)];
  return new Error(`the display refused request ${major}.${minor}: error ${kind}`);
}
