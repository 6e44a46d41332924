/** One viewer's bridge: the browser's WebSocket on one side, the VNC proxy's on the other, bytes both ways. */
import { errorText, log } from "../system/log.ts";
import { type Close, FrameError, isSendable, shortReason } from "./frames.ts";
import { type Target, WsClient } from "./ws_client.ts";

/** Bytes waiting for the browser above which the display's side is not read. */
const HIGH_WATER = 256 * 1024;
/** Bytes of input waiting for the proxy above which a viewer is turned away; the largest clipboard text fits. */
const MAX_INPUT = 2 * 1024 * 1024;
/** Milliseconds without progress before a peer counts as gone. */
const GONE_MS = 24_000;
const WATCH_MS = 2000;
/** Milliseconds the browser gets to answer our close frame before we stop waiting. */
const CLOSE_MS = 1000;

/** Seconds for Deno.upgradeWebSocket: pings after half of it, gives up after all of it. */
export const IDLE_SECONDS = GONE_MS / 1000;

const PROXY_GONE: Close = { code: 1013, reason: "The VNC proxy is being restarted. Try again in a moment." };

/** What may stand in a close frame for one that came, or did not. */
function passedOn({ code, reason }: Close): Close {
  return isSendable(code) ? { code, reason: shortReason(reason) } : { code: 1001, reason: "" };
}

export class Bridge {
  #viewer: WebSocket;
  #target: Target;
  #upstream: WsClient | null = null;
  #input: Uint8Array[] = [];
  #inputBytes = 0;
  #wakeInput = () => {};
  #sent = 0;
  #flushed = 0;
  #progressAt = performance.now();
  /** Whether we wait for the display's side, and not for the browser. */
  #isReading = false;
  #close: Close | null = null;
  #finish!: () => void;
  #finished = new Promise<void>((done) => this.#finish = done);
  #viewerClosed: Promise<void>;

  constructor(viewer: WebSocket, target: Target) {
    this.#viewer = viewer;
    this.#target = target;
    viewer.binaryType = "arraybuffer";
    viewer.onmessage = ({ data }) => this.#take(data);
    viewer.onerror = (event) => event.preventDefault();
    this.#viewerClosed = new Promise((done) => {
      viewer.onclose = ({ code, reason }) => {
        this.end(passedOn({ code, reason }));
        done();
      };
    });
  }

  /** Ends the bridge; the first reason counts, and goes to both sides. */
  end(close: Close): void {
    this.#close ??= close;
    this.#finish();
  }

  /** Runs until one side ends or `end` is called; then both are closed. Never rejects. */
  async run(): Promise<void> {
    const working = this.#work().catch((error) => {
      log("error", "a VNC bridge failed", { error: errorText(error) });
      this.end({ code: 1011, reason: "Something went wrong on the server; its log says what." });
    });
    const watch = setInterval(() => this.#watch(), WATCH_MS);
    await this.#finished;
    clearInterval(watch);
    this.#wakeInput();
    const close = this.#close!;
    this.#closeViewer(close);
    await this.#upstream?.close(close);
    await working;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise((done) => timer = setTimeout(done, CLOSE_MS));
    await Promise.race([this.#viewerClosed, late]);
    clearTimeout(timer);
  }

  async #work(): Promise<void> {
    await this.#opened();
    if (this.#close) return;
    try {
      const upstream = await WsClient.connect(this.#target);
      this.#upstream = upstream;
    } catch (error) {
      log("warn", "the VNC proxy cannot be reached", { error: errorText(error) });
      return this.end(PROXY_GONE);
    }
    if (this.#close) return await this.#upstream.close(this.#close);
    await Promise.all([this.#pumpOut(this.#upstream), this.#pumpIn(this.#upstream)]);
  }

  #opened(): Promise<void> {
    if (this.#viewer.readyState !== WebSocket.CONNECTING) return Promise.resolve();
    return Promise.race([
      new Promise<void>((done) => this.#viewer.onopen = () => done()),
      this.#finished,
    ]);
  }

  /** Display to browser. */
  async #pumpOut(upstream: WsClient): Promise<void> {
    while (!this.#close) {
      this.#isReading = true;
      const pieces = await upstream.receive().catch((error) => {
        if (!(error instanceof FrameError)) throw error;
        log("warn", "the VNC proxy breaks the protocol", { error: error.message });
        this.end({ code: 1011, reason: "The VNC proxy sent what nobody understands." });
        return [];
      });
      this.#isReading = false;
      if (this.#close) return;
      if (!pieces) return this.end(upstream.end.code === 1006 ? PROXY_GONE : passedOn(upstream.end));
      for (const piece of pieces) {
        this.#viewer.send(piece as Uint8Array<ArrayBuffer>);
        this.#sent += piece.length;
      }
      await this.#drained();
    }
  }

  /** Waits until the browser has taken enough; there is no event for it. */
  async #drained(): Promise<void> {
    for (
      let wait = 1;
      !this.#close && this.#viewer.bufferedAmount > HIGH_WATER;
      wait = Math.min(wait * 2, 50)
    ) {
      await new Promise((done) => setTimeout(done, wait));
    }
  }

  #take(data: unknown): void {
    if (this.#close) return;
    if (!(data instanceof ArrayBuffer)) {
      return this.end({ code: 1003, reason: "Only binary is spoken here." });
    }
    if (this.#inputBytes + data.byteLength > MAX_INPUT) {
      return this.end({ code: 1009, reason: "More input than the display takes." });
    }
    this.#input.push(new Uint8Array(data));
    this.#inputBytes += data.byteLength;
    this.#wakeInput();
  }

  /** Browser to display. */
  async #pumpIn(upstream: WsClient): Promise<void> {
    while (!this.#close) {
      const next = this.#input.shift();
      if (next) {
        // a failed write shows on the reading side, with the better reason
        await upstream.send(next).catch(() => {});
        this.#inputBytes -= next.length;
      } else {
        await new Promise<void>((done) => this.#wakeInput = done);
      }
    }
  }

  /** Finds peers that are gone without a word. Deno's own ping waits behind data that nobody takes. */
  #watch(): void {
    const now = performance.now();
    const waiting = this.#viewer.bufferedAmount;
    const flushed = this.#sent - waiting;
    if (waiting === 0 || flushed !== this.#flushed) this.#progressAt = now;
    this.#flushed = flushed;
    if (now - this.#progressAt > GONE_MS) {
      return this.end({ code: 1008, reason: "The viewer takes no data." });
    }
    const quiet = this.#isReading && this.#upstream ? now - this.#upstream.heardAt : 0;
    if (quiet > GONE_MS) {
      log("warn", "the VNC proxy does not answer");
      return this.end(PROXY_GONE);
    }
    if (quiet > GONE_MS / 2) this.#upstream!.ping();
  }

  #closeViewer({ code, reason }: Close): void {
    if (this.#viewer.readyState > WebSocket.OPEN) return;
    try {
      this.#viewer.close(code, shortReason(reason));
    } catch (error) {
      log("debug", "a viewer was not closed", { error: errorText(error) });
    }
  }
}
