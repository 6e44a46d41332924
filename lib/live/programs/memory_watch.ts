/**
 * Replaces browsers that use more memory than their stream may. Where the kernel limits memory it ends such a page
 * itself, at once; in most containers it cannot, and a page that leaks for weeks would take the machine's.
 */
import type { AddEvent } from "../../model/events.ts";
import type { StreamId } from "../../model/id.ts";
import { errorText, log } from "../../system/log.ts";
import type { Part } from "../../system/part.ts";
import { Loop } from "../../system/time.ts";
import type { Timings } from "../../timings.ts";
import type { CountRestarts } from "./restarts.ts";

export interface MemoryWatchParts {
  /** The browsers that run, each with what its stream may have, in MiB. */
  browsers(): Promise<{ id: StreamId; pid: number; memoryLimitMb: number }[]>;
  isBusy(id: StreamId): boolean;
  /** How many people are in the stream's browser by VNC: they are not disturbed. */
  viewers(id: StreamId): number;
  /** Bytes of these processes and of what they have started. */
  measure(pids: number[]): Promise<Map<number, number>>;
  restartBrowser(id: StreamId): Promise<void>;
  addEvent: AddEvent;
  countRestarts: CountRestarts;
  limits: Pick<Timings, "memoryCheckMs" | "memoryPauseMs">;
  elapsed(): number;
}

const MIB = 1024 * 1024;

export class MemoryWatch implements Part {
  #parts: MemoryWatchParts;
  #loop = new Loop("memory not measured");
  /** Unix ms of each stream's last replacement. */
  #replacedAt = new Map<StreamId, number>();

  constructor(parts: MemoryWatchParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop.start(this.#parts.limits.memoryCheckMs, () => this.round());
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Measures all browsers, and replaces those that use too much, one after the other. */
  async round(): Promise<void> {
    const { browsers, measure, isBusy, viewers, restartBrowser, addEvent, countRestarts, limits, elapsed } =
      this.#parts;
    const running = await browsers();
    const used = await measure(running.map(({ pid }) => pid));
    const ids = new Set(running.map(({ id }) => id));
    for (const id of this.#replacedAt.keys()) if (!ids.has(id)) this.#replacedAt.delete(id);
    for (const { id, pid, memoryLimitMb } of running) {
      const mebibytes = Math.round((used.get(pid) ?? 0) / MIB);
      if (mebibytes <= memoryLimitMb || isBusy(id) || viewers(id) > 0) continue;
      // a page that needs more than it may from its beginning is not replaced again and again
      if (elapsed() - (this.#replacedAt.get(id) ?? -Infinity) < limits.memoryPauseMs) continue;
      this.#replacedAt.set(id, elapsed());
      log("warn", "browser replaced: it used too much memory", { stream: id, mebibytes, memoryLimitMb });
      const text = `Browser restarted: it used ${mebibytes} MiB, more than the ${memoryLimitMb} MiB it may.`;
      addEvent(id, "program", text, "warn");
      countRestarts(id, ["browser"], "memory");
      await restartBrowser(id).catch((error) =>
        log("warn", "browser not replaced", { stream: id, error: errorText(error) })
      );
    }
  }
}
