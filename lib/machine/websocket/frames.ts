/** WebSocket frames: a client's are masked, a server's are not. Source: RFC 6455, section 5. */

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

const MAX_CONTROL = 125;
/** Two bytes, eight of a long length, and four of a mask. */
const MAX_HEADER = 14;
/** The most frames of one message: empty frames without end would cost the reader as much as full ones. */
const MAX_FRAMES = 64;

/** Why and how a connection ended; 1005: no code was given, 1006: no close frame came. */
export interface Close {
  code: number;
  reason: string;
}

/** The frames that a parser accepts. */
export interface FrameRules {
  /** Whether the peer is a client, whose frames are masked. */
  isMasked: boolean;
  /** What messages are of; the other kind is refused. */
  opcode: typeof OPCODE.text | typeof OPCODE.binary;
  /** Bytes of a message. */
  mostBytes: number;
}

/** What arrived. `data` is a piece of a message, passed on before the rest of its frame is there; `isLast`: the message ends with it. */
export type Arrival =
  | { kind: "data"; bytes: Uint8Array; isLast: boolean }
  | { kind: "ping"; bytes: Uint8Array }
  | { kind: "pong" }
  | { kind: "close"; close: Close };

/** The peer broke the protocol; `code` is what to close with. */
export class FrameError extends Error {
  override name = "FrameError";
  constructor(readonly code: number, message: string) {
    super(message);
  }
}

/** Whether a close frame may carry this code. Source: RFC 6455, section 7.4. */
export function isSendable(code: number): boolean {
  return (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) ||
    (code >= 3000 && code < 5000);
}

function parseClose(payload: Uint8Array): Close {
  if (payload.length === 0) return { code: 1005, reason: "" };
  const code = payload[0] << 8 | payload[1];
  if (payload.length === 1 || !isSendable(code)) {
    throw new FrameError(1002, "a close frame with a wrong code");
  }
  try {
    return { code, reason: new TextDecoder("utf-8", { fatal: true }).decode(payload.subarray(2)) };
  } catch {
    throw new FrameError(1007, "a close reason that is not UTF-8");
  }
}

/** Reads a peer's frames out of a byte stream, however it is cut. Keeps no data: it passes each part on. */
export class FrameParser {
  #rules: FrameRules;
  #mask = new Uint8Array(4);
  /** Bytes of the current frame's payload that were unmasked. */
  #came = 0;
  /** Frames of the current message, and the bytes that they announced. */
  #frames = 0;
  #message = 0;
  #header = new Uint8Array(MAX_HEADER);
  #headerLength = 0;
  #opcode = 0;
  #isFinal = false;
  /** Bytes of the current frame's payload still to come; null between frames. */
  #left: number | null = null;
  #isInMessage = false;
  #control = new Uint8Array(MAX_CONTROL);
  #controlLength = 0;

  constructor(rules: FrameRules) {
    this.#rules = rules;
  }

  /** Takes the next bytes, and unmasks them in place; the `data` in the result are views of them. @throws {FrameError} */
  push(chunk: Uint8Array): Arrival[] {
    const arrivals: Arrival[] = [];
    for (let at = 0; at < chunk.length || this.#left === 0;) {
      if (this.#left === null) {
        this.#header[this.#headerLength++] = chunk[at++];
        this.#readHeader();
        continue;
      }
      const bytes = chunk.subarray(at, at + this.#left);
      at += bytes.length;
      this.#left -= bytes.length;
      this.#unmask(bytes);
      const isControl = this.#opcode >= OPCODE.close;
      if (isControl) {
        this.#control.set(bytes, this.#controlLength);
        this.#controlLength += bytes.length;
      } else {
        arrivals.push({ kind: "data", bytes, isLast: this.#left === 0 && this.#isFinal });
      }
      if (this.#left > 0) break;
      this.#left = null;
      if (isControl) arrivals.push(this.#endControl());
      else this.#isInMessage = !this.#isFinal;
    }
    return arrivals;
  }

  /** Sets `#left` as soon as the header is whole. */
  #readHeader(): void {
    const [first, second] = this.#header;
    if (this.#headerLength < 2) return;
    if (this.#headerLength === 2) this.#checkStart(first, second);
    const short = second & 0x7f;
    const size = short === 126 ? 4 : short === 127 ? 10 : 2;
    const whole = size + (this.#rules.isMasked ? this.#mask.length : 0);
    if (this.#headerLength < whole) return;
    const view = new DataView(this.#header.buffer);
    const long = size === 4 ? view.getUint16(2) : Number(view.getBigUint64(2));
    const length = size === 2 ? short : long;
    if (!this.#isInMessage) this.#message = 0;
    if (this.#message + length > this.#rules.mostBytes) {
      throw new FrameError(1009, "a message that is too long");
    }
    if (length < (size === 4 ? 126 : size === 10 ? 65536 : 0)) {
      throw new FrameError(1002, "a length that is not in its shortest form");
    }
    this.#opcode = first & 0x0f;
    if (this.#opcode < OPCODE.close) this.#message += length;
    this.#isFinal = first >= 0x80;
    this.#left = length;
    this.#mask.set(this.#header.subarray(size, whole));
    this.#came = 0;
    this.#headerLength = 0;
    this.#controlLength = 0;
  }

  #unmask(bytes: Uint8Array): void {
    if (!this.#rules.isMasked) return;
    for (let at = 0; at < bytes.length; at++) bytes[at] ^= this.#mask[this.#came++ & 3];
  }

  #checkStart(first: number, second: number): void {
    const opcode = first & 0x0f;
    if (first & 0x70) throw new FrameError(1002, "a reserved bit is set");
    if (second >= 0x80 !== this.#rules.isMasked) {
      throw new FrameError(1002, "a mask where none may be, or none");
    }
    switch (opcode) {
      case OPCODE.continuation:
        if (!this.#isInMessage) throw new FrameError(1002, "a continuation of nothing");
        if (++this.#frames > MAX_FRAMES) throw new FrameError(1009, "a message in too many frames");
        break;
      case OPCODE.text:
      case OPCODE.binary:
        if (opcode !== this.#rules.opcode) {
          throw new FrameError(1003, "the other kind of message is spoken here");
        }
        if (this.#isInMessage) throw new FrameError(1002, "a message inside another");
        this.#frames = 1;
        break;
      case OPCODE.close:
      case OPCODE.ping:
      case OPCODE.pong:
        if (first < 0x80) throw new FrameError(1002, "a control frame in pieces");
        if ((second & 0x7f) > MAX_CONTROL) throw new FrameError(1002, "a control frame that is too long");
        break;
      default:
        throw new FrameError(1002, "an unknown opcode");
    }
  }

  #endControl(): Arrival {
    const payload = this.#control.slice(0, this.#controlLength);
    if (this.#opcode === OPCODE.close) return { kind: "close", close: parseClose(payload) };
    return this.#opcode === OPCODE.ping ? { kind: "ping", bytes: payload } : { kind: "pong" };
  }
}

/** One whole frame. @param mask a client's, four random bytes; null: it is a server's. */
export function encodeFrame(
  opcode: number,
  payload: Uint8Array,
  mask: Uint8Array | null,
): Uint8Array<ArrayBuffer> {
  const { length } = payload;
  const extra = length < 126 ? 0 : length < 65536 ? 2 : 8;
  const start = 2 + extra + (mask?.length ?? 0);
  const frame = new Uint8Array(start + length);
  const view = new DataView(frame.buffer);
  frame[0] = 0x80 | opcode;
  frame[1] = (mask ? 0x80 : 0) | (extra === 0 ? length : extra === 2 ? 126 : 127);
  if (extra === 2) view.setUint16(2, length);
  if (extra === 8) view.setBigUint64(2, BigInt(length));
  frame.set(payload, start);
  if (!mask) return frame;
  frame.set(mask, 2 + extra);
  for (let at = 0; at < length; at++) frame[start + at] ^= mask[at & 3];
  return frame;
}

/** The payload of a close frame; a code that must not be sent is left out, a long reason is cut. */
export function closePayload({ code, reason }: Close): Uint8Array {
  if (!isSendable(code)) return new Uint8Array();
  const text = new TextEncoder().encode(shortReason(reason));
  const payload = new Uint8Array(2 + text.length);
  new DataView(payload.buffer).setUint16(0, code);
  payload.set(text, 2);
  return payload;
}

/** A reason of at most 123 bytes, cut between characters. */
export function shortReason(reason: string): string {
  const bytes = new Uint8Array(MAX_CONTROL - 2);
  return reason.slice(0, new TextEncoder().encodeInto(reason, bytes).read);
}
