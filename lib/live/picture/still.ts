/** Still pictures of a stream's display in its full size: taken when somebody asks, at most one a second for all. */
import { ServiceError } from "../../errors.ts";
import { isWholeJpeg, isWholePng, type PictureKind } from "../../display/screen_grabs.ts";
import { ProcessError } from "../../machine/os/process.ts";
import type { Stream } from "../../model/schema.ts";
import type { Semaphore } from "../../machine/tools/concurrency.ts";
import { sleep } from "../../machine/tools/time.ts";
import type { KeptStream } from "../kept_stream.ts";

export type StillKind = Exclude<PictureKind, "thumbnail">;

export interface StillPicture {
  bytes: Uint8Array<ArrayBuffer>;
  /** Unix ms. */
  takenAt: number;
}

export interface StillParts {
  live: Pick<KeptStream, "id" | "stream" | "spec">;
  /** Captures the display. @throws {Error} when that fails. */
  capture(resolution: string, kind: StillKind, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  /** Limits the captures of all streams that go on at once. */
  captures: Semaphore;
  /** Unix ms. */
  now(): number;
  /** Milliseconds of a steady clock. */
  elapsed(): number;
}

/** Milliseconds between two captures. */
const EVERY_MS = 1000;
/** Seconds until a stream that starts shows something. */
const START_SECONDS = 5;

const IS_WHOLE = { jpeg: isWholeJpeg, png: isWholePng };

export class Still {
  #parts: StillParts;
  /** `at` is a time of the steady clock. */
  #newest = new Map<StillKind, StillPicture & { at: number }>();
  #current = new Map<StillKind, Promise<StillPicture>>();
  /** When the last capture began, or the next capture will. */
  #begunAt = -Infinity;
  #ending = new AbortController();

  constructor(parts: StillParts) {
    this.#parts = parts;
  }

  /**
   * A picture that is at most a second old.
   * @throws {ServiceError} 409 when the stream does not run, 503 while it starts. @throws {Error} when there is none.
   */
  async get(kind: StillKind): Promise<StillPicture> {
    const { resolution } = this.check();
    const { elapsed } = this.#parts;
    const newest = this.#newest.get(kind);
    if (newest && elapsed() - newest.at < EVERY_MS) return newest;
    let current = this.#current.get(kind);
    if (!current) {
      current = this.#take(kind, resolution).finally(() => this.#current.delete(kind));
      this.#current.set(kind, current);
    }
    return await current;
  }

  /**
   * The stream as it was started, of which a picture can be taken.
   * @throws {ServiceError} 409 when the stream does not run, 503 while it starts.
   */
  check(): Stream {
    const { live: { id, stream, spec } } = this.#parts;
    if (stream?.desiredState !== "running") {
      throw new ServiceError(409, `Stream "${id}" does not run: start it to get a picture.`);
    }
    if (!spec) {
      const message = `Stream "${id}" does not run yet. Try again in some seconds.`;
      throw new ServiceError(503, message, undefined, { retryAfterSeconds: START_SECONDS });
    }
    return spec.stream;
  }

  /** Once a second: forgets each picture that is too old to be an answer. */
  tick(): void {
    for (const [kind, { at }] of this.#newest) {
      if (this.#parts.elapsed() - at >= EVERY_MS) this.#newest.delete(kind);
    }
  }

  /** Ends the captures under way. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await Promise.allSettled(this.#current.values());
  }

  async #take(kind: StillKind, resolution: string): Promise<StillPicture> {
    const { captures, capture, now, elapsed } = this.#parts;
    const { signal } = this.#ending;
    const waitMs = this.#begunAt + EVERY_MS - elapsed();
    this.#begunAt = elapsed() + Math.max(0, waitMs);
    if (waitMs > 0) await sleep(waitMs, signal);
    return await captures.run(async () => {
      const [takenAt, at] = [now(), elapsed()];
      const bytes = await capture(resolution, kind, signal);
      if (!IS_WHOLE[kind](bytes)) {
        throw new ProcessError(`no picture: ${bytes.length} bytes that are no ${kind}`);
      }
      this.#newest.set(kind, { bytes, takenAt, at });
      return { bytes, takenAt };
    });
  }
}
