/**
 * A connection to an X display. The server is not trusted: a page that broke out of its browser could have taken the
 * server's place. Messages are limited in size and time, and a wrong message ends the connection.
 */
import { openRegular, readRange } from "../../machine/os/regular_file.ts";
import { Budget, MESSAGE_COST, PEER_BUDGET, READ_COST } from "../../machine/tools/budget.ts";
import { withTimeout } from "../../machine/tools/time.ts";
import { writeAll } from "../../machine/tools/write_all.ts";
import {
  ERROR,
  errorOf,
  greeting,
  GREETING_HEAD,
  greetingLength,
  MESSAGE_BYTES,
  messageHead,
  parseGreeting,
  REPLY,
  request,
  type Screen,
} from "./messages.ts";

/** Milliseconds until the server must have answered. */
const ANSWER_MS = 2000;

/** Bytes of an answer that are kept; our answers have some hundreds. The rest is read, and thrown away. */
const MAX_KEPT_BYTES = 64 * 1024;

/** Bytes of an answer at most: enough for a region of a page that makes trouble. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** Bytes that wait for a server to read them: a picture of the largest display, and the requests after it. */
const MAX_WAITING_BYTES = 48 * 1024 * 1024;

/** The cookie in the entry of our Xauthority files (lib/display/xauth.ts). @throws {Error} when there is no cookie. */
export async function readCookie(xauthority: string): Promise<Uint8Array> {
  const COOKIE_BYTES = 16;
  const MAX_FILE = 1024;
  using file = openRegular(xauthority);
  const bytes = file ? await readRange(file, 0, MAX_FILE) : new Uint8Array();
  if (bytes.length <= COOKIE_BYTES) throw new Error("there is no key to the display");
  return bytes.subarray(-COOKIE_BYTES);
}

/** Number and first event of an extension. */
export interface Extension {
  opcode: number;
  firstEvent: number;
}

export class XConnection implements Disposable {
  screen: Screen = { firstId: 0, root: 0, width: 0, height: 0, depth: 0, isBgrx: false };
  /** Gets every event: its number, and its 32 bytes. */
  onevent: (code: number, event: DataView) => void = () => {};
  /** Resolves when the connection has ended, on either side. */
  ended: Promise<void> = Promise.resolve();
  isOpen = true;
  #socket: Deno.UnixConn;
  #answerMs: number;
  #buffer = new Uint8Array(4096);
  #length = 0;
  #ids = 0;
  #sequence = 0;
  #calls = new Map<number, PromiseWithResolvers<DataView>>();
  #error: Error | null = null;
  #toSend: Uint8Array[] = [];
  #waiting = 0;
  #isSending = false;
  #budget = new Budget(PEER_BUDGET);

  private constructor(socket: Deno.UnixConn, answerMs: number) {
    this.#socket = socket;
    this.#answerMs = answerMs;
  }

  /**
   * Connects to a display's socket.
   * @param answerMs until the server must have answered. @throws {Error} when it refuses, or does not answer in time.
   */
  static async open(path: string, cookie: Uint8Array, answerMs = ANSWER_MS): Promise<XConnection> {
    const connecting = Deno.connect({ transport: "unix", path });
    const socket = await withTimeout(answerMs, connecting, "no display").catch((error) => {
      connecting.then((late) => late.close(), () => {});
      throw error;
    });
    const connection = new XConnection(socket, answerMs);
    try {
      await withTimeout(answerMs, connection.#greet(cookie), "the display does not answer");
    } catch (error) {
      connection[Symbol.dispose]();
      throw error;
    }
    connection.ended = connection.#read();
    return connection;
  }

  /** A new id for a window, pixmap or the like. */
  newId(): number {
    return this.screen.firstId + ++this.#ids;
  }

  /** Sends requests without an answer, in their order. An error comes out at the next `answer`. */
  send(...requests: Uint8Array[]): void {
    for (const one of requests) this.#write(one);
  }

  /**
   * Sends a request and gives its answer.
   * @throws {Error} when the server refuses it or an earlier request, or does not answer in time.
   */
  async answer(message: Uint8Array): Promise<DataView> {
    if (!this.isOpen) throw new Error(CLOSED);
    const answered = Promise.withResolvers<DataView>();
    const sequence = this.#write(message);
    if (!this.isOpen) throw new Error(CLOSED);
    this.#calls.set(sequence, answered);
    try {
      const answer = await withTimeout(this.#answerMs, answered.promise, "the display does not answer");
      const error = this.#error;
      this.#error = null;
      if (error) throw error;
      return answer;
    } finally {
      this.#calls.delete(sequence);
    }
  }

  /** Resolves when the server has carried out all sent requests. @throws {Error} the error of a refused request. */
  async done(): Promise<void> {
    const GET_INPUT_FOCUS = 43;
    await this.answer(request(GET_INPUT_FOCUS, 0, []));
  }

  /** @throws {Error} when the server has no extension of this name. */
  async extension(name: string): Promise<Extension> {
    const QUERY_EXTENSION = 98;
    const bytes = new TextEncoder().encode(name);
    const answer = await this.answer(request(QUERY_EXTENSION, 0, [bytes.length], bytes));
    if (answer.getUint8(8) === 0) throw new Error(`the display has no ${name}`);
    return { opcode: answer.getUint8(9), firstEvent: answer.getUint8(10) };
  }

  /** Closes the connection: the server removes all resources of the connection. */
  [Symbol.dispose](): void {
    if (this.isOpen) this.#socket.close();
    this.isOpen = false;
    this.#toSend = [];
    for (const { reject } of this.#calls.values()) reject(new Error(CLOSED));
    this.#calls.clear();
  }

  /** Sends in the background. A server that does not read for too long is disconnected. */
  #write(message: Uint8Array): number {
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.#waiting += message.length + MESSAGE_COST;
    if (this.#waiting > MAX_WAITING_BYTES) this[Symbol.dispose]();
    if (!this.isOpen) return this.#sequence;
    this.#toSend.push(message);
    if (!this.#isSending) {
      this.#isSending = true;
      // all messages that the caller sends in one go take one system call
      queueMicrotask(() => this.#sendAll());
    }
    return this.#sequence;
  }

  async #sendAll(): Promise<void> {
    try {
      while (this.#toSend.length > 0 && this.isOpen) {
        const messages = this.#toSend;
        this.#toSend = [];
        const bytes = messages.length === 1 ? messages[0] : joined(messages);
        await writeAll(this.#socket, bytes);
        this.#waiting -= bytes.length + messages.length * MESSAGE_COST;
      }
    } catch {
      this[Symbol.dispose]();
    } finally {
      this.#isSending = false;
    }
  }

  async #greet(cookie: Uint8Array): Promise<void> {
    await writeAll(this.#socket, greeting(cookie));
    const length = greetingLength(await this.#take(GREETING_HEAD));
    if (length > MAX_KEPT_BYTES) throw new Error("the display said too much");
    this.screen = parseGreeting(await this.#take(length));
  }

  /** Reads answers, errors and events until the end. */
  async #read(): Promise<void> {
    try {
      while (this.isOpen) {
        const message = await this.#take(MESSAGE_BYTES);
        await this.#budget.pay(MESSAGE_COST);
        const { code, sequence, more } = messageHead(message);
        if (more > MAX_ANSWER_BYTES) throw new Error("the display answered too much");
        const rest = await this.#rest(message, more);
        if (code === ERROR) this.#error ??= errorOf(message);
        if (code !== ERROR && code !== REPLY) this.onevent(code, message);
        else if (sequence !== null) this.#calls.get(sequence)?.resolve(rest);
      }
    } catch {
      this[Symbol.dispose]();
    }
  }

  /** A message with the kept part of the bytes that follow. */
  async #rest(message: DataView, more: number): Promise<DataView> {
    if (more === 0) return message;
    const kept = Math.min(more, MAX_KEPT_BYTES);
    const whole = await this.#take(kept, message);
    for (let left = more - kept; left > 0;) {
      const part = Math.min(left, MAX_KEPT_BYTES);
      await this.#take(part);
      left -= part;
    }
    return whole;
  }

  /** The next bytes, after the bytes of `first`. */
  async #take(count: number, first?: DataView): Promise<DataView> {
    if (count > this.#buffer.length) {
      const larger = new Uint8Array(MAX_KEPT_BYTES);
      larger.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = larger;
    }
    while (this.#length < count) {
      const read = await this.#socket.read(this.#buffer.subarray(this.#length));
      if (read === null) throw new Error(CLOSED);
      this.#length += read;
      await this.#budget.pay(READ_COST + read);
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

const CLOSED = "the display closed the connection";

function joined(messages: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(messages.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const message of messages) {
    bytes.set(message, at);
    at += message.length;
  }
  return bytes;
}
