/**
 * A WebSocket client (RFC 6455) over Deno.connect that reads only when asked to: Deno's own takes all that comes, and
 * a slow viewer's data would pile up here.
 */
import type { Timings } from "../timings.ts";
import { createHash, randomBytes } from "node:crypto";
import { withTimeout } from "../system/time.ts";
import { writeAll } from "../system/write_all.ts";
import { type Close, closePayload, encodeFrame, FrameParser, OPCODE } from "./frames.ts";

/** Bytes of one read: more than the VNC proxy's pieces, less than what malloc asks the kernel for each time. */
const READ_BYTES = 120 * 1024;
const MAX_ANSWER_BYTES = 8192;

export type ClientLimits = Pick<Timings["vnc"], "connectMs" | "farewellMs">;

/** What the handshake's answer must hold for a key. Source: RFC 6455, section 4.2.2. */
export function acceptKey(key: string): string {
  return createHash("sha1").update(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest("base64");
}

/** @throws {Error} saying what is wrong with the server's answer to a handshake. */
export function checkAnswer(head: string, key: string): void {
  const [status, ...lines] = head.split("\r\n");
  if (!/^HTTP\/1\.1 101(?: |$)/.test(status)) throw new Error(`no upgrade: ${status.slice(0, 60)}`);
  const headers = new Map(lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  }));
  if (headers.get("upgrade")?.toLowerCase() !== "websocket") throw new Error("no upgrade to WebSocket");
  const options = headers.get("connection")?.toLowerCase().split(/\s*,\s*/) ?? [];
  if (!options.includes("upgrade")) throw new Error("the connection is not upgraded");
  if (headers.get("sec-websocket-accept") !== acceptKey(key)) throw new Error("a wrong Sec-WebSocket-Accept");
  if (headers.get("sec-websocket-extensions")) throw new Error("an extension nobody asked for");
  if (headers.get("sec-websocket-protocol")) throw new Error("a sub-protocol nobody asked for");
}

export interface Target {
  /** Port on 127.0.0.1. */
  port: number;
  path: string;
  /** The Host header. */
  host: string;
}

/** Views of one buffer, in its order, as one: what stands between them is overwritten. */
function joined(pieces: Uint8Array[]): Uint8Array {
  const [{ buffer, byteOffset }] = pieces;
  const all = new Uint8Array(buffer, byteOffset, pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

export class WsClient {
  #conn: Deno.TcpConn;
  #farewellMs: number;
  #parser = new FrameParser();
  #buffer = new Uint8Array(READ_BYTES);
  /** The read under way: two at once are not allowed. */
  #reading: Promise<Uint8Array | null> | null = null;
  #early: Uint8Array | null = null;
  #writes: Promise<void> = Promise.resolve();
  #pong: Uint8Array | null = null;
  #closed: Close | null = null;
  #isClosing = false;
  /** When the peer was last heard, in ms of performance.now(). */
  heardAt = performance.now();

  private constructor(conn: Deno.TcpConn, farewellMs: number) {
    this.#conn = conn;
    this.#farewellMs = farewellMs;
  }

  /** Connects and shakes hands. @throws {Error} when there is no WebSocket server, or none in time. */
  static async connect(target: Target, limits: ClientLimits): Promise<WsClient> {
    const { connectMs, farewellMs } = limits;
    const connecting = Deno.connect({ hostname: "127.0.0.1", port: target.port });
    const start = performance.now();
    const conn = await withTimeout(connectMs, connecting).catch((error) => {
      connecting.then((late) => late.close(), () => {});
      throw error;
    });
    const client = new WsClient(conn, farewellMs);
    try {
      conn.setNoDelay(true);
      const left = connectMs - (performance.now() - start);
      await withTimeout(left, client.#shakeHands(target));
      return client;
    } catch (error) {
      client.#drop();
      throw error;
    }
  }

  async #shakeHands({ path, host }: Target): Promise<void> {
    const key = randomBytes(16).toString("base64");
    await this.#write(new TextEncoder().encode(
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    ));
    let answer = new Uint8Array();
    for (;;) {
      const chunk = await this.#read();
      if (!chunk) throw new Error("closed without an answer");
      const longer = new Uint8Array(answer.length + chunk.length);
      longer.set(answer);
      longer.set(chunk, answer.length);
      answer = longer;
      // one character a byte
      const text = String.fromCharCode(...answer.subarray(0, MAX_ANSWER_BYTES));
      const end = text.indexOf("\r\n\r\n");
      if (end >= 0) {
        checkAnswer(text.slice(0, end), key);
        this.#early = answer.slice(end + 4);
        return;
      }
      if (answer.length >= MAX_ANSWER_BYTES) throw new Error("an answer that is too long");
    }
  }

  /** How the connection ended, once `receive` gave null. */
  get closed(): Close {
    return this.#closed ?? { code: 1006, reason: "" };
  }

  /**
   * The data that came next; null at the end of the connection. Answers pings. The bytes are good until the next call.
   * @throws {FrameError} when the server breaks the protocol.
   */
  async receive(): Promise<Uint8Array | null> {
    for (;;) {
      if (this.#closed) return null;
      const chunk = this.#early ?? await this.#read();
      this.#early = null;
      if (!chunk) return null;
      const pieces: Uint8Array[] = [];
      for (const arrival of this.#parser.push(chunk)) {
        if (arrival.kind === "data") pieces.push(arrival.bytes);
        if (arrival.kind === "ping") this.#answer(arrival.bytes);
        if (arrival.kind === "close") {
          this.#closed = arrival.close;
          break;
        }
      }
      if (pieces.length > 0) return joined(pieces);
    }
  }

  /** Sends one binary message; resolves when the kernel has it all. @throws {Error} when the connection is gone. */
  send(data: Uint8Array): Promise<void> {
    return this.#write(this.#frame(OPCODE.binary, data));
  }

  /** Asks the peer for a sign of life, which moves `heardAt`. */
  ping(): void {
    this.#write(this.#frame(OPCODE.ping, new Uint8Array())).catch(() => {});
  }

  /** Says goodbye, waits a moment for the peer to do the same, and gives the connection up. Never rejects. */
  async close(close: Close): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const farewell = async () => {
      await this.#write(this.#frame(OPCODE.close, closePayload(close)));
      // unread data would make the kernel reset the connection, and our close frame be lost
      while (await this.#read());
    };
    await withTimeout(this.#farewellMs, farewell()).catch(() => {});
    this.#drop();
  }

  #frame(opcode: number, payload: Uint8Array): Uint8Array<ArrayBuffer> {
    return encodeFrame(opcode, payload, randomBytes(4));
  }

  /** Answers the newest ping only, and never waits: the peer may itself wait for us to read. */
  #answer(payload: Uint8Array): void {
    const isUnderWay = this.#pong !== null;
    this.#pong = payload;
    if (isUnderWay) return;
    this.#writes.then(() => {
      const pong = this.#pong!;
      this.#pong = null;
      return this.#write(this.#frame(OPCODE.pong, pong));
    }).catch(() => {});
  }

  #read(): Promise<Uint8Array | null> {
    return this.#reading ??= this.#conn.read(this.#buffer).then((count) => {
      this.heardAt = performance.now();
      return count === null ? null : this.#buffer.subarray(0, count);
    }, () => null).finally(() => {
      this.#reading = null;
    });
  }

  #write(bytes: Uint8Array): Promise<void> {
    const write = this.#writes.then(() => writeAll(this.#conn, bytes));
    this.#writes = write.catch(() => {});
    return write;
  }

  #drop(): void {
    try {
      this.#conn.close();
    } catch {
      // closed already
    }
  }
}
