/** The runtime state of all streams: what supervisord, the media server and the reconciler know of each. */
import { noSuchStream, ServiceError } from "../errors.ts";
import { playlistAge } from "../media/hls.ts";
import type { Paths } from "../paths.ts";
import { type StreamId, streamId } from "../streams/id.ts";
import type { Stream } from "../streams/schema.ts";
import type { StreamStatus } from "../streams/status.ts";
import type { StreamStore } from "../streams/store.ts";
import type { ProgramStatus } from "../supervisor/status.ts";
import type { Timings } from "../timings.ts";
import type { PageHealth } from "./page_health.ts";
import type { ProgramWatchdog } from "./program_watchdog.ts";
import type { Reconciler } from "./reconciler.ts";
import { streamStatus } from "./status.ts";

const NO_ANSWER =
  "The supervisor does not answer, so it is not known how the streams are. It is looked after; " +
  "try again in a moment.";

export interface StatusesParts {
  store: StreamStore;
  programs: ProgramStatus;
  reconciler: Pick<Reconciler, "spec" | "problem" | "recreation">;
  watchdog: Pick<ProgramWatchdog, "gaveUp">;
  health: Pick<PageHealth, "added" | "page">;
  thumbnails: { capturedAt(id: StreamId): number | undefined };
  paths: Pick<Paths, "hlsDir">;
  limits: Timings;
  now: () => number;
}

export class Statuses {
  #parts: StatusesParts;

  constructor(parts: StatusesParts) {
    this.#parts = parts;
  }

  /** The states by id, as old as the status cache allows. @throws {ServiceError} 503 when the supervisor does not answer. */
  async all(): Promise<Record<string, StreamStatus>> {
    const statuses = await Promise.all(this.#parts.store.list().map((stream) => this.#statusOf(stream)));
    return Object.fromEntries(statuses.map((status) => [status.id, status]));
  }

  /** @throws {ServiceError} 404; 503 when the supervisor does not answer. */
  async get(id: string): Promise<StreamStatus> {
    const stream = this.#parts.store.get(streamId(id));
    if (!stream) throw noSuchStream(id);
    return await this.#statusOf(stream);
  }

  async #statusOf(stream: Stream): Promise<StreamStatus> {
    const { programs, reconciler, watchdog, health, thumbnails, paths, limits, now } = this.#parts;
    const { id } = stream;
    const status = streamStatus(stream, {
      programs: await programs.programs().catch((cause) => {
        throw new ServiceError(503, NO_ANSWER, undefined, { cause, retryAfterSeconds: 2 });
      }),
      playlistAgeMs: playlistAge(paths.hlsDir, id, now()),
      startedAt: reconciler.spec(id)?.startedAt ?? null,
      problem: reconciler.problem(id),
      isPageOpening: health.page(id)?.state === "opening",
      gaveUp: watchdog.gaveUp(id),
      now: now(),
    }, limits);
    const recreation = reconciler.recreation(id);
    if (recreation) status.recreate = recreation;
    if (recreation && recreation.step !== "failed" && stream.desiredState === "running") {
      // whatever its programs are doing meanwhile
      Object.assign(status, { state: "starting", reason: undefined, program: undefined });
    }
    const thumbAt = thumbnails.capturedAt(id);
    if (thumbAt !== undefined) status.thumbAt = thumbAt;
    return health.added(id, status);
  }
}
