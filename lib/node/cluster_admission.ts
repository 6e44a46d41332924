/**
 * Lets a stream start where any node of the cluster has room: which one takes it, the nodes decide by themselves
 * (lib/cluster/keeper.ts), each by its own measurements.
 */
import { type Admission, type Candidate, isAlwaysToRun, noRoom } from "../fleet/admission.ts";
import { estimateOf } from "../model/capacity.ts";
import type { StreamId } from "../model/id.ts";
import type { Stream } from "../model/schema.ts";

/** The share of a machine that is free where one more stream may fit. */
const LEAST_ROOM = 0.02;

const NO_NODE = "no node of the cluster is free";

/** Milliseconds after which people hear that no node has taken a stream: where none has room, and where one should have. */
const [NO_ROOM_MS, LONG_MS] = [30_000, 300_000];

export interface NodeRoom {
  name: string;
  /** 0 to 1. */
  room: number;
}

export class ClusterAdmission implements Pick<Admission, "admit" | "arrived" | "admitList"> {
  #nodes: () => readonly NodeRoom[];

  /** @param nodes those that take streams. */
  constructor(nodes: () => readonly NodeRoom[]) {
    this.#nodes = nodes;
  }

  /** @throws {ServiceError} 409 with `capacity`, naming each node's room. */
  admit(stream: Candidate, isForced: boolean): Promise<null> {
    if (stream.onDemand || isForced) return Promise.resolve(null);
    const why = this.#refusal();
    return why === null ? Promise.resolve(null) : Promise.reject(
      noRoom(
        `“${stream.name}” was not started: ${why}. Stop another stream first.`,
        { short: NO_NODE, why },
        estimateOf(stream, []),
      ),
    );
  }

  /** Nothing waits: each node counts what it has taken. */
  arrived(_id: StreamId): void {}

  /** @throws {ServiceError} 409 with `capacity`. */
  admitList(
    before: readonly Stream[],
    after: readonly Stream[],
    isForced: boolean,
  ): Promise<Map<StreamId, string | null>> {
    const running = new Set(before.filter(isAlwaysToRun).map(({ id }) => id));
    const newcomers = after.filter((stream) => isAlwaysToRun(stream) && !running.has(stream.id));
    const why = newcomers.length === 0 || isForced ? null : this.#refusal();
    if (why === null) return Promise.resolve(new Map(newcomers.map(({ id }) => [id, null])));
    return Promise.reject(
      noRoom(
        `Nothing was imported: ${why}. Stop others first, or import it anyway.`,
        { short: NO_NODE, why },
        estimateOf(newcomers[0], []),
      ),
    );
  }

  /** Why no node has a stream that is to run; null: one will have it soon. @param freeMs for so long nobody has had it. */
  missing(freeMs: number): string | null {
    const why = this.#refusal();
    if (why !== null && freeMs > NO_ROOM_MS) return `N${why.slice(1)}.`;
    return freeMs > LONG_MS ? `No node of the cluster has taken it (${this.#rooms()}).` : null;
  }

  #refusal(): string | null {
    const nodes = this.#nodes();
    if (nodes.length === 0 || nodes.some(({ room }) => room >= LEAST_ROOM)) return null;
    return `no node of the cluster has room for it (${this.#rooms()})`;
  }

  #rooms(): string {
    return `free: ${this.#nodes().map(({ name, room }) => `${name} ${Math.round(room * 100)} %`).join(", ")}`;
  }
}
