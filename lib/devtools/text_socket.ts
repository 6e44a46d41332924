/**
 * A WebSocket (RFC 6455) over a unix socket, for messages of text up to a limit. Either end: Deno's server gathers messages
 * of up to 64 MiB, and its client opens no unix sockets.
 */
import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { closeAnyway } from "../system/close.ts";
import { happensWithin, withTimeout } from "../system/time.ts";
import { writeAll } from "../system/write_all.ts";
import { encodeFrame, OPCODE } from "../websocket/frames.ts";
import { acceptKey, checkAnswer } from "../websocket/client.ts";
import { MAX_MESSAGE_BYTES, MESSAGE_COST, PEER_BUDGET } from "./messages.ts";
import { Budget } from "../system/budget.ts";

/** Bytes of a message to a browser, and of one from it, which may be longer once its characters are written anew. */
const MAX_COMMAND_BYTES = 256 * 1024;
const MAX_ANSWER_BYTES = 2 * MAX_MESSAGE_BYTES;

/** Frames of a message: ours are of one. */
const MAX_FRAMES = 64;

/** Bytes of HTTP's head, and of what waits for a peer that does not read. */
const MAX_HEAD_BYTES = 4096;
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** Milliseconds for the two heads, and for a peer to take the close frame. */
const HANDSHAKE_MS = 5000;
const CLOSE_MS = 500;

const BLANK_LINE = Buffer.from("\r\n\r\n");

export class TextSocket {
  #conn: Deno.UnixConn;
  /** A client's frames are masked, a server's are not. */
  #isClient: boolean;
  #unread: Uint8Array = new Uint8Array();
  #writes: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isOpen = true;
  #budget = new Budget(PEER_BUDGET);

  private constructor(conn: Deno.UnixConn, isClient: boolean) {
    this.#conn = conn;
    this.#isClient = isClient;
  }

  /** @throws {Error} when nobody is there, or what is there says no. */
  static async connect(path: string): Promise<TextSocket> {
    const socket = new TextSocket(await Deno.connect({ transport: "unix", path }), true);
    try {
      await withTimeout(HANDSHAKE_MS, socket.#ask());
      return socket;
    } catch (error) {
      socket.#drop();
      throw error;
    }
  }

  /**
   * The server's end of a connection that was accepted.
   * @param prepare is done before the client is welcomed. @throws {Error} what that throws; when no client asks.
   */
  static async accept<Prepared>(
    conn: Deno.UnixConn,
    prepare: (socket: TextSocket) => Promise<Prepared>,
  ): Promise<Prepared> {
    const socket = new TextSocket(conn, false);
    try {
      const key = await withTimeout(HANDSHAKE_MS, socket.#readRequest());
      const prepared = await prepare(socket).catch(async (error) => {
        await socket.#write("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n");
        throw error;
      });
      await socket.#write(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
          `Sec-WebSocket-Accept: ${acceptKey(key)}\r\n\r\n`,
      );
      return prepared;
    } catch (error) {
      socket.#drop();
      throw error;
    }
  }

  /** The next message; null at the end of the connection, also when the peer breaks the rules. */
  async receive(): Promise<string | null> {
    const parts: Uint8Array[] = [];
    const most = this.#isClient ? MAX_ANSWER_BYTES : MAX_COMMAND_BYTES;
    for (let size = 0; this.#isOpen;) {
      const frame = await this.#readFrame(most - size).catch(() => null);
      if (!frame) break;
      const { opcode, isFinal, payload } = frame;
      await this.#budget.pay(payload.length + MESSAGE_COST);
      if (opcode === OPCODE.close) {
        await this.close();
        break;
      }
      if (opcode === OPCODE.ping) this.#sendFrame(OPCODE.pong, payload);
      if (opcode >= OPCODE.close) continue;
      if ((opcode === OPCODE.continuation) !== (parts.length > 0) || opcode === OPCODE.binary) break;
      if (parts.length === MAX_FRAMES) break;
      parts.push(payload);
      size += payload.length;
      if (isFinal) return Buffer.concat(parts).toString();
    }
    this.#drop();
    return null;
  }

  /** Sends one message, in the background; a client that does not read is disconnected. */
  send(text: string): void {
    this.#sendFrame(OPCODE.text, new TextEncoder().encode(text));
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#sendFrame(OPCODE.close, new Uint8Array());
    this.#isOpen = false;
    await happensWithin(CLOSE_MS, this.#writes);
    this.#drop();
  }

  async #ask(): Promise<void> {
    const key = randomBytes(16).toString("base64");
    await this.#write(
      "GET / HTTP/1.1\r\nHost: browser\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
        `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    );
    checkAnswer(await this.#readHead(), key);
  }

  /** @returns the client's key. @throws {Error} when it asks for something else. */
  async #readRequest(): Promise<string> {
    const head = await this.#readHead();
    const key = /^sec-websocket-key: *([\w+/=]{24}) *$/im.exec(head)?.[1];
    if (!head.startsWith("GET / HTTP/1.1\r\n") || !/^upgrade: *websocket *$/im.test(head) || !key) {
      throw new Error("no WebSocket was asked for");
    }
    return key;
  }

  async #readHead(): Promise<string> {
    for (;;) {
      const end = Buffer.from(this.#unread).indexOf(BLANK_LINE);
      if (end >= 0) {
        const head = Buffer.from(this.#unread.subarray(0, end)).toString("latin1");
        this.#unread = this.#unread.subarray(end + BLANK_LINE.length);
        return head;
      }
      if (this.#unread.length > MAX_HEAD_BYTES) throw new Error("a head that is too long");
      this.#unread = Buffer.concat([this.#unread, await this.#readSome()]);
    }
  }

  /** @param most bytes of payload. @throws {Error} at the end, or when the peer breaks the rules. */
  async #readFrame(most: number): Promise<{ opcode: number; isFinal: boolean; payload: Uint8Array }> {
    const [first, second] = await this.#readExactly(2);
    const [opcode, short, isMasked] = [first & 0x0f, second & 0x7f, second >= 0x80];
    if (first & 0x70 || isMasked === this.#isClient) throw new Error("no frame for this end");
    let length = short;
    if (short === 126) length = viewOf(await this.#readExactly(2)).getUint16(0);
    if (short === 127) length = Number(viewOf(await this.#readExactly(8)).getBigUint64(0));
    if (length > most || (opcode >= OPCODE.close && length > 125)) {
      throw new Error("a frame that is too long");
    }
    const mask = isMasked ? new Uint8Array(await this.#readExactly(4)) : null;
    const payload = new Uint8Array(await this.#readExactly(length));
    if (mask) { for (let at = 0; at < length; at++) payload[at] ^= mask[at & 3]; }
    return { opcode, isFinal: first >= 0x80, payload };
  }

  /** So many bytes, good until the next read. */
  async #readExactly(count: number): Promise<Uint8Array> {
    const parts = [this.#unread];
    for (let have = this.#unread.length; have < count;) {
      const part = await this.#readSome();
      have += part.length;
      parts.push(part);
    }
    const all = parts.length === 1 ? this.#unread : Buffer.concat(parts);
    this.#unread = all.subarray(count);
    return all.subarray(0, count);
  }

  async #readSome(): Promise<Uint8Array> {
    const bytes = new Uint8Array(16 * 1024);
    const count = await this.#conn.read(bytes);
    if (count === null) throw new Error("the connection has ended");
    return bytes.subarray(0, count);
  }

  #sendFrame(opcode: number, payload: Uint8Array): void {
    if (!this.#isOpen) return;
    const frame = encodeFrame(opcode, payload, this.#isClient ? randomBytes(4) : null);
    void this.#write(frame).catch(() => {});
  }

  async #write(data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
    const cost = bytes.length + MESSAGE_COST;
    if (this.#waiting + cost > MAX_WAITING_BYTES) return this.#drop();
    this.#waiting += cost;
    this.#writes = this.#writes.then(() => writeAll(this.#conn, bytes)).catch(() => this.#drop()).finally(
      () => this.#waiting -= cost,
    );
    await this.#writes;
  }

  #drop(): void {
    this.#isOpen = false;
    closeAnyway(this.#conn);
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
