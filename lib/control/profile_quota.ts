/**
 * Limits what a page may store: a profile that is too large is emptied with a restart, so that the disk, and with it the
 * stream list, stays usable. Chromium itself lets one page have more than half of the disk.
 */
import type { StreamId } from "../streams/id.ts";
import { errorText, log } from "../system/log.ts";
import type { Part } from "../system/part.ts";
import type { Runner } from "../system/process.ts";
import { Loop } from "../system/time.ts";
import type { Timings } from "../timings.ts";

const MEASURE_MS = 10_000;

export interface ProfileQuotaParts {
  /** The running streams' profiles. */
  running(): readonly { id: StreamId; profile: string }[];
  isBusy(id: StreamId): boolean;
  /** Starts the stream with an empty profile. */
  recreate(id: StreamId): Promise<void>;
  /** Bytes of each profile at most. */
  maxBytes: number;
  run: Runner;
  limits: Pick<Timings, "profileCheckMs">;
}

export class ProfileQuota implements Part {
  #parts: ProfileQuotaParts;
  #loop = new Loop();

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
    const { running, isBusy, recreate, maxBytes } = this.#parts;
    for (const { id, profile } of running()) {
      try {
        const bytes = await this.#size(profile);
        if (bytes <= maxBytes || isBusy(id)) continue;
        const megabytes = Math.round(bytes / 1e6);
        log("warn", "browser profile emptied: the page stored too much", { stream: id, megabytes });
        await recreate(id);
      } catch (error) {
        log("warn", "browser profile not measured", { stream: id, error: errorText(error) });
      }
    }
  }

  /** What the files take on the disk; those that come and go meanwhile count or not. */
  async #size(profile: string): Promise<number> {
    const argv = ["du", "--summarize", "--block-size=1", "--one-file-system", "--", profile];
    const { stdout, stderr } = await this.#parts.run(argv, { timeoutMs: MEASURE_MS, maxOutput: 64 * 1024 });
    const bytes = Number(/^\d+/.exec(stdout)?.[0] ?? NaN);
    if (Number.isNaN(bytes)) throw new Error(`du: ${stderr.trim().slice(0, 200)}`);
    return bytes;
  }
}
