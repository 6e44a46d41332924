/** The streams' pictures: when they are taken, by whom at once, and where they are kept. */
import type { StreamSpec } from "../pipeline/spec.ts";
import { ServiceError } from "../errors.ts";
import { errorText, log } from "../system/log.ts";
import {
  loadThumbnailTimes,
  readThumbnail,
  removeThumbnail,
  type Thumbnail,
  writeThumbnail,
} from "./thumbnail_files.ts";
import { KeyedQueue } from "../system/concurrency.ts";
import type { Stream } from "../streams/schema.ts";
import { Semaphore } from "../system/concurrency.ts";

/** Milliseconds between two pictures: 0.1 to 0.2 % of a core each stream (docs/performance.md). */
export const INTERVAL_MS = 60_000;
/** Milliseconds after the delay: a login is over by then. The specification's "first thumbnail delay". */
export const FIRST_AFTER_MS = 60_000;
/** Milliseconds after the delay for a picture somebody waits for: before, the page is hardly painted. */
export const ASKED_AFTER_MS = 5000;
/** Milliseconds between two tries for somebody who waits. */
export const RETRY_AFTER_MS = 10_000;

const SIDE_BY_SIDE = 2;
const ROUND_MS = 1000;

export interface ThumbnailParts {
  streamsDir: string;
  streams(): readonly Stream[];
  /** The spec of a stream that was started. */
  spec(id: string): StreamSpec | undefined;
  /** Whether the stream is being started, stopped or changed. */
  isBusy(id: string): boolean;
  /** Takes the picture. @throws {Error} when there is none. */
  capture(spec: StreamSpec, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  now(): number;
}

interface Schedule {
  /** Unix ms of the picture we have, and of the last try. */
  takenAt?: number;
  triedAt: number;
  /** Somebody waits for the first picture. */
  isAsked: boolean;
  failures: number;
  current: { done: Promise<void>; cancel: AbortController } | null;
}

export class Thumbnails {
  #parts: ThumbnailParts;
  #entries = new Map<string, Schedule>();
  #turns = new Semaphore(SIDE_BY_SIDE);
  #files = new KeyedQueue();
  #hasEnded = false;

  constructor(parts: ThumbnailParts) {
    this.#parts = parts;
  }

  /** Takes over the pictures of earlier runs, and removes those of streams that are gone. */
  async load(): Promise<void> {
    const ids = this.#parts.streams().map(({ id }) => id);
    for (const [id, takenAt] of await loadThumbnailTimes(this.#parts.streamsDir, ids)) {
      Object.assign(this.#entry(id), { takenAt, triedAt: takenAt });
    }
  }

  /** When the stream's picture was taken (Unix ms); undefined while there is none. */
  takenAt(id: string): number | undefined {
    return this.#entries.get(id)?.takenAt;
  }

  /** The picture of a known stream. If there is none it is taken as soon as the stream shows something: ask again. */
  async get(id: string): Promise<Thumbnail | null> {
    const entry = this.#entry(id);
    const picture = entry.takenAt === undefined
      ? null
      : await readThumbnail(this.#parts.streamsDir, id, entry.takenAt);
    if (picture) return picture;
    entry.takenAt = undefined;
    entry.isAsked = true;
    const dueAt = this.#dueAt(id);
    if (dueAt !== null && dueAt <= this.#parts.now()) this.capture(id);
    return null;
  }

  /**
   * Takes a picture now, or joins the one being taken. The promise tells its end, good or bad: a failure is logged.
   * @throws {ServiceError} 409 when the stream does not run.
   */
  capture(id: string): Promise<void> {
    if (!this.#running(id)) {
      throw new ServiceError(409, `Stream "${id}" does not run: start it to get a new picture.`);
    }
    const entry = this.#entry(id);
    return (entry.current ??= this.#begin(id, entry)).done;
  }

  /** Removes what is kept of a stream and ends its capture. */
  async remove(id: string): Promise<void> {
    this.#entries.get(id)?.current?.cancel.abort();
    this.#entries.delete(id);
    await this.#files.run(id, () => removeThumbnail(this.#parts.streamsDir, id));
  }

  /**
   * Takes the picture that is overdue most. At most one a round spreads them: 60 streams started in one second have
   * their pictures taken in 60 different ones, now and every time after.
   */
  round(): void {
    const { streams, isBusy, now } = this.#parts;
    if (this.#turns.free === 0) return;
    const due = streams()
      .filter(({ id }) => !isBusy(id) && !this.#entries.get(id)?.current)
      .map(({ id }) => ({ id, at: this.#dueAt(id) ?? Infinity }))
      .filter(({ at }) => at <= now())
      .sort((a, b) => a.at - b.at);
    if (due.length > 0) this.capture(due[0].id);
  }

  /** Takes pictures on schedule until `signal` aborts, which ends those under way. */
  begin(signal: AbortSignal): void {
    const timer = setInterval(() => this.round(), ROUND_MS);
    signal.addEventListener("abort", () => {
      clearInterval(timer);
      this.#hasEnded = true;
      for (const { current } of this.#entries.values()) current?.cancel.abort();
    }, { once: true });
  }

  #entry(id: string): Schedule {
    const entry = this.#entries.get(id) ?? { triedAt: 0, isAsked: false, failures: 0, current: null };
    this.#entries.set(id, entry);
    return entry;
  }

  /** The spec of a stream that runs and is wanted to. */
  #running(id: string): StreamSpec | undefined {
    const stream = this.#parts.streams().find((one) => one.id === id);
    return stream?.desiredState === "running" && !this.#hasEnded ? this.#parts.spec(id) : undefined;
  }

  /** Unix ms from which on a picture is to be taken; null when the stream does not run. */
  #dueAt(id: string): number | null {
    const spec = this.#running(id);
    if (!spec) return null;
    const { takenAt, triedAt, isAsked } = this.#entry(id);
    const onAir = spec.startedAt + spec.stream.delay * 1000;
    // a time to come: the clock was set back
    const last = triedAt > this.#parts.now() ? 0 : triedAt;
    if (isAsked && takenAt === undefined) return Math.max(onAir + ASKED_AFTER_MS, last + RETRY_AFTER_MS);
    return last < onAir + FIRST_AFTER_MS ? onAir + FIRST_AFTER_MS : last + INTERVAL_MS;
  }

  #begin(id: string, entry: Schedule): NonNullable<Schedule["current"]> {
    const cancel = new AbortController();
    entry.triedAt = this.#parts.now();
    const done = this.#turns.run(() => this.#take(id, entry, cancel.signal))
      .then(() => {
        entry.failures = 0;
      }, (error) => {
        if (cancel.signal.aborted || !this.#running(id)) return; // no wonder
        const level = entry.failures++ === 0 ? "warn" : "debug"; // once, not every minute
        log(level, "no thumbnail", { stream: id, error: errorText(error) });
      })
      .finally(() => entry.current = null);
    return { done, cancel };
  }

  async #take(id: string, entry: Schedule, signal: AbortSignal): Promise<void> {
    const spec = this.#running(id);
    if (!spec || signal.aborted) return;
    const takenAt = this.#parts.now();
    const bytes = await this.#parts.capture(spec, signal);
    await this.#files.run(id, async () => {
      // stopped meanwhile: it may show the browser on its way out, and would stay the stream's last picture
      if (signal.aborted || this.#running(id)?.startedAt !== spec.startedAt) return;
      await writeThumbnail(this.#parts.streamsDir, id, { bytes, takenAt });
      Object.assign(entry, { takenAt, isAsked: false });
    });
  }
}
