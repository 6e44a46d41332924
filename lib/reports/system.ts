/** The state of the service and its machine: other parts' figures in one answer. */
import { errorText, log } from "../system/log.ts";
import type { MachineLoad } from "../os/machine_load.ts";
import { VERSION } from "../system/version.ts";
import type { DiskWatch } from "../fleet/disk_watch.ts";
import type { Figures } from "./figures.ts";
import type { SystemAnswer, SystemFigures } from "../model/answers/shapes.ts";

export interface SystemParts {
  load(): Promise<MachineLoad>;
  disk: Pick<DiskWatch, "spaces">;
  figures: Pick<Figures, "summary">;
  /** Why a new stream would have to wait now; null: it would not, or other nodes may take it. */
  shortage(): Promise<string | null>;
  /** How many incidents go on. */
  openIncidents(): number;
  /** The web app's start, ms of the steady clock. */
  startedAt: number;
  elapsed(): number;
}

type Summary = Awaited<ReturnType<Figures["summary"]>>;

const UNKNOWN: Summary = { streams: {}, cost: { cpuPercent: null, mebibytes: null } };

export class System {
  #parts: SystemParts;

  constructor(parts: SystemParts) {
    this.#parts = parts;
  }

  /** The figures; streams' costs are missing while the supervisor does not answer. */
  async all(): Promise<SystemAnswer> {
    const { figures } = this.#parts;
    const summary = figures.summary().catch((error) => {
      log("debug", "figures not known", { error: errorText(error) });
      return UNKNOWN;
    });
    return { ...await this.withoutCost(), ...await summary };
  }

  /** The figures that are there at once, for a page's first sight: no costs. */
  async withoutCost(): Promise<SystemFigures> {
    const { load, disk, shortage, openIncidents, startedAt, elapsed } = this.#parts;
    const [{ cores, load: averages, memory }, noRoom] = await Promise.all([load(), shortage()]);
    return {
      ...{ version: VERSION, uptimeSeconds: Math.round((elapsed() - startedAt) / 1000) },
      ...{ cores, load: averages, memory, disks: disk.spaces(), noRoom, cost: UNKNOWN.cost },
      openIncidents: openIncidents(),
    };
  }
}
