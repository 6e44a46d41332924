/**
 * A connection to an X display, for the few requests that a cover needs. What the server says is not trusted: a page that
 * broke out of its browser could have taken its place. Source: X Window System Protocol, version 11, release 7.7.
 */
import { openRegular, readRange } from "../system/regular_file.ts";
import { withTimeout } from "../system/time.ts";
import { writeAll } from "../system/write_all.ts";

/** Milliseconds until the server must have answered. */
const ANSWER_MS = 2000;

/** Bytes of one answer at most; those we ask for have some hundreds. */
const MAX_ANSWER = 64 * 1024;

/** A request's length is counted in words, in 16 bits. */
export const MAX_REQUEST = 4 * 0xffff;

const COOKIE = "MIT-MAGIC-COOKIE-1";

interface Call {
  resolve: (answer: DataView) => void;
  reject: (error: Error) => void;
}

/** Two numbers of 16 bits as one of 32. */
export function pair(low: number, high: number): number {
  return (low & 0xffff) | (high & 0xffff) << 16;
}

/** A request: its opcode, the byte beside it, then numbers of 32 bits, then bytes. */
export function request(
  opcode: number,
  detail: number,
  numbers: readonly number[],
  bytes: Uint8Array = new Uint8Array(),
): Uint8Array<ArrayBuffer> {
  const words = 1 + numbers.length + Math.ceil(bytes.length / 4);
  const message = new Uint8Array(words * 4);
  const view = new DataView(message.buffer);
  view.setUint8(0, opcode);
  view.setUint8(1, detail);
  view.setUint16(2, words, true);
  numbers.forEach((number, at) => view.setUint32(4 + at * 4, number, true));
  message.set(bytes, 4 + numbers.length * 4);
  return message;
}

/** The cookie in the one entry of our Xauthority files (lib/pipeline/xauth.ts). @throws {Error} when there is none. */
export async function readCookie(xauthority: string): Promise<Uint8Array> {
  const COOKIE_BYTES = 16;
  const MAX_FILE = 1024;
  using file = await openRegular(xauthority);
  const bytes = file ? await readRange(file, 0, MAX_FILE) : new Uint8Array();
  if (bytes.length <= COOKIE_BYTES) throw new Error("there is no key to the display");
  return bytes.subarray(-COOKIE_BYTES);
}

export class XConnection implements Disposable {
  /** The root window, and its size in pixels. */
  root = 0;
  width = 0;
  height = 0;
  /** Bits of a pixel that count. */
  depth = 0;
  /** Gets every event: its number, and its 32 bytes. */
  onevent: (code: number, event: DataView) => void = () => {};
  /** Resolves when the connection has ended, whoever ended it. */
  ended: Promise<void> = Promise.resolve();
  isOpen = true;
  #socket: Deno.UnixConn;
  #buffer = new Uint8Array(4096);
  #length = 0;
  #firstId = 0;
  #ids = 0;
  #sequence = 0;
  #calls = new Map<number, Call>();
  #error: Error | null = null;
  #written: Promise<void> = Promise.resolve();

  private constructor(socket: Deno.UnixConn) {
    this.#socket = socket;
  }

  /** Connects to a display's socket. @throws {Error} when it refuses, or does not answer within 2 s. */
  static async open(path: string, cookie: Uint8Array): Promise<XConnection> {
    const socket = await withTimeout(ANSWER_MS, Deno.connect({ transport: "unix", path }), "no display");
    const connection = new XConnection(socket);
    try {
      await withTimeout(ANSWER_MS, connection.#greet(cookie), "the display does not answer");
    } catch (error) {
      connection[Symbol.dispose]();
      throw error;
    }
    connection.ended = connection.#read();
    return connection;
  }

  /** A new id for a window, pixmap or the like. */
  newId(): number {
    return this.#firstId + ++this.#ids;
  }

  /** Sends requests without an answer, in their order. An error comes out at the next `answer`. */
  send(...requests: Uint8Array[]): void {
    for (const one of requests) this.#write(one);
  }

  /**
   * Sends a request and gives its answer.
   * @throws {Error} when the server refuses it or one that was sent before, or does not answer within 2 s.
   */
  async answer(message: Uint8Array): Promise<DataView> {
    const answered = Promise.withResolvers<DataView>();
    const sequence = this.#write(message);
    this.#calls.set(sequence, answered);
    try {
      const answer = await withTimeout(ANSWER_MS, answered.promise, "the display does not answer");
      const error = this.#error;
      this.#error = null;
      if (error) throw error;
      return answer;
    } finally {
      this.#calls.delete(sequence);
    }
  }

  /** Resolves when the server has done all that was sent. @throws {Error} what it refused of it. */
  async done(): Promise<void> {
    const GET_INPUT_FOCUS = 43;
    await this.answer(request(GET_INPUT_FOCUS, 0, []));
  }

  /** Number and first event of an extension. @throws {Error} when the server has none of this name. */
  async extension(name: string): Promise<{ opcode: number; firstEvent: number }> {
    const QUERY_EXTENSION = 98;
    const bytes = new TextEncoder().encode(name);
    const answer = await this.answer(request(QUERY_EXTENSION, 0, [bytes.length], bytes));
    if (answer.getUint8(8) === 0) throw new Error(`the display has no ${name}`);
    return { opcode: answer.getUint8(9), firstEvent: answer.getUint8(10) };
  }

  /** Closes the connection: the server removes all that was made by it. */
  [Symbol.dispose](): void {
    if (this.isOpen) this.#socket.close();
    this.isOpen = false;
    for (const { reject } of this.#calls.values()) reject(new Error("the display closed the connection"));
    this.#calls.clear();
  }

  #write(message: Uint8Array): number {
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.#written = this.#written.then(() => writeAll(this.#socket, message)).catch(() =>
      this[Symbol.dispose]()
    );
    return this.#sequence;
  }

  async #greet(cookie: Uint8Array): Promise<void> {
    const name = new TextEncoder().encode(COOKIE);
    const hello = new Uint8Array(12 + 20 + cookie.length);
    const view = new DataView(hello.buffer);
    view.setUint8(0, "l".charCodeAt(0)); // little-endian
    view.setUint16(2, 11, true);
    view.setUint16(6, name.length, true);
    view.setUint16(8, cookie.length, true);
    hello.set(name, 12);
    hello.set(cookie, 32);
    await writeAll(this.#socket, hello);
    const head = await this.#take(8);
    const length = head.getUint16(6, true) * 4;
    if (head.getUint8(0) !== 1 || length < 72 || length > MAX_ANSWER) {
      throw new Error("the display refused us");
    }
    const setup = await this.#take(length);
    this.#firstId = setup.getUint32(4, true);
    const vendorBytes = setup.getUint16(16, true);
    const formats = setup.getUint8(21);
    const screen = 32 + Math.ceil(vendorBytes / 4) * 4 + formats * 8;
    if (screen + 40 > length) throw new Error("the display has no screen");
    this.root = setup.getUint32(screen, true);
    this.width = setup.getUint16(screen + 20, true);
    this.height = setup.getUint16(screen + 22, true);
    this.depth = setup.getUint8(screen + 38);
  }

  /** Reads answers, errors and events until the end. */
  async #read(): Promise<void> {
    const [ERROR, REPLY, SEQUENCE_LESS] = [0, 1, 11];
    try {
      while (true) {
        const message = await this.#take(32);
        const code = message.getUint8(0) & 0x7f;
        const sequence = message.getUint16(2, true);
        if (code === ERROR) {
          const [kind, opcode] = [message.getUint8(1), message.getUint8(10)];
          this.#error ??= new Error(`the display refused request ${opcode}: error ${kind}`);
          this.#calls.get(sequence)?.resolve(message);
        } else if (code === REPLY) {
          const more = message.getUint32(4, true) * 4;
          if (more > MAX_ANSWER) throw new Error("the display answered too much");
          this.#calls.get(sequence)?.resolve(more > 0 ? await this.#take(more, message) : message);
        } else if (code !== SEQUENCE_LESS) this.onevent(code, message);
      }
    } catch {
      this[Symbol.dispose]();
    }
  }

  /** The next bytes, behind those of `first`. */
  async #take(count: number, first?: DataView): Promise<DataView> {
    if (count > this.#buffer.length) {
      const larger = new Uint8Array(MAX_ANSWER);
      larger.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = larger;
    }
    while (this.#length < count) {
      const read = await this.#socket.read(this.#buffer.subarray(this.#length));
      if (read === null) throw new Error("the display closed the connection");
      this.#length += read;
    }
    const before = first ? new Uint8Array(first.buffer) : new Uint8Array();
    const bytes = new Uint8Array(before.length + count);
    bytes.set(before);
    bytes.set(this.#buffer.subarray(0, count), before.length);
    this.#buffer.copyWithin(0, count, this.#length);
    this.#length -= count;
    return new DataView(bytes.buffer);
  }
}
