/** The runtime state of all streams: what supervisord, the media server and the reconciler know of each. */
import { noSuchStream } from "../errors.ts";
import { type StreamId, streamId } from "../model/id.ts";
import type { Stream } from "../model/schema.ts";
import type { StreamStatus } from "../model/status.ts";
import type { StreamStore } from "../store/streams.ts";
import type { Program, ProgramStatus } from "../supervisor/status.ts";
import { Turn } from "../system/turns.ts";
import type { Timings } from "../timings.ts";
import type { Demand } from "../fleet/demand.ts";
import type { PageHealth } from "../live/page/health.ts";
import type { Plans } from "../fleet/plans.ts";
import type { ProgramWatchdog } from "../fleet/program_watchdog.ts";
import type { Reconciler } from "../fleet/reconciler.ts";
import { streamStatus } from "../live/status.ts";

export interface StatusesParts {
  store: StreamStore;
  programs: ProgramStatus;
  reconciler: Pick<Reconciler, "startedAt" | "problem" | "recreation">;
  demand: Pick<Demand, "isWaiting">;
  plans: Pick<Plans, "returnsAt">;
  watchdog: Pick<ProgramWatchdog, "gaveUp">;
  health: Pick<PageHealth, "added" | "page">;
  thumbnails: { capturedAt(id: StreamId): number | undefined };
  limits: Timings;
  playlistAgeMs(id: StreamId): number | null;
  elapsed: () => number;
}

export class Statuses {
  #parts: StatusesParts;

  constructor(parts: StatusesParts) {
    this.#parts = parts;
  }

  /** The states by id, as old as the status cache allows. @throws {ServiceError} 503 when the supervisor does not answer. */
  async all(): Promise<Record<string, StreamStatus>> {
    const programs = await this.programs();
    const turn = new Turn();
    const statuses: Record<string, StreamStatus> = {};
    for (const stream of this.#parts.store.list()) {
      statuses[stream.id] = this.#statusOf(stream, programs);
      await turn.pause();
    }
    return statuses;
  }

  /** @throws {ServiceError} 404; 503 when the supervisor does not answer. */
  async get(id: string): Promise<StreamStatus> {
    const stream = this.#parts.store.get(streamId(id));
    if (!stream) throw noSuchStream(id);
    return this.#statusOf(stream, await this.programs());
  }

  /** The supervisor's programs by name, likewise. @throws {ServiceError} 503 when it does not answer. */
  async programs(): Promise<ReadonlyMap<string, Program>> {
    return await this.#parts.programs.programs();
  }

  #statusOf(stream: Stream, programs: ReadonlyMap<string, Program>): StreamStatus {
    const { reconciler, demand, plans, watchdog, health, thumbnails, playlistAgeMs, limits, elapsed } =
      this.#parts;
    const { id } = stream;
    const isWanted = stream.desiredState === "running";
    const status = streamStatus(stream, {
      programs,
      playlistAgeMs: isWanted ? playlistAgeMs(id) : null,
      startedAt: reconciler.startedAt(id) ?? null,
      problem: reconciler.problem(id),
      isWaiting: demand.isWaiting(stream),
      returnsAt: plans.returnsAt(stream),
      isPageOpening: health.page(id)?.state === "opening",
      gaveUp: watchdog.gaveUp(id),
      now: elapsed(),
    }, limits);
    const recreation = reconciler.recreation(id);
    if (recreation) status.recreate = recreation;
    if (recreation && recreation.step !== "failed" && isWanted) {
      // whatever its programs are doing meanwhile
      Object.assign(status, { state: "starting", reason: undefined, program: undefined });
    }
    const thumbAt = thumbnails.capturedAt(id);
    if (thumbAt !== undefined) status.thumbAt = thumbAt;
    return health.added(id, status);
  }
}
