/** The runtime state of all streams, from supervisord's present answer. */
import type { Placement } from "../cluster/placement.ts";
import type { Fleet } from "../fleet/fleet.ts";
import type { LiveStream } from "../live/live_stream.ts";
import { type StreamId, streamId } from "../model/id.ts";
import type { Program, ProgramStatus } from "../machine/supervisor/status.ts";
import { Turn } from "../machine/tools/turns.ts";
import type { StreamStatus } from "../model/answers/shapes.ts";

export class Statuses {
  #fleet: Pick<Fleet, "list" | "get" | "find">;
  #programs: Pick<ProgramStatus, "programs">;
  #placement: Placement;

  constructor(
    fleet: Pick<Fleet, "list" | "get" | "find">,
    programs: Pick<ProgramStatus, "programs">,
    placement: Placement,
  ) {
    this.#fleet = fleet;
    this.#programs = programs;
    this.#placement = placement;
  }

  /** The states by id, as old as the status cache allows. @throws {ServiceError} 503 when the supervisor does not answer. */
  all(): Promise<Record<string, StreamStatus>> {
    return this.#of(() => true);
  }

  /** When a stream's thumbnail was taken, Unix ms; undefined: there is none. */
  readonly pictureAt = (id: StreamId): number | undefined => {
    const told = this.#placement.told(id);
    return told ? told.thumbAt : this.#fleet.find(id)?.thumbnail.capturedAt;
  };

  /** As `all`, of the streams whose state this machine tells. */
  own(): Promise<Record<string, StreamStatus>> {
    return this.#of((id) => this.#placement.tells(id));
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
    const status = this.#placement.told(live.id) ?? live.status(programs);
    const node = this.#placement.owner(live.id);
    // a told state stays the same object: the feed looks once a second, and makes JSON of another object alone
    if (node !== null) return status.node === node ? status : { ...status, node };
    const reason = status.state === "starting" ? this.#placement.missing(live.id) : null;
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
