/**
 * One end of a WebSocket (RFC 6455) over a TCP or unix connection that reads only when asked to: Deno's own client takes
 * all that comes, and a slow viewer's data would pile up here; its server gathers messages of up to 64 MiB.
 */
import { randomBytes } from "node:crypto";
import { type Budget, MESSAGE_COST, READ_COST } from "../tools/budget.ts";
import { closeAnyway } from "../tools/close.ts";
import { withTimeout } from "../tools/time.ts";
import { writeAll } from "../tools/write_all.ts";
import {
  type Close,
  closePayload,
  encodeFrame,
  FrameError,
  FrameParser,
  type FrameRules,
  OPCODE,
} from "./frames.ts";
import { askForWebSocket, readRequest, REFUSAL, say, type Target, welcome } from "./handshake.ts";

export interface EndpointLimits {
  /** Milliseconds for the connection and the handshake. */
  connectMs: number;
  /** Milliseconds for the peer to take our close frame, and to close. */
  farewellMs: number;
  /** Bytes of a message from the peer. */
  messageBytes: number;
  /** Bytes of one read. */
  readBytes: number;
  /** The peer's budget, in bytes. */
  budget?: Budget;
}

/** Pings that may come while one's answer waits for the peer to read. */
const MAX_UNANSWERED = 1000;

/** What messages are of. */
export type MessageKind = "text" | "binary";

/** A piece of a message; the message ends with the last. */
export interface MessagePiece {
  /** Good until the next call. */
  bytes: Uint8Array;
  isLast: boolean;
}

async function connectTo(at: Target["at"]): Promise<Deno.Conn> {
  if (typeof at === "string") return await Deno.connect({ transport: "unix", path: at });
  const { isTls, ...place } = typeof at === "number" ? { hostname: "127.0.0.1", port: at, isTls: false } : at;
  if (isTls) return await Deno.connectTls(place);
  const conn = await Deno.connect(place);
  conn.setNoDelay(true);
  return conn;
}

/** Pieces that are views of one buffer, in its order, as one: what stands between them is overwritten. */
function joined(pieces: MessagePiece[]): Uint8Array {
  const { buffer, byteOffset } = pieces[0].bytes;
  const all = new Uint8Array(buffer, byteOffset, pieces.reduce((sum, { bytes }) => sum + bytes.length, 0));
  let at = 0;
  for (const { bytes } of pieces) {
    all.set(bytes, at);
    at += bytes.length;
  }
  return all;
}

export class Endpoint {
  #conn: Deno.Conn;
  #limits: EndpointLimits;
  #rules: FrameRules;
  #parser: FrameParser;
  #buffer: Uint8Array<ArrayBuffer>;
  /** The read under way: two at once are not allowed. */
  #reading: Promise<Uint8Array | null> | null = null;
  #early: Uint8Array | null = null;
  #writes: Promise<void> = Promise.resolve();
  #pong: Uint8Array | null = null;
  #unanswered = 0;
  #closed: Close | null = null;
  #closing: Promise<void> | null = null;
  /** When the peer was last heard, in ms of performance.now(). */
  heardAt = performance.now();

  private constructor(conn: Deno.Conn, kind: MessageKind, isServer: boolean, limits: EndpointLimits) {
    this.#conn = conn;
    this.#limits = limits;
    this.#rules = { isMasked: isServer, opcode: OPCODE[kind], mostBytes: limits.messageBytes };
    this.#parser = new FrameParser(this.#rules);
    this.#buffer = new Uint8Array(limits.readBytes);
  }

  /** The client's end. @throws {Error} when there is no WebSocket server, or none in time. */
  static async connect(target: Target, kind: MessageKind, limits: EndpointLimits): Promise<Endpoint> {
    const connecting = connectTo(target.at);
    const open = async () => {
      const endpoint = new Endpoint(await connecting, kind, false, limits);
      endpoint.#early = await askForWebSocket(endpoint.#conn, target);
      return endpoint;
    };
    return await withTimeout(limits.connectMs, open()).catch((error) => {
      connecting.then(closeAnyway, () => {});
      throw error;
    });
  }

  /**
   * The server's end of a connection that was accepted, which is closed when this fails.
   * @param prepare is done before the client is welcomed. @throws {Error} what that throws; when no client asks in time.
   */
  static async accept<Prepared>(
    conn: Deno.Conn,
    kind: MessageKind,
    limits: EndpointLimits,
    prepare: (endpoint: Endpoint) => Promise<Prepared>,
  ): Promise<Prepared> {
    const endpoint = new Endpoint(conn, kind, true, limits);
    try {
      const { key, rest } = await withTimeout(limits.connectMs, readRequest(conn));
      endpoint.#early = rest;
      const { promise: welcomed, resolve } = Promise.withResolvers<void>();
      // frames that are sent meanwhile come behind the welcome
      endpoint.#writes = welcomed;
      const prepared = await prepare(endpoint).catch(async (error) => {
        await say(conn, REFUSAL);
        throw error;
      });
      await say(conn, welcome(key));
      resolve();
      return prepared;
    } catch (error) {
      endpoint.drop();
      throw error;
    }
  }

  /** How the connection ended, once `receive` gave null. */
  get closed(): Close {
    return this.#closed ?? { code: 1006, reason: "" };
  }

  /**
   * The pieces that came next; null at the end of the connection. Answers pings.
   * @throws {FrameError} when the peer breaks the protocol.
   */
  async receive(): Promise<MessagePiece[] | null> {
    for (;;) {
      if (this.#closed) return null;
      const chunk = this.#early ?? await this.#read();
      this.#early = null;
      if (!chunk) return null;
      const arrivals = this.#parser.push(chunk);
      await this.#limits.budget?.pay(READ_COST + chunk.length + arrivals.length * MESSAGE_COST);
      const pieces: MessagePiece[] = [];
      for (const arrival of arrivals) {
        if (arrival.kind === "data") pieces.push(arrival);
        if (arrival.kind === "ping") this.#answer(arrival.bytes);
        if (arrival.kind === "close") {
          this.#closed = arrival.close;
          break;
        }
      }
      if (pieces.length > 0) return pieces;
    }
  }

  /**
   * The bytes that came next, of however many messages, good until the next call; null at the end of the connection.
   * @throws {FrameError} when the peer breaks the protocol.
   */
  async receiveBytes(): Promise<Uint8Array | null> {
    for (let pieces = await this.receive(); pieces !== null; pieces = await this.receive()) {
      const bytes = joined(pieces);
      if (bytes.length > 0) return bytes;
    }
    return null;
  }

  /** Sends one message; resolves when the kernel has it all. @throws {Error} when the connection is gone. */
  send(data: Uint8Array): Promise<void> {
    return this.#write(this.#rules.opcode, data);
  }

  /** The same with a text, whatever the endpoint's messages are of. */
  sendText(text: string): Promise<void> {
    return this.#write(OPCODE.text, new TextEncoder().encode(text));
  }

  /** Asks the peer for a sign of life, which moves `heardAt`. */
  ping(): void {
    this.#write(OPCODE.ping, new Uint8Array()).catch(() => {});
  }

  /** Says goodbye, waits a moment for the peer to do the same unless it did, and gives the connection up. Never rejects. */
  close(close: Close): Promise<void> {
    return this.#closing ??= this.#sayGoodbye(close);
  }

  async #sayGoodbye(close: Close): Promise<void> {
    const farewell = async () => {
      await this.#write(OPCODE.close, closePayload(close));
      // unread data would make the kernel reset the connection, and our close frame be lost
      while (!this.#closed && await this.#read()) await this.#limits.budget?.pay(READ_COST);
    };
    await withTimeout(this.#limits.farewellMs, farewell()).catch(() => {});
    this.drop();
  }

  /** Gives the connection up at once. */
  drop(): void {
    closeAnyway(this.#conn);
  }

  /** Answers the newest ping only, and never waits: the peer may itself wait for us to read. */
  #answer(payload: Uint8Array): void {
    const isUnderWay = this.#pong !== null;
    this.#pong = payload;
    if (isUnderWay && ++this.#unanswered > MAX_UNANSWERED) throw new FrameError(1008, "pings without end");
    if (isUnderWay) return;
    this.#unanswered = 0;
    this.#writes.then(() => {
      const pong = this.#pong!;
      this.#pong = null;
      return this.#write(OPCODE.pong, pong);
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

  #write(opcode: number, payload: Uint8Array): Promise<void> {
    const mask = this.#rules.isMasked ? null : randomBytes(4);
    const frame = encodeFrame(opcode, payload, mask);
    const write = this.#writes.then(() => writeAll(this.#conn, frame));
    this.#writes = write.catch(() => {});
    return write;
  }
}
