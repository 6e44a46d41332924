/** How many of this machine's streams run or are about to run: MAX_STREAMS has a place for each of so many. */
import type { Placement } from "../cluster/placement.ts";
import type { StreamId } from "../model/id.ts";
import type { Stream } from "../model/schema.ts";
import type { StreamStore } from "../store/stream_store.ts";
import { tooManyRunning } from "./admission_decision.ts";

/** How a stream runs. */
export interface Run {
  /** Its start, ms of the steady clock; undefined while it is stopped. */
  startedAt: number | undefined;
  /** Whether its programs are to run now, also those of one that is about to be started for a viewer. */
  isWanted: boolean;
}

export interface PlacesParts {
  /** All streams, those of other nodes too. */
  store: Pick<StreamStore, "list">;
  placement: Pick<Placement, "isMine">;
  /** Streams that may run at once; 0: no limit. */
  maxStreams: number;
  runOf(id: StreamId): Run;
}

export class Places {
  readonly maxStreams: number;
  #parts: PlacesParts;
  /** Admitted streams that are not stored as running yet, with a count: two requests may start one stream at once. */
  #coming = new Map<StreamId, number>();

  constructor(parts: PlacesParts) {
    this.maxStreams = parts.maxStreams;
    this.#parts = parts;
  }

  runOf(id: StreamId): Run {
    return this.#parts.runOf(id);
  }

  /** The streams of this machine. */
  streams(): readonly Stream[] {
    const { store, placement } = this.#parts;
    return store.list().filter(({ id }) => placement.isMine(id));
  }

  /** Those of the streams that run or are about to, with all that are coming. */
  running(streams: readonly Stream[] = this.streams()): Set<StreamId> {
    return new Set([...streams.filter((one) => this.#counts(one)).map(({ id }) => id), ...this.coming()]);
  }

  /** The streams that were admitted, and are not stored as running yet. */
  coming(): Iterable<StreamId> {
    return this.#coming.keys();
  }

  /** Counts an admitted stream, until `arrived` is called for it as often as this was. */
  expect(id: StreamId): void {
    this.#coming.set(id, (this.#coming.get(id) ?? 0) + 1);
  }

  /** The admitted stream is stored as running now, or was given up. */
  arrived(id: StreamId): void {
    const left = (this.#coming.get(id) ?? 0) - 1;
    if (left > 0) this.#coming.set(id, left);
    else this.#coming.delete(id);
  }

  /** Why a viewer does not start the stream now, in short: MAX_STREAMS run already; null: there is a place. */
  noPlace(id: StreamId): string | null {
    if (this.maxStreams === 0) return null;
    const running = this.running();
    running.delete(id);
    return tooManyRunning(running.size, this.maxStreams)?.short ?? null;
  }

  /** A stream that runs only while somebody watches takes nothing while it waits. */
  #counts({ id, desiredState, onDemand }: Stream): boolean {
    if (desiredState !== "running") return false;
    const { startedAt, isWanted } = this.runOf(id);
    return !onDemand || startedAt !== undefined || isWanted;
  }
}
