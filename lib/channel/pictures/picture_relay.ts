/** The pictures of one stream's display for all who watch them: one grab, at the highest rate that a viewer wants. */
import { Buffer } from "node:buffer";
import { MAX_PICTURE_RATE } from "../../display/screen_grabs.ts";
import { Budget, type BudgetLimits } from "../../machine/tools/budget.ts";
import { errorText, log } from "../../machine/tools/log.ts";
import { sleep } from "../../machine/tools/time.ts";
import { type AnswerForm, AnswerViewer } from "../relay/answer_viewer.ts";
import type { ViewerParts } from "../relay/relay.ts";
import { jpegsIn } from "./jpegs.ts";

/** A viewer of pictures, at its own rate. */
export class PictureViewer extends AnswerViewer {
  /** Pictures a second. */
  readonly fps: number;

  constructor(parts: ViewerParts, form: AnswerForm, fps: number) {
    super(parts, form);
    this.fps = fps;
  }
}

/** The unchecked bytes of JPEGs, so many a second. */
export type PictureSource = (fps: number, signal: AbortSignal) => AsyncIterable<Uint8Array<ArrayBuffer>>;

const BOUNDARY = "picture";
const encode = (text: string) => new TextEncoder().encode(text);

/** Browsers show a part when the next boundary comes, so it follows each picture at once. */
export const MOTION: AnswerForm = {
  type: `multipart/x-mixed-replace; boundary=${BOUNDARY}`,
  maxWaitingBytes: 0,
  preamble: encode(`--${BOUNDARY}\r\n`),
};

/** Milliseconds to the next try: the display is being started, or restarted. */
const RETRY_MS = 1000;
/** Milliseconds after which a picture that is the same is sent again: clients give up a silent connection. */
const AGAIN_MS = 5000;
/** Milliseconds that a picture may come early. */
const EARLY_MS = 50;

/** The pictures that are taken: code of the stream's user may write short ones without end in ffmpeg's place. */
const PICTURES: BudgetLimits = { perSecond: 2 * MAX_PICTURE_RATE, burst: 100 };

/** What a viewer has got. */
interface Sent {
  /** When its next picture is due, and when it got the last one, ms of the steady clock. */
  dueAt: number;
  sentAt: number;
  /** The number of the last one. */
  version: number;
}

export class PictureRelay {
  #source: PictureSource;
  #elapsed: () => number;
  #viewers = new Map<PictureViewer, Sent>();
  #newest: Uint8Array<ArrayBuffer> | null = null;
  /** Counts the pictures that differ from the one before. */
  #version = 0;
  #ending = new AbortController();
  #grab = new AbortController();
  #budget = new Budget(PICTURES, this.#ending.signal);
  #fps = 1;
  #running: Promise<void>;

  /** @param elapsed ms of a steady clock. */
  constructor(source: PictureSource, elapsed: () => number) {
    this.#source = source;
    this.#elapsed = elapsed;
    this.#running = this.#run();
  }

  /** The viewer gets the newest picture, and each at its rate from then on. */
  add(viewer: PictureViewer): void {
    this.#viewers.set(viewer, { dueAt: 0, sentAt: -Infinity, version: -1 });
    // a grab cannot change its rate
    if (viewer.fps > this.#fps) this.#grab.abort();
    this.#pass();
  }

  remove(viewer: PictureViewer): void {
    this.#viewers.delete(viewer);
  }

  async end(): Promise<void> {
    this.#ending.abort();
    this.#grab.abort();
    for (const viewer of [...this.#viewers.keys()]) viewer.end();
    await this.#running;
  }

  async #run(): Promise<void> {
    // the first viewer comes with the relay
    await Promise.resolve();
    while (!this.#ending.signal.aborted) {
      this.#grab = new AbortController();
      this.#fps = Math.max(1, ...[...this.#viewers.keys()].map(({ fps }) => fps));
      try {
        for await (const picture of jpegsIn(this.#source(this.#fps, this.#grab.signal))) {
          this.#take(picture);
          await this.#budget.pay(1);
        }
      } catch (error) {
        log("debug", "no pictures of a display", { error: errorText(error) });
      }
      if (!this.#grab.signal.aborted) await sleep(RETRY_MS, this.#ending.signal);
    }
  }

  #take(picture: Uint8Array<ArrayBuffer>): void {
    if (!this.#newest || Buffer.compare(picture, this.#newest) !== 0) {
      this.#newest = picture;
      this.#version++;
    }
    this.#pass();
  }

  #pass(): void {
    const [picture, version, now] = [this.#newest, this.#version, this.#elapsed()];
    if (!picture) return;
    let bytes: Uint8Array<ArrayBuffer> | null = null;
    for (const [viewer, sent] of this.#viewers) {
      const isDue = now >= sent.dueAt - EARLY_MS;
      if (!isDue || (version === sent.version && now - sent.sentAt < AGAIN_MS)) continue;
      sent.dueAt = Math.max(sent.dueAt + 1000 / viewer.fps, now);
      [sent.sentAt, sent.version] = [now, version];
      viewer.take({ bytes: bytes ??= partOf(picture), isStart: true });
    }
  }
}

function partOf(picture: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = `Content-Type: image/jpeg\r\nContent-Length: ${picture.length}\r\n\r\n`;
  return Buffer.concat([encode(head), picture, encode(`\r\n--${BOUNDARY}\r\n`)]);
}
