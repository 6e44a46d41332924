/**
 * Limits what a page may store: a profile that is too large is emptied with a restart, so that the disk, and with it the
 * stream list, stays usable. Chromium itself lets one page have more than half of the disk.
 */
import type { AddEvent } from "../../model/events.ts";
import type { StreamId } from "../../model/id.ts";
import { PIPELINE_PROGRAMS } from "../../model/programs.ts";
import { errorText, log } from "../../system/log.ts";
import type { Part } from "../../system/part.ts";
import { Loop } from "../../system/time.ts";
import type { Timings } from "../../timings.ts";
import type { CountRestarts } from "./restarts.ts";

export interface ProfileQuotaParts {
  running(): readonly { id: StreamId }[];
  isBusy(id: StreamId): boolean;
  /** Starts the stream with an empty profile. */
  recreate(id: StreamId): Promise<void>;
  /** Bytes of each profile at most. */
  maxBytes: number;
  /** Bytes that a stream's profile has on the disk. */
  measure(id: StreamId): Promise<number>;
  addEvent: AddEvent;
  countRestarts: CountRestarts;
  limits: Pick<Timings, "profileCheckMs">;
}

export class ProfileQuota implements Part {
  #parts: ProfileQuotaParts;
  #loop = new Loop("profiles not measured");

  constructor(parts: ProfileQuotaParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop.start(this.#parts.limits.profileCheckMs, () => this.round());
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Measures the profiles, one after the other, and empties those that are too large. */
  async round(): Promise<void> {
    const { running, isBusy, recreate, maxBytes, measure, addEvent, countRestarts } = this.#parts;
    for (const { id } of running()) {
      try {
        const bytes = await measure(id);
        if (bytes <= maxBytes || isBusy(id)) continue;
        const megabytes = Math.round(bytes / 1e6);
        log("warn", "browser profile emptied: the page stored too much", { stream: id, megabytes });
        const most = Math.round(maxBytes / 1e6);
        const text =
          `The page stored ${megabytes} MB, more than the ${most} MB it may: its profile is emptied.`;
        addEvent(id, "profile", text, "warn");
        countRestarts(id, PIPELINE_PROGRAMS, "profile");
        await recreate(id);
      } catch (error) {
        log("warn", "browser profile not measured", { stream: id, error: errorText(error) });
      }
    }
  }
}
