/** Decides when a stream's thumbnail is captured. files.ts keeps the file. */
import type { StreamSpec } from "../programs/commands/spec.ts";
import { isWholeJpeg } from "../../display/screen_grabs.ts";
import { ServiceError } from "../../errors.ts";
import { errorText, log } from "../../machine/tools/log.ts";
import { readThumbnail, removeThumbnail, type ThumbnailFile, writeThumbnail } from "./files.ts";
import { type Semaphore, WorkQueue } from "../../machine/tools/concurrency.ts";
import type { Timings } from "../../timings.ts";
import type { KeptStream } from "../kept_stream.ts";

export interface ThumbnailParts {
  live: Pick<KeptStream, "id" | "stream" | "spec" | "isBusy">;
  streamsDir: string;
  /** Whether the display shows the stream's page, painted: nothing else becomes a thumbnail. */
  isShown(): boolean;
  /** Captures the thumbnail. @throws {Error} when there is none. */
  capture(spec: StreamSpec, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  /** Limits the captures of all streams that go on at once. */
  captures: Semaphore;
  limits: Pick<
    Timings,
    "thumbnailFirstMs" | "thumbnailIntervalMs" | "thumbnailRequestedMs" | "thumbnailRetryMs"
  >;
  now(): number;
  elapsed(): number;
}

export class Thumbnail {
  #parts: ThumbnailParts;
  /** The present thumbnail's time, Unix ms. */
  #capturedAt: number | undefined;
  /** When the last try was, in ms of the steady clock. */
  #triedAt = -Infinity;
  /** Somebody waits for the first thumbnail. */
  #isRequested = false;
  #failures = 0;
  #current: { done: Promise<void>; cancel: AbortController } | null = null;
  #files = new WorkQueue();
  #isStopped = false;

  constructor(parts: ThumbnailParts) {
    this.#parts = parts;
  }

  /** When the thumbnail was captured (Unix ms); undefined while there is none. */
  get capturedAt(): number | undefined {
    return this.#capturedAt;
  }

  /** Takes over the thumbnail of an earlier run. @param capturedAt Unix ms. */
  adopt(capturedAt: number): void {
    const { now, elapsed } = this.#parts;
    const ageMs = Math.max(0, now() - capturedAt); // the clock may have been ahead at the capture
    this.#capturedAt = capturedAt;
    this.#triedAt = elapsed() - ageMs;
  }

  /** The thumbnail that there is. */
  async kept(): Promise<ThumbnailFile | null> {
    const { live, streamsDir } = this.#parts;
    if (this.#capturedAt === undefined) return null;
    return await readThumbnail(streamsDir, live.id, this.#capturedAt);
  }

  /** The thumbnail. If there is none, it is captured as soon as the stream shows something: ask again. */
  async get(): Promise<ThumbnailFile | null> {
    const { elapsed } = this.#parts;
    const thumbnail = await this.kept();
    if (thumbnail) return thumbnail;
    this.#capturedAt = undefined;
    this.#isRequested = true;
    const { dueAt } = this;
    if (dueAt !== null && dueAt <= elapsed()) this.capture();
    return null;
  }

  /**
   * Captures a thumbnail now, or joins the capture under way. The promise resolves at its end, good or bad: a failure is
   * logged.
   * @throws {ServiceError} 409 when the stream does not run.
   */
  capture(): Promise<void> {
    const { live: { id }, isShown } = this.#parts;
    if (!this.#running) {
      throw new ServiceError(409, `Stream "${id}" does not run: start it to get a new thumbnail.`);
    }
    if (!isShown()) {
      const message = this.#capturedAt === undefined
        ? "The stream does not show its page yet. It gets its first thumbnail as soon as it does."
        : "The last good thumbnail is kept: the stream does not show its page at the moment.";
      throw new ServiceError(409, message);
    }
    return (this.#current ??= this.#startCapture()).done;
  }

  /** Removes the thumbnail and ends its capture. */
  async remove(): Promise<void> {
    this.#current?.cancel.abort();
    this.#capturedAt = undefined;
    this.#triedAt = -Infinity;
    this.#isRequested = false;
    await this.#files.run(() => removeThumbnail(this.#parts.streamsDir, this.#parts.live.id));
  }

  /** Ends the capture under way as well. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#current?.cancel.abort();
    await this.#current?.done;
  }

  /** Whether a capture is under way. */
  get isCapturing(): boolean {
    return this.#current !== null;
  }

  /** When the next capture is due, in ms of the steady clock; null when the stream does not run, or shows no page. */
  get dueAt(): number | null {
    const spec = this.#running;
    if (!spec || !this.#parts.isShown()) return null;
    const onAir = spec.steadyStart + spec.stream.delay * 1000;
    const { thumbnailFirstMs, thumbnailIntervalMs, thumbnailRequestedMs, thumbnailRetryMs } =
      this.#parts.limits;
    if (this.#isRequested && this.#capturedAt === undefined) {
      return Math.max(onAir + thumbnailRequestedMs, this.#triedAt + thumbnailRetryMs);
    }
    const first = onAir + thumbnailFirstMs;
    return this.#triedAt < first ? first : this.#triedAt + thumbnailIntervalMs;
  }

  /** The spec of a stream that runs and is wanted to run. */
  get #running(): KeptStream["spec"] {
    const { stream, spec } = this.#parts.live;
    return stream?.desiredState === "running" && !this.#isStopped ? spec : null;
  }

  #startCapture(): { done: Promise<void>; cancel: AbortController } {
    const { captures, elapsed, live: { id } } = this.#parts;
    const cancel = new AbortController();
    this.#triedAt = elapsed();
    const done = captures.run(() => this.#take(cancel.signal))
      .then(() => {
        this.#failures = 0;
      }, (error) => {
        if (cancel.signal.aborted || !this.#running) return; // a display that is being stopped shows nothing
        const level = this.#failures++ === 0 ? "warn" : "debug"; // only the first of several failures in a row is a warning
        log(level, "no thumbnail", { stream: id, error: errorText(error) });
      })
      .finally(() => this.#current = null);
    return { done, cancel };
  }

  async #take(signal: AbortSignal): Promise<void> {
    const { now, capture, isShown, streamsDir, live: { id } } = this.#parts;
    const spec = this.#running;
    if (!spec || signal.aborted) return;
    const capturedAt = now();
    const bytes = await capture(spec, signal);
    if (!isWholeJpeg(bytes)) throw new Error(`no thumbnail: ${bytes.length} bytes that are no JPEG`);
    await this.#files.run(async () => {
      // stopped meanwhile: the picture may show the browser's end, and would stay the stream's last thumbnail
      if (signal.aborted || this.#running?.startedAt !== spec.startedAt) return;
      if (!isShown()) return; // its page broke while the picture was taken
      await writeThumbnail(streamsDir, id, { bytes, capturedAt });
      this.#capturedAt = capturedAt;
      this.#isRequested = false;
    });
  }
}
