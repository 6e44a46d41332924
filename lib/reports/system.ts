/** The state of the service and its machine: other parts' figures in one answer. */
import { errorText, log } from "../machine/tools/log.ts";
import type { MachineLoad } from "../machine/os/machine_load.ts";
import { VERSION } from "../machine/tools/version.ts";
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

/** Milliseconds for which an answer is that for all who ask: each open board does, every 5 s, of a thousand streams. */
const SHARED_MS = 1000;

const UNKNOWN: Summary = { streams: {}, cost: { cpuPercent: null, mebibytes: null } };

export class System {
  #parts: SystemParts;
  #shared: { at: number; text: Promise<string> } | null = null;

  constructor(parts: SystemParts) {
    this.#parts = parts;
  }

  /** As `all`, in JSON, made once for all who ask within a second. */
  async text(): Promise<string> {
    const at = this.#parts.elapsed();
    if (!this.#shared || at - this.#shared.at >= SHARED_MS) {
      this.#shared = { at, text: this.all().then((all) => JSON.stringify(all)) };
    }
    return await this.#shared.text;
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
      version: VERSION,
      uptimeSeconds: Math.round((elapsed() - startedAt) / 1000),
      cores,
      load: averages,
      memory,
      disks: disk.spaces(),
      noRoom,
      cost: UNKNOWN.cost,
      openIncidents: openIncidents(),
    };
  }
}
