/** The runtime state of all streams, from supervisord's present answer. */
import type { Fleet } from "../fleet/fleet.ts";
import { streamId } from "../model/id.ts";
import type { Program, ProgramStatus } from "../supervisor/status.ts";
import { Turn } from "../system/turns.ts";
import type { StreamStatus } from "../model/answers/shapes.ts";

export class Statuses {
  #fleet: Pick<Fleet, "list" | "get">;
  #programs: Pick<ProgramStatus, "programs">;

  constructor(fleet: Pick<Fleet, "list" | "get">, programs: Pick<ProgramStatus, "programs">) {
    this.#fleet = fleet;
    this.#programs = programs;
  }

  /** The states by id, as old as the status cache allows. @throws {ServiceError} 503 when the supervisor does not answer. */
  async all(): Promise<Record<string, StreamStatus>> {
    const programs = await this.programs();
    const turn = new Turn();
    const statuses: Record<string, StreamStatus> = {};
    for (const live of this.#fleet.list()) {
      // the stream may be removed in a pause
      if (live.stream) statuses[live.id] = live.status(programs);
      await turn.pause();
    }
    return statuses;
  }

  /** @throws {ServiceError} 404; 503 when the supervisor does not answer. */
  async get(id: string): Promise<StreamStatus> {
    const live = this.#fleet.get(streamId(id));
    return live.status(await this.programs());
  }

  /** The supervisor's programs by name, equally old. @throws {ServiceError} 503 when the supervisor does not answer. */
  async programs(): Promise<ReadonlyMap<string, Program>> {
    return await this.#programs.programs();
  }
}
