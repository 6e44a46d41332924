/** Messages of RTMP out of their chunks, and back. Source: Adobe's RTMP specification 1.0, section 5.3. Pure. */

export const MESSAGE = {
  chunkSize: 1,
  userControl: 4,
  audio: 8,
  video: 9,
  command: 20,
} as const;

export interface RtmpMessage {
  type: number;
  /** Milliseconds, modulo 2^32. */
  time: number;
  payload: Uint8Array;
}

/** The media server's own limit is 1 MiB for what it takes (templates/nginx.conf); a key frame of 4K has some 2 MiB. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
const MAX_CHUNK_BYTES = 1024 * 1024;
/** Of messages that come by turns: the media server has five. */
const MAX_CHUNK_STREAMS = 64;
/** The time of such a header is in four further bytes. */
const EXTENDED = 0xff_ffff;
/** Bytes of a message's header, by the first two bits of a chunk. */
const HEADER_BYTES = [11, 7, 3, 0];

/** What the chunks of one chunk stream have in common. */
interface ChunkStream {
  type: number;
  time: number;
  delta: number;
  isExtended: boolean;
  length: number;
  /** The message under way, and how much of it came. */
  payload: Uint8Array | null;
  filled: number;
}

export class ChunkReader {
  #chunkBytes = 128;
  #streams = new Map<number, ChunkStream>();
  #unread = new Uint8Array();

  /** The messages that are whole now. @throws {Error} when the bytes are no chunks. */
  push(bytes: Uint8Array): RtmpMessage[] {
    const all = new Uint8Array(this.#unread.length + bytes.length);
    all.set(this.#unread);
    all.set(bytes, this.#unread.length);
    const messages: RtmpMessage[] = [];
    let at = 0;
    for (;;) {
      const end = this.#chunk(all, at, messages);
      if (end === null) break;
      at = end;
    }
    this.#unread = all.slice(at);
    return messages;
  }

  /** Reads one chunk. @returns where it ends; null while it is not whole. */
  #chunk(all: Uint8Array, start: number, messages: RtmpMessage[]): number | null {
    if (start >= all.length) return null;
    const format = all[start] >> 6;
    const short = all[start] & 0x3f;
    const basic = short === 0 ? 2 : short === 1 ? 3 : 1;
    let at = start + basic;
    const headerAt = at;
    at += HEADER_BYTES[format];
    if (at > all.length) return null;
    const view = new DataView(all.buffer, all.byteOffset);
    const id = short === 0 ? 64 + all[start + 1] : short === 1 ? 64 + view.getUint16(start + 1, true) : short;
    const known = this.#streams.get(id);
    if (!known && format !== 0) throw new Error("a chunk of an unknown stream");
    const field = format < 3 ? view.getUint32(headerAt) >>> 8 : 0;
    const isExtended = format < 3 ? field === EXTENDED : known!.isExtended;
    if (isExtended && at + 4 > all.length) return null;
    const time = isExtended ? view.getUint32(at) : field;
    if (isExtended) at += 4;
    const length = format < 2 ? view.getUint32(headerAt + 2) & 0xff_ffff : known!.length;
    if (length > MAX_MESSAGE_BYTES) throw new Error("a message that is too long");
    const isNew = !known?.payload;
    if (!isNew && format !== 3) throw new Error("a message inside another");
    const count = Math.min(this.#chunkBytes, length - (isNew ? 0 : known!.filled));
    if (at + count > all.length) return null;

    const stream = known ?? this.#added(id);
    if (isNew) {
      if (format < 2) [stream.length, stream.type] = [length, all[headerAt + 6]];
      if (format < 3) [stream.delta, stream.isExtended] = [time, isExtended];
      stream.time = format === 0 ? time : (stream.time + stream.delta) >>> 0;
      // the next one in this form repeats a difference, and this is none
      if (format === 0) stream.delta = 0;
      [stream.payload, stream.filled] = [new Uint8Array(length), 0];
    }
    stream.payload!.set(all.subarray(at, at + count), stream.filled);
    stream.filled += count;
    if (stream.filled === stream.length) {
      const message = { type: stream.type, time: stream.time, payload: stream.payload! };
      stream.payload = null;
      if (message.type === MESSAGE.chunkSize) this.#setChunkSize(message.payload);
      messages.push(message);
    }
    return at + count;
  }

  #added(id: number): ChunkStream {
    if (this.#streams.size === MAX_CHUNK_STREAMS) throw new Error("too many chunk streams");
    const stream = { type: 0, time: 0, delta: 0, isExtended: false, length: 0, payload: null, filled: 0 };
    this.#streams.set(id, stream);
    return stream;
  }

  #setChunkSize(payload: Uint8Array): void {
    const size = payload.length === 4 ? new DataView(payload.buffer).getUint32(0) : 0;
    if (size < 1 || size > MAX_CHUNK_BYTES) throw new Error("an invalid chunk size");
    this.#chunkBytes = size;
  }
}

/** Chunks of at most 128 bytes, the size before another one is agreed on. @param chunkStream 2 to 63. */
export function messageChunks(
  chunkStream: number,
  type: number,
  messageStream: number,
  payload: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const SIZE = 128;
  const more = Math.max(0, Math.ceil(payload.length / SIZE) - 1);
  const bytes = new Uint8Array(12 + payload.length + more);
  const view = new DataView(bytes.buffer);
  bytes[0] = chunkStream;
  view.setUint16(4, payload.length >> 8); // behind three bytes of time
  bytes[6] = payload.length & 0xff;
  bytes[7] = type;
  view.setUint32(8, messageStream, true);
  for (let from = 0, at = 12; from < payload.length; from += SIZE) {
    if (from > 0) bytes[at++] = 0xc0 | chunkStream;
    const part = payload.subarray(from, from + SIZE);
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
