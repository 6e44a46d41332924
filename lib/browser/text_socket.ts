/** Text messages up to a limit over a WebSocket on a unix socket, between a browser's hub and its stream's helpers. */
import { Budget, MESSAGE_COST, PEER_BUDGET } from "../machine/tools/budget.ts";
import { GatheredText } from "../machine/tools/gathered_text.ts";
import { Endpoint, type EndpointLimits } from "../machine/websocket/endpoint.ts";
import { FrameError } from "../machine/websocket/frames.ts";
import { MAX_MESSAGE_BYTES } from "./messages.ts";

/** Bytes of a message to a browser, and of a message from a browser: rewritten characters may make it longer. */
const MAX_COMMAND_BYTES = 256 * 1024;
const MAX_ANSWER_BYTES = 2 * MAX_MESSAGE_BYTES;

/** Bytes that wait for a peer that does not read. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** Milliseconds for the handshake, and for a peer to take the close frame. */
const TIMES = { connectMs: 5000, farewellMs: 500 };
const READ_BYTES = 16 * 1024;

export class TextSocket {
  #endpoint: Endpoint;
  #waiting = 0;
  #isOpen = true;

  private constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  /** @throws {Error} when no server listens, or the server refuses. */
  static async connect(path: string): Promise<TextSocket> {
    const target = { at: path, path: "/", host: "browser" };
    const answers = limits(MAX_ANSWER_BYTES, new Budget(PEER_BUDGET));
    return new TextSocket(await Endpoint.connect(target, "text", answers));
  }

  /**
   * The server's end of a connection that was accepted.
   * @param budget is the client's, which may have other connections. @param prepare runs before the client is welcomed.
   * @throws {Error} the errors of `prepare`; when no client asks.
   */
  static accept<Prepared>(
    conn: Deno.UnixConn,
    budget: Budget,
    prepare: (socket: TextSocket) => Promise<Prepared>,
  ): Promise<Prepared> {
    return Endpoint.accept(
      conn,
      "text",
      limits(MAX_COMMAND_BYTES, budget),
      (endpoint) => prepare(new TextSocket(endpoint)),
    );
  }

  /** Hands each message over until the connection ends; a peer that breaks the rules ends the connection. */
  async *messages(): AsyncGenerator<string> {
    const text = new GatheredText();
    try {
      for (let pieces = await this.#endpoint.receive(); pieces; pieces = await this.#endpoint.receive()) {
        for (const { bytes, isLast } of pieces) {
          if (!this.#isOpen) return;
          text.add(bytes);
          if (isLast) yield text.end();
        }
      }
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#drop();
    } finally {
      await this.close();
    }
  }

  /** Sends one message, in the background; a client that does not read is disconnected. */
  send(text: string): void {
    if (!this.#isOpen) return;
    const bytes = new TextEncoder().encode(text);
    const cost = bytes.length + MESSAGE_COST;
    if (this.#waiting + cost > MAX_WAITING_BYTES) return this.#drop();
    this.#waiting += cost;
    this.#endpoint.send(bytes).catch(() => this.#drop()).finally(() => this.#waiting -= cost);
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#endpoint.close({ code: 1000, reason: "" });
  }

  #drop(): void {
    this.#isOpen = false;
    this.#endpoint.drop();
  }
}

function limits(messageBytes: number, budget: Budget): EndpointLimits {
  return { ...TIMES, messageBytes, readBytes: READ_BYTES, budget };
}
