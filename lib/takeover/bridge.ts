/**
 * One viewer's bridge: the browser's WebSocket on one side, on the other the VNC proxy's, or that of the cluster's node that
 * has the stream; bytes both ways.
 */
import { errorText, logRarely } from "../machine/tools/log.ts";
import { happensWithin, sleep } from "../machine/tools/time.ts";
import { type Close, FrameError, isSendable, shortReason } from "../machine/websocket/frames.ts";
import { Endpoint } from "../machine/websocket/endpoint.ts";
import { RefusedError, type Target } from "../machine/websocket/handshake.ts";
import type { Timings } from "../timings.ts";

/** Bytes waiting for the browser above which the display is not read; with a quarter of it throughput halves. */
const HIGH_WATER_BYTES = 1024 * 1024;
/** Bytes of input waiting for the proxy above which a viewer is turned away; the largest clipboard text fits. */
const MAX_INPUT_BYTES = 2 * 1024 * 1024;

/** Bytes that a message costs beside its own while it waits, as an object with a write under way. */
const MESSAGE_BYTES = 512;

/** Characters that are typed at once, and of a message: a person's, or a phone's corrections of a sentence. */
const MAX_TEXT = 4096;

/** From a key at the display to the page, in ms, on a busy machine. */
const KEYS_MS = 60;

/** Keysyms of characters that are not of Latin-1. */
const UNICODE = 0x01000000;

/** What a message costs while it waits. */
function costOf(data: Uint8Array | ArrayBuffer | string): number {
  return MESSAGE_BYTES + (typeof data === "string" ? 2 * data.length : data.byteLength);
}

/** A key is pressed or let go. Source: RFC 6143, section 7.5.4. */
function keyEvent(keysym: number, isDown: boolean): Uint8Array<ArrayBuffer> {
  const message = new DataView(new ArrayBuffer(8));
  message.setUint8(0, 4);
  message.setUint8(1, Number(isDown));
  message.setUint32(4, keysym);
  return new Uint8Array(message.buffer);
}

export type BridgeLimits = Timings["vnc"];

/** Bytes of a message from the proxy; one that announces a longer one is talking nonsense. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Bytes of one read: more than the proxy's pieces, less than what malloc asks the kernel for each time. */
const READ_BYTES = 120 * 1024;

/** A viewer's way to its display. @throws {Error} when the proxy does not answer in time. */
export function connectToProxy(
  target: Target,
  limits: Pick<BridgeLimits, "connectMs" | "farewellMs">,
): Promise<Endpoint> {
  return Endpoint.connect(target, "binary", {
    ...limits,
    messageBytes: MAX_MESSAGE_BYTES,
    readBytes: READ_BYTES,
  });
}

const PROXY_GONE: Close = { code: 1013, reason: "The VNC proxy is being restarted. Try again in a moment." };

const STILL_RECORDED: Close = {
  code: 1013,
  reason: "The recorder of the channel's past does not stop. Try again in a moment.",
};

/** How a bridge ends whose other node gives no bridge. @param error what its handshake ended with; absent: silence. */
export function nodeGone(node: string, error?: unknown): Close {
  const said = error instanceof RefusedError
    ? `The node ${node} answers, and refuses (HTTP ${error.status}); its log says why.`
    : `The node ${node} does not answer. Try again in a moment.`;
  return { code: 1013, reason: shortReason(said) };
}

/** The code for our close frame, after the other side's close frame or its end without one. */
function passedOn({ code, reason }: Close): Close {
  if (code === 1005) return { code: 1000, reason: "" };
  return isSendable(code) ? { code, reason: shortReason(reason) } : { code: 1001, reason: "" };
}

export interface BridgeParts {
  viewer: WebSocket;
  target: Target;
  /** Whether the target is ours now; absent: it need not be asked. */
  isOurs?(): Promise<boolean>;
  /** Sees to it that nothing is kept of what the viewer does. @throws {Error} when it cannot. */
  becomePrivate?(): Promise<void>;
  /** Called when the viewer and the display are connected. */
  onConnected?: () => void;
  /** Types a text that no key has into the focused field; says whether it could. */
  type?: (text: string) => Promise<boolean>;
  /** The other node that is the target, and types by itself; absent: the target is the VNC proxy. */
  node?: string;
}

export class Bridge {
  #parts: BridgeParts;
  #limits: BridgeLimits;
  /** What the other side is called, and how the bridge ends with it. */
  #target: string;
  #gone: Close;
  /** Checks in a row after which a peer is late, or gone. They are counted, because time passes also while we are stopped. */
  #pauseAfterChecks: number;
  #goneAfterChecks: number;
  #upstream: Endpoint | null = null;
  /** Input that waits for the proxy, for a text before it, or for a viewer that takes nothing to go on. */
  #waitingInput: (Uint8Array | string)[] = [];
  #isTyping = false;
  /** Checks in a row in which the viewer took none of the bytes that wait for it. */
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
    this.#target = parts.node ? `the node ${parts.node}` : "the VNC proxy";
    this.#gone = parts.node ? nodeGone(parts.node) : PROXY_GONE;
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
      logRarely("error", "a VNC bridge failed", { error: errorText(error) });
      this.stop({ code: 1011, reason: "The server had an error. Its log has the details." });
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
      await this.#parts.becomePrivate?.();
    } catch (error) {
      logRarely("warn", "a viewer was turned away", { error: errorText(error) });
      return this.stop(STILL_RECORDED);
    }
    if (this.#reason) return;
    try {
      if (await this.#parts.isOurs?.() === false) throw new Error("no program of the service listens there");
      if (this.#reason) return;
      this.#upstream = await connectToProxy(this.#parts.target, this.#limits);
    } catch (error) {
      logRarely("warn", `${this.#target} cannot be reached`, { error: errorText(error) });
      if (this.#parts.node) this.#gone = nodeGone(this.#parts.node, error);
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
  async #pump(upstream: Endpoint): Promise<void> {
    while (!this.#reason) {
      this.#isReading = true;
      const data = await upstream.receiveBytes().catch((error) => {
        if (!(error instanceof FrameError)) throw error;
        logRarely("warn", `${this.#target} breaks the protocol`, { error: error.message });
        this.stop({ code: 1011, reason: shortReason(`${this.#target} sent an unknown answer.`) });
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
    this.stop(this.#gone);
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
    const { type, node } = this.#parts;
    const isText = typeof data === "string" && (type !== undefined || node !== undefined);
    if (isText && data.length > MAX_TEXT) {
      return this.stop({ code: 1009, reason: "A text that is too long to be typed." });
    }
    if (!isText && !(data instanceof ArrayBuffer)) {
      return this.stop({ code: 1003, reason: "Only binary is spoken here." });
    }
    this.#inputBytes += costOf(data);
    if (this.#inputBytes > MAX_INPUT_BYTES) {
      return this.stop({ code: 1009, reason: "More input than the display takes." });
    }
    this.#waitingInput.push(typeof data === "string" ? data : new Uint8Array(data));
    // else the viewer would go on asking for updates, which websockify reads from the display and piles up
    if (this.#stuck < this.#pauseAfterChecks) this.#sendWaitingInput();
  }

  #sendWaitingInput(): void {
    const upstream = this.#upstream;
    while (upstream && !this.#isTyping && this.#waitingInput.length > 0) {
      if (typeof this.#waitingInput[0] === "string") {
        if (this.#parts.node) {
          upstream.sendText(this.#nextText()).catch(() => {});
          continue;
        }
        this.#isTyping = true;
        this.#type(upstream, this.#nextText()).catch(() => {}).finally(() => {
          this.#isTyping = false;
          if (!this.#reason) this.#sendWaitingInput();
        });
        return;
      }
      const data = this.#waitingInput.shift() as Uint8Array;
      // the data itself is copied into a frame, and need not be kept for its length
      const cost = costOf(data);
      // a failed write shows on the reading side, with the better reason
      upstream.send(data).catch(() => {}).finally(() => this.#inputBytes -= cost);
    }
  }

  /** The letters before the next key, as many as are typed at once. */
  #nextText(): string {
    let text = "";
    for (let next = this.#waitingInput[0]; typeof next === "string"; next = this.#waitingInput[0]) {
      if (text.length + next.length > MAX_TEXT) break;
      this.#waitingInput.shift();
      this.#inputBytes -= costOf(next);
      text += next;
    }
    return text;
  }

  /** Types what no key has, after the keys before it; where there is no page to type into, by keys all the same. */
  async #type(upstream: Endpoint, text: string): Promise<void> {
    await sleep(KEYS_MS);
    if (await this.#parts.type!(text).catch(() => false)) return;
    for (const character of text) {
      const code = character.codePointAt(0)!;
      for (const isDown of [true, false]) {
        await upstream.send(keyEvent(code < 0x100 ? code : UNICODE + code, isDown));
      }
    }
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
        logRarely("warn", `${this.#target} does not answer`);
        return this.stop(this.#gone);
      }
      if (quiet >= this.#goneAfterChecks / 2) upstream?.ping();
    };
  }

  async #closeViewer({ code, reason }: Close): Promise<void> {
    const { viewer } = this.#parts;
    try {
      if (viewer.readyState <= WebSocket.OPEN) viewer.close(code, shortReason(reason));
      // Deno has no way to end one that does not answer our close frame: lib/takeover/viewers.ts does
      await happensWithin(this.#limits.closeMs, this.#viewerClosed);
    } catch (error) {
      logRarely("warn", "a viewer's connection was not closed", { error: errorText(error) });
    }
  }
}
