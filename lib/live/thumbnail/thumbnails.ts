/** The streams' thumbnails: when each is captured. The files are in thumbnail_files.ts. */
import type { StreamSpec } from "../../pipeline/spec.ts";
import { isWholeJpeg } from "../../pipeline/thumbnail_capture.ts";
import { ServiceError } from "../../errors.ts";
import { errorText, log } from "../../system/log.ts";
import {
  loadThumbnailTimes,
  readThumbnail,
  removeThumbnail,
  type Thumbnail,
  writeThumbnail,
} from "./files.ts";
import type { StreamId } from "../../model/id.ts";
import type { Stream } from "../../model/schema.ts";
import type { Part } from "../../system/part.ts";
import { Loop } from "../../system/time.ts";
import type { Timings } from "../../timings.ts";
import { KeyedQueue, Semaphore } from "../../system/concurrency.ts";

const SIDE_BY_SIDE = 2;
const ROUND_MS = 1000;

export interface ThumbnailParts {
  streamsDir: string;
  streams(): readonly Stream[];
  /** The spec of a stream that was started. */
  spec(id: StreamId): StreamSpec | undefined;
  /** Whether the stream is being started, stopped or changed. */
  isBusy(id: StreamId): boolean;
  /** Whether the display shows the stream's page, painted: nothing else becomes a thumbnail. */
  isShown(id: StreamId): boolean;
  /** Captures the thumbnail. @throws {Error} when there is none. */
  capture(spec: StreamSpec, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  limits: Pick<
    Timings,
    "thumbnailFirstMs" | "thumbnailIntervalMs" | "thumbnailRequestedMs" | "thumbnailRetryMs"
  >;
  /** When the stream was started, in ms of the steady clock. */
  startedAt(id: StreamId): number | undefined;
  now(): number;
  elapsed(): number;
}

interface Schedule {
  /** Unix ms of the thumbnail that we have. */
  capturedAt?: number;
  /** When the last try was, in ms of the steady clock. */
  triedAt: number;
  /** Somebody waits for the first thumbnail. */
  isRequested: boolean;
  failures: number;
  current: { done: Promise<void>; cancel: AbortController } | null;
}

export class Thumbnails implements Part {
  #parts: ThumbnailParts;
  #entries = new Map<StreamId, Schedule>();
  #semaphore = new Semaphore(SIDE_BY_SIDE);
  #files = new KeyedQueue();
  #loop = new Loop("no thumbnails");
  #isStopped = false;

  constructor(parts: ThumbnailParts) {
    this.#parts = parts;
  }

  /** Takes over the thumbnails of earlier runs, and removes those of streams that are gone. */
  async load(): Promise<void> {
    const { streams, now, elapsed } = this.#parts;
    const ids = streams().map(({ id }) => id);
    try {
      for (const [id, capturedAt] of await loadThumbnailTimes(this.#parts.streamsDir, ids)) {
        const ageMs = Math.max(0, now() - capturedAt); // it may be of a time when the clock was ahead
        Object.assign(this.#entry(id), { capturedAt, triedAt: elapsed() - ageMs });
      }
    } catch (error) {
      log("warn", "thumbnails of earlier runs not read", { error: errorText(error) });
    }
  }

  /** When the stream's thumbnail was captured (Unix ms); undefined while there is none. */
  capturedAt(id: StreamId): number | undefined {
    return this.#entries.get(id)?.capturedAt;
  }

  /** The thumbnail of a known stream. If there is none, it is captured as soon as the stream shows something: ask again. */
  async get(id: StreamId): Promise<Thumbnail | null> {
    const entry = this.#entry(id);
    const thumbnail = entry.capturedAt === undefined
      ? null
      : await readThumbnail(this.#parts.streamsDir, id, entry.capturedAt);
    if (thumbnail) return thumbnail;
    entry.capturedAt = undefined;
    entry.isRequested = true;
    const dueAt = this.#dueAt(id);
    if (dueAt !== null && dueAt <= this.#parts.elapsed()) this.capture(id);
    return null;
  }

  /**
   * Captures a thumbnail now, or joins the capture under way. The promise resolves at its end, good or bad: a failure is
   * logged.
   * @throws {ServiceError} 409 when the stream does not run.
   */
  capture(id: StreamId): Promise<void> {
    if (!this.#running(id)) {
      throw new ServiceError(409, `Stream "${id}" does not run: start it to get a new thumbnail.`);
    }
    const entry = this.#entry(id);
    if (!this.#parts.isShown(id)) {
      const message = entry.capturedAt === undefined
        ? "The stream does not show its page yet. It gets its first thumbnail as soon as it does."
        : "The last good thumbnail is kept: the stream does not show its page at the moment.";
      throw new ServiceError(409, message);
    }
    return (entry.current ??= this.#startCapture(id, entry)).done;
  }

  /** Removes a stream's thumbnail and ends its capture. */
  async remove(id: StreamId): Promise<void> {
    this.#entries.get(id)?.current?.cancel.abort();
    this.#entries.delete(id);
    await this.#files.run(id, () => removeThumbnail(this.#parts.streamsDir, id));
  }

  /**
   * Captures the thumbnail that is overdue most. At most one a round spreads them: 60 streams started in one second have
   * their thumbnails captured in 60 different ones, now and every time after.
   */
  round(): void {
    const { streams, isBusy, elapsed } = this.#parts;
    if (this.#semaphore.free === 0) return;
    const due = streams()
      .filter(({ id }) => !isBusy(id) && !this.#entries.get(id)?.current)
      .map(({ id }) => ({ id, at: this.#dueAt(id) ?? Infinity }))
      .filter(({ at }) => at <= elapsed())
      .sort((a, b) => a.at - b.at);
    if (due.length > 0) this.capture(due[0].id);
  }

  /** Captures on schedule. */
  start(): void {
    this.#loop.start(ROUND_MS, () => this.round());
  }

  /** Ends the captures under way as well. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const current = [...this.#entries.values()].flatMap(({ current }) => current ?? []);
    for (const { cancel } of current) cancel.abort();
    await Promise.all([this.#loop.stop(), ...current.map(({ done }) => done)]);
  }

  #entry(id: StreamId): Schedule {
    const entry = this.#entries.get(id) ??
      { triedAt: -Infinity, isRequested: false, failures: 0, current: null };
    this.#entries.set(id, entry);
    return entry;
  }

  /** The spec of a stream that runs and is wanted to. */
  #running(id: StreamId): StreamSpec | undefined {
    const stream = this.#parts.streams().find((one) => one.id === id);
    return stream?.desiredState === "running" && !this.#isStopped ? this.#parts.spec(id) : undefined;
  }

  /** When a thumbnail is to be captured, in ms of the steady clock; null when the stream does not run, or shows no page. */
  #dueAt(id: StreamId): number | null {
    const spec = this.#running(id);
    if (!spec || !this.#parts.isShown(id)) return null;
    const { capturedAt, triedAt: last, isRequested } = this.#entry(id);
    const onAir = this.#parts.startedAt(id)! + spec.stream.delay * 1000;
    const { thumbnailFirstMs, thumbnailIntervalMs, thumbnailRequestedMs, thumbnailRetryMs } =
      this.#parts.limits;
    if (isRequested && capturedAt === undefined) {
      return Math.max(onAir + thumbnailRequestedMs, last + thumbnailRetryMs);
    }
    const first = onAir + thumbnailFirstMs;
    return last < first ? first : last + thumbnailIntervalMs;
  }

  #startCapture(id: StreamId, entry: Schedule): NonNullable<Schedule["current"]> {
    const cancel = new AbortController();
    entry.triedAt = this.#parts.elapsed();
    const done = this.#semaphore.run(() => this.#take(id, entry, cancel.signal))
      .then(() => {
        entry.failures = 0;
      }, (error) => {
        if (cancel.signal.aborted || !this.#running(id)) return; // a display that is being stopped shows nothing
        const level = entry.failures++ === 0 ? "warn" : "debug"; // only the first of several failures in a row is a warning
        log(level, "no thumbnail", { stream: id, error: errorText(error) });
      })
      .finally(() => entry.current = null);
    return { done, cancel };
  }

  async #take(id: StreamId, entry: Schedule, signal: AbortSignal): Promise<void> {
    const spec = this.#running(id);
    if (!spec || signal.aborted) return;
    const capturedAt = this.#parts.now();
    const bytes = await this.#parts.capture(spec, signal);
    if (!isWholeJpeg(bytes)) throw new Error(`no thumbnail: ${bytes.length} bytes that are no JPEG`);
    await this.#files.run(id, async () => {
      // stopped meanwhile: it may show the browser on its way out, and would stay the stream's last thumbnail
      if (signal.aborted || this.#running(id)?.startedAt !== spec.startedAt) return;
      if (!this.#parts.isShown(id)) return; // its page broke while the picture was taken
      await writeThumbnail(this.#parts.streamsDir, id, { bytes, capturedAt });
      Object.assign(entry, { capturedAt, isRequested: false });
    });
  }
}
