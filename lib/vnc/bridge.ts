/** One viewer's bridge: the browser's WebSocket on one side, the VNC proxy's on the other, bytes both ways. */
import { errorText, log } from "../system/log.ts";
import { happensWithin, sleep } from "../system/time.ts";
import { type Close, FrameError, isSendable, shortReason } from "./frames.ts";
import { type Target, WsClient } from "./ws_client.ts";
import type { Timings } from "../timings.ts";

/** Bytes waiting for the browser above which the display is not read; with a quarter of it throughput halves. */
const HIGH_WATER_BYTES = 1024 * 1024;
/** Bytes of input waiting for the proxy above which a viewer is turned away; the largest clipboard text fits. */
const MAX_INPUT_BYTES = 2 * 1024 * 1024;

/** Bytes that a message costs beside its own while it waits, as an object with a write under way. */
const MESSAGE_BYTES = 512;

export type BridgeLimits = Timings["vnc"];

const PROXY_GONE: Close = { code: 1013, reason: "The VNC proxy is being restarted. Try again in a moment." };

/** What may stand in a close frame for one that came, or did not. */
function passedOn({ code, reason }: Close): Close {
  if (code === 1005) return { code: 1000, reason: "" };
  return isSendable(code) ? { code, reason: shortReason(reason) } : { code: 1001, reason: "" };
}

export interface BridgeParts {
  viewer: WebSocket;
  target: Target;
  /** Called when the viewer and the display are connected. */
  onConnected?: () => void;
}

export class Bridge {
  #parts: BridgeParts;
  #limits: BridgeLimits;
  /** Checks in a row after which a peer is late, or gone. They are counted, because time passes also while we are stopped. */
  #pauseAfterChecks: number;
  #goneAfterChecks: number;
  #upstream: WsClient | null = null;
  /** Input that waits for the proxy, or for a viewer that takes nothing to go on. */
  #waitingInput: Uint8Array[] = [];
  /** Checks in a row in which the viewer took nothing of what waits for it. */
  #stuck = 0;
  #inputBytes = 0;
  #sent = 0;
  /** Whether we wait for the display's side, and not for the browser. */
  #isReading = false;
  #reason: Close | null = null;
  #finish!: () => void;
  #finished = new Promise<void>((done) => this.#finish = done);
  #viewerClosed: Promise<void>;

  constructor(parts: BridgeParts, limits: BridgeLimits) {
    this.#parts = parts;
    this.#limits = limits;
    this.#pauseAfterChecks = limits.pauseMs / limits.checkMs;
    this.#goneAfterChecks = limits.goneMs / limits.checkMs;
    const { viewer } = parts;
    viewer.binaryType = "arraybuffer";
    viewer.onmessage = ({ data }) => this.#take(data);
    viewer.onerror = (event) => event.preventDefault();
    this.#viewerClosed = new Promise((done) => {
      viewer.onclose = ({ code, reason }) => {
        this.stop(passedOn({ code, reason }));
        done();
      };
    });
  }

  /** Stops the bridge; the first reason counts, and goes to both sides. */
  stop(close: Close): void {
    this.#reason ??= close;
    this.#finish();
  }

  /** Runs until one side ends or `stop` is called; then both are closed. Never rejects. */
  async run(): Promise<void> {
    const working = this.#work().catch((error) => {
      log("error", "a VNC bridge failed", { error: errorText(error) });
      this.stop({ code: 1011, reason: "Something went wrong on the server; its log says what." });
    });
    const checks = setInterval(this.#checker(), this.#limits.checkMs);
    await this.#finished;
    clearInterval(checks);
    await Promise.all([this.#closeViewer(this.#reason!), this.#upstream?.close(this.#reason!), working]);
  }

  async #work(): Promise<void> {
    await this.#opened();
    if (this.#reason) return;
    try {
      this.#upstream = await WsClient.connect(this.#parts.target, this.#limits);
    } catch (error) {
      log("warn", "the VNC proxy cannot be reached", { error: errorText(error) });
      return await this.#proxyGone();
    }
    this.#sendWaitingInput();
    if (this.#reason) return await this.#upstream.close(this.#reason);
    this.#parts.onConnected?.();
    await this.#pump(this.#upstream);
  }

  #opened(): Promise<void> {
    const { viewer } = this.#parts;
    if (viewer.readyState !== WebSocket.CONNECTING) return Promise.resolve();
    return Promise.race([new Promise<void>((done) => viewer.onopen = () => done()), this.#finished]);
  }

  /** Display to browser. */
  async #pump(upstream: WsClient): Promise<void> {
    while (!this.#reason) {
      this.#isReading = true;
      const data = await upstream.receive().catch((error) => {
        if (!(error instanceof FrameError)) throw error;
        log("warn", "the VNC proxy breaks the protocol", { error: error.message });
        this.stop({ code: 1011, reason: "The VNC proxy sent what nobody understands." });
        return null;
      });
      this.#isReading = false;
      if (this.#reason) return;
      if (!data && upstream.closed.code === 1006) return await this.#proxyGone();
      if (!data) return this.stop(passedOn(upstream.closed));
      this.#parts.viewer.send(data as Uint8Array<ArrayBuffer>); // Deno copies it
      this.#sent += data.length;
      await this.#drained();
    }
  }

  async #proxyGone(): Promise<void> {
    await happensWithin(this.#limits.ownEndMs, this.#finished);
    this.stop(PROXY_GONE);
  }

  /** Waits until the browser has taken enough; there is no event for it. */
  async #drained(): Promise<void> {
    for (let wait = 1; !this.#reason && this.#parts.viewer.bufferedAmount > HIGH_WATER_BYTES; wait *= 2) {
      await sleep(Math.min(wait, 50));
    }
  }

  /** Browser to display. */
  #take(data: unknown): void {
    if (this.#reason) return;
    if (!(data instanceof ArrayBuffer)) {
      return this.stop({ code: 1003, reason: "Only binary is spoken here." });
    }
    this.#inputBytes += data.byteLength + MESSAGE_BYTES;
    if (this.#inputBytes > MAX_INPUT_BYTES) {
      return this.stop({ code: 1009, reason: "More input than the display takes." });
    }
    this.#waitingInput.push(new Uint8Array(data));
    // else the viewer would go on asking for updates, which websockify reads from the display and piles up
    if (this.#stuck < this.#pauseAfterChecks) this.#sendWaitingInput();
  }

  #sendWaitingInput(): void {
    const upstream = this.#upstream;
    if (!upstream) return;
    for (const data of this.#waitingInput) {
      // the data itself is copied into a frame, and need not be kept for its length
      const cost = data.length + MESSAGE_BYTES;
      // a failed write shows on the reading side, with the better reason
      upstream.send(data).catch(() => {}).finally(() => this.#inputBytes -= cost);
    }
    this.#waitingInput = [];
  }

  /** Finds peers that are gone without a word, because Deno's own ping waits behind data that nobody takes. */
  #checker(): () => void {
    let flushed = 0, heardAt = 0, quiet = 0;
    return () => {
      const waiting = this.#parts.viewer.bufferedAmount;
      this.#stuck = waiting > 0 && this.#sent - waiting === flushed ? this.#stuck + 1 : 0;
      flushed = this.#sent - waiting;
      if (this.#stuck < this.#pauseAfterChecks) this.#sendWaitingInput();
      if (this.#stuck >= this.#goneAfterChecks) {
        return this.stop({ code: 1008, reason: "The viewer takes no data." });
      }

      const upstream = this.#upstream;
      quiet = upstream && this.#isReading && upstream.heardAt === heardAt ? quiet + 1 : 0;
      heardAt = upstream?.heardAt ?? 0;
      if (quiet >= this.#goneAfterChecks) {
        log("warn", "the VNC proxy does not answer");
        return this.stop(PROXY_GONE);
      }
      if (quiet >= this.#goneAfterChecks / 2) upstream?.ping();
    };
  }

  async #closeViewer({ code, reason }: Close): Promise<void> {
    const { viewer } = this.#parts;
    try {
      if (viewer.readyState <= WebSocket.OPEN) viewer.close(code, shortReason(reason));
      // Deno has no way to end one that does not answer our close frame: lib/front/viewers.ts does
      await happensWithin(this.#limits.closeMs, this.#viewerClosed);
    } catch (error) {
      log("warn", "a viewer's connection was not closed", { error: errorText(error) });
    }
  }
}
