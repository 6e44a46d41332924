/** A viewer who gets a channel's transport stream by a WebSocket: our own players, which show it at once. */
import type { Chunk, RelayViewer, ViewerParts } from "./relay.ts";

/** Bytes that wait for a viewer; one that is further behind goes on at the next key frame, once it has caught up. */
const MAX_WAITING_BYTES = 1024 * 1024;
const CAUGHT_UP_BYTES = 64 * 1024;

/** Codes of a close frame. Source: RFC 6455, section 7.4.1. */
const [DONE, NO_DATA_WANTED, POLICY] = [1000, 1003, 1008];

export class SocketViewer implements RelayViewer {
  #socket: WebSocket;
  #parts: ViewerParts;
  /** Whether all is left out until the next key frame. */
  #isBehind = true;
  #isOver = false;
  #sent = 0;
  /** Bytes that the client has taken, and when it took some last. */
  #taken = 0;
  #takenAt: number;

  constructor(socket: WebSocket, parts: ViewerParts) {
    this.#socket = socket;
    this.#parts = parts;
    this.#takenAt = parts.elapsed();
    socket.onmessage = () => this.#close(NO_DATA_WANTED, "This connection takes no messages.");
    socket.onerror = (event) => (event as Event).preventDefault();
    socket.onclose = () => this.#finish();
  }

  take({ bytes, isStart }: Chunk): void {
    const { readyState, bufferedAmount } = this.#socket;
    if (this.#isOver || readyState !== WebSocket.OPEN) return;
    if (bufferedAmount + bytes.length > MAX_WAITING_BYTES) this.#isBehind = true;
    if (this.#isBehind && !(isStart && bufferedAmount < CAUGHT_UP_BYTES)) return;
    this.#isBehind = false;
    this.#sent += bytes.length;
    this.#parts.onsend(bytes.length);
    this.#socket.send(bytes);
  }

  /** Milliseconds for which the client has taken none of the bytes that wait for it. */
  get idleMs(): number {
    const waiting = this.#socket.bufferedAmount;
    const taken = this.#sent - waiting;
    if (waiting === 0 || taken !== this.#taken) this.#takenAt = this.#parts.elapsed();
    this.#taken = taken;
    return this.#parts.elapsed() - this.#takenAt;
  }

  end(): void {
    this.#close(DONE, "The channel has ended.");
  }

  giveUp(): void {
    this.#close(POLICY, "The client reads nothing.");
  }

  #close(code: number, reason: string): void {
    if (this.#isOver) return;
    // its end comes when the client answers, or lib/takeover/viewers.ts has waited for that long enough
    if (this.#socket.readyState <= WebSocket.OPEN) this.#socket.close(code, reason);
    this.#finish();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.onend();
  }
}
