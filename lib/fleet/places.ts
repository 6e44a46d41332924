/** The places of streams on this machine: what each takes, and how many run or are about to, which MAX_STREAMS limits. */
import type { Placement } from "../cluster/placement.ts";
import type { Estimate } from "../model/capacity.ts";
import type { StreamId } from "../model/id.ts";
import type { Stream } from "../model/schema.ts";
import type { StreamStore } from "../store/stream_store.ts";
import { tooManyRunning } from "./admission_decision.ts";

/** How a stream runs. */
export interface Run {
  /** Its start, ms of the steady clock; undefined while it is stopped. */
  startedAt: number | undefined;
  /** Whether its programs are to run now, or are about to be started for a viewer. */
  isWanted: boolean;
}

/** A stream's share of this machine, now and soon. */
export interface Place {
  /** How often the stream was admitted and is not stored as running yet: two requests may start one stream at once. */
  coming: number;
  /** The measured processor time and memory, once the stream runs long enough; null: not measured. */
  cost: { cpuPercent: number; mebibytes: number } | null;
  /** MiB at the last measurement, of young streams too. */
  takenMib: number | null;
  /** The expected cost, and the time of the admission, ms of the steady clock; null: the stream is not young any more. */
  expected: { at: number; estimate: Estimate } | null;
}

export interface PlacesParts {
  /** All streams, of other nodes too. */
  store: Pick<StreamStore, "list">;
  placement: Pick<Placement, "isMine">;
  /** Streams that may run at once; 0: no limit. */
  maxStreams: number;
  /** The fleet, which has the streams. */
  fleet: { runOf(id: StreamId): Run };
}

export class Places {
  readonly maxStreams: number;
  #parts: PlacesParts;
  #places = new Map<StreamId, Place>();

  constructor(parts: PlacesParts) {
    this.maxStreams = parts.maxStreams;
    this.#parts = parts;
  }

  runOf(id: StreamId): Run {
    return this.#parts.fleet.runOf(id);
  }

  /** The stream's place, which is made where there is none. */
  of(id: StreamId): Place {
    let place = this.#places.get(id);
    if (!place) this.#places.set(id, place = { coming: 0, cost: null, takenMib: null, expected: null });
    return place;
  }

  find(id: StreamId): Place | undefined {
    return this.#places.get(id);
  }

  [Symbol.iterator](): Iterator<[StreamId, Place]> {
    return this.#places.entries();
  }

  /** Forgets the places of which nothing is known. */
  tidy(): void {
    for (const [id, { coming, cost, takenMib, expected }] of this.#places) {
      if (coming === 0 && cost === null && takenMib === null && expected === null) this.#places.delete(id);
    }
  }

  /** The streams of this machine. */
  streams(): readonly Stream[] {
    const { store, placement } = this.#parts;
    return store.list().filter(({ id }) => placement.isMine(id));
  }

  /** The streams that run or are about to, with all that are coming. */
  running(streams: readonly Stream[] = this.streams()): Set<StreamId> {
    return new Set([...streams.filter((one) => this.#counts(one)).map(({ id }) => id), ...this.coming()]);
  }

  /** The streams that were admitted, and are not stored as running yet. */
  coming(): StreamId[] {
    return [...this.#places].flatMap(([id, { coming }]) => coming > 0 ? id : []);
  }

  /** Counts an admitted stream, until `arrived` is called for it as often as this was. */
  expect(id: StreamId): void {
    this.of(id).coming++;
  }

  /** The admitted stream is stored as running now, or was given up. */
  arrived(id: StreamId): void {
    const place = this.find(id);
    if (place) place.coming = Math.max(0, place.coming - 1);
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
