/**
 * One direction of a WebSocket as it passes by, let through up to a message that is too long: Deno gathers a viewer's
 * message of up to 64 MiB before the bridge sees any of it. Everything else is left to the two ends, which speak the
 * protocol. Keeps no data but one frame's header. Source: RFC 6455, section 5.2.
 */
import { closePayload, encodeFrame, OPCODE } from "./frames.ts";

/** Bytes of a viewer's message: noVNC sends 10 KiB at most. */
export const MAX_MESSAGE_BYTES = 256 * 1024;

const MAX_HEADER = 14;
const TOO_LONG = encodeFrame(
  OPCODE.close,
  closePayload({ code: 1009, reason: "A message that is too long." }),
  new Uint8Array(4),
);
const END_OF_HEAD = [13, 10, 13, 10];

export class PassingFrames {
  #maxMessage: number;
  /** How much of the end of HTTP's head was seen; all of it: frames follow. */
  #headEnd = 0;
  #header = new Uint8Array(MAX_HEADER);
  #headerLength = 0;
  /** Bytes of the current frame's payload still to come. */
  #left = 0;
  /** Bytes of the message that the frames so far make. */
  #message = 0;
  #isOver = false;
  #isClosing = false;
  #frames = 0;

  /** @param maxMessage bytes; Infinity: all passes, and is only looked at. */
  constructor(maxMessage: number) {
    this.#maxMessage = maxMessage;
  }

  /** Whether a message was too long. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Frames that began to pass by. */
  get frames(): number {
    return this.#frames;
  }

  /** Whether a close frame began to pass by. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** The bytes that may go on; after a message that is too long a close frame (1009), and nothing more. */
  pass(chunk: Uint8Array): Uint8Array {
    if (this.#isOver) return new Uint8Array();
    let at = 0;
    while (at < chunk.length && this.#headEnd < END_OF_HEAD.length) this.#readHead(chunk[at++]);
    const isLookedAt = this.#maxMessage === Infinity;
    const out = isLookedAt ? chunk : new Uint8Array(MAX_HEADER + chunk.length + TOO_LONG.length);
    if (!isLookedAt) out.set(chunk.subarray(0, at));
    let length = at;
    // a display's pictures are passed on as they are: a copy of them would cost more than all else here
    const add = (bytes: Uint8Array) => {
      if (!isLookedAt) out.set(bytes, length);
      length += bytes.length;
    };
    while (at < chunk.length) {
      if (this.#left > 0) {
        const payload = chunk.subarray(at, at + this.#left);
        add(payload);
        at += payload.length;
        this.#left -= payload.length;
        continue;
      }
      this.#header[this.#headerLength++] = chunk[at++];
      if (!this.#isHeaderWhole()) continue;
      this.#readHeader();
      if (this.#isOver) {
        add(TOO_LONG);
        break;
      }
      add(this.#header.subarray(0, this.#headerLength));
      this.#headerLength = 0;
    }
    return isLookedAt ? chunk : out.subarray(0, length);
  }

  #readHead(byte: number): void {
    this.#headEnd = byte === END_OF_HEAD[this.#headEnd] ? this.#headEnd + 1 : byte === END_OF_HEAD[0] ? 1 : 0;
  }

  #isHeaderWhole(): boolean {
    if (this.#headerLength < 2) return false;
    const short = this.#header[1] & 0x7f;
    const mask = this.#header[1] & 0x80 ? 4 : 0;
    return this.#headerLength === 2 + mask + (short === 126 ? 2 : short === 127 ? 8 : 0);
  }

  #readHeader(): void {
    this.#frames++;
    const [first, second] = this.#header;
    const view = new DataView(this.#header.buffer);
    const short = second & 0x7f;
    const length = short === 126 ? view.getUint16(2) : short === 127 ? Number(view.getBigUint64(2)) : short;
    const opcode = first & 0x0f;
    const isControl = opcode >= OPCODE.close; // these may come between the frames of a message
    if (!isControl) this.#message = opcode === OPCODE.continuation ? this.#message + length : length;
    this.#isClosing ||= opcode === OPCODE.close;
    this.#left = length;
    this.#isOver = length > this.#maxMessage || this.#message > this.#maxMessage;
  }
}
