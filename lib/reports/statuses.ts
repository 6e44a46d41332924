/** The runtime state of all streams, from supervisord's present answer. */
import type { Fleet } from "../fleet/fleet.ts";
import type { LiveStream } from "../live/live_stream.ts";
import { type StreamId, streamId } from "../model/id.ts";
import type { Program, ProgramStatus } from "../supervisor/status.ts";
import { Turn } from "../system/turns.ts";
import type { StreamFigures, StreamStatus } from "../model/answers/shapes.ts";

/** What other nodes tell of a stream. */
export interface OtherFigures {
  /** The figures at the node that has it; null: nothing is told, or nobody has it. */
  figures: StreamFigures | null;
  /** How many watch it at all of them. */
  viewers: number;
}

/** The streams of other nodes of the cluster. */
export interface OtherNodes {
  /** This node's name; null: this machine is alone. */
  here: string | null;
  isMine(id: StreamId): boolean;
  /** What the node that has a stream has told of it; null: nothing, or nobody has it. */
  status(id: StreamId): StreamStatus | null;
  /** The node that has a stream; null: nobody has, or this machine is alone. */
  node(id: StreamId): string | null;
  /** Why no node has a stream that is to run; null: one has it, or will soon. */
  missing(id: StreamId): string | null;
  /** What the nodes that have streams tell of their figures. */
  figures(): Promise<(id: StreamId) => OtherFigures>;
}

/** Of a machine that is alone. */
export const NOBODY: OtherNodes = {
  ...{ here: null, isMine: () => true, status: () => null, node: () => null, missing: () => null },
  figures: () => Promise.resolve(() => ({ figures: null, viewers: 0 })),
};

export class Statuses {
  #fleet: Pick<Fleet, "list" | "get" | "find">;
  #programs: Pick<ProgramStatus, "programs">;
  #others: OtherNodes;

  constructor(
    fleet: Pick<Fleet, "list" | "get" | "find">,
    programs: Pick<ProgramStatus, "programs">,
    others: OtherNodes = NOBODY,
  ) {
    this.#fleet = fleet;
    this.#programs = programs;
    this.#others = others;
  }

  /** The states by id, as old as the status cache allows. @throws {ServiceError} 503 when the supervisor does not answer. */
  all(): Promise<Record<string, StreamStatus>> {
    return this.#of(() => true);
  }

  /** When a stream's thumbnail was taken, Unix ms; undefined: there is none. */
  readonly pictureAt = (id: StreamId): number | undefined => {
    const told = this.#others.isMine(id) ? null : this.#others.status(id);
    return told ? told.thumbAt : this.#fleet.find(id)?.thumbnail.capturedAt;
  };

  /** This node's name in a cluster; null: this machine is alone. */
  get here(): string | null {
    return this.#others.here;
  }

  /** Whether this machine tells how a stream is. */
  isOwn(id: StreamId): boolean {
    return this.#others.isMine(id);
  }

  /** As `all`, of the streams of this machine. */
  own(): Promise<Record<string, StreamStatus>> {
    return this.#of((id) => this.#others.isMine(id));
  }

  async #of(isAsked: (id: StreamId) => boolean): Promise<Record<string, StreamStatus>> {
    const programs = await this.programs();
    const turn = new Turn();
    const statuses: Record<string, StreamStatus> = {};
    for (const live of this.#fleet.list()) {
      // the stream may be removed in a pause
      if (live.stream && isAsked(live.id)) statuses[live.id] = this.#status(live, programs);
      await turn.pause();
    }
    return statuses;
  }

  #status(live: LiveStream, programs: ReadonlyMap<string, Program>): StreamStatus {
    const told = this.#others.isMine(live.id) ? null : this.#others.status(live.id);
    const status = told ?? live.status(programs);
    const node = this.#others.node(live.id);
    // what was told stays the same object: it is looked at once a second, and made into JSON when it is another
    if (node !== null) return status.node === node ? status : { ...status, node };
    const reason = status.state === "starting" ? this.#others.missing(live.id) : null;
    return reason === null ? status : { ...status, state: "failed", reason };
  }

  /** @throws {ServiceError} 404; 503 when the supervisor does not answer. */
  async get(id: string): Promise<StreamStatus> {
    const live = this.#fleet.get(streamId(id));
    return this.#status(live, await this.programs());
  }

  /** The supervisor's programs by name, equally old. @throws {ServiceError} 503 when the supervisor does not answer. */
  async programs(): Promise<ReadonlyMap<string, Program>> {
    return await this.#programs.programs();
  }
}
