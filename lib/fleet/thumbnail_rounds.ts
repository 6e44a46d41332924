/** Captures the streams' thumbnails on schedule, spread over time. */
import type { Ground } from "../live/ground.ts";
import { loadThumbnailTimes } from "../live/picture/files.ts";
import { errorText, log } from "../machine/tools/log.ts";
import type { Part } from "../machine/tools/part.ts";
import { Loop } from "../machine/tools/time.ts";
import type { Fleet } from "./fleet.ts";

const ROUND_MS = 1000;

export class ThumbnailRounds implements Part {
  #ground: Ground;
  #fleet: Pick<Fleet, "list" | "find">;
  #loop = new Loop("no thumbnails");

  constructor(ground: Ground, fleet: Pick<Fleet, "list" | "find">) {
    this.#ground = ground;
    this.#fleet = fleet;
  }

  /** Takes over the thumbnails of earlier runs, and removes the thumbnails of deleted streams. */
  async load(): Promise<void> {
    const ids = this.#fleet.list().map(({ id }) => id);
    try {
      for (const [id, capturedAt] of await loadThumbnailTimes(this.#ground.paths.streamsDir, ids)) {
        this.#fleet.find(id)?.thumbnail.adopt(capturedAt);
      }
    } catch (error) {
      log("warn", "thumbnails of earlier runs not read", { error: errorText(error) });
    }
  }

  start(): void {
    this.#loop.start(ROUND_MS, () => this.round());
  }

  /** Ends the captures under way as well. */
  async stop(): Promise<void> {
    await Promise.all([this.#loop.stop(), ...this.#fleet.list().map(({ thumbnail }) => thumbnail.stop())]);
  }

  /**
   * Captures the most overdue thumbnail. At most one capture a round spreads the captures: 60 streams started in one
   * second have their thumbnails captured in 60 different seconds, now and every time after.
   */
  round(): void {
    const { machine: { elapsed }, supervision: { captures } } = this.#ground;
    if (captures.free === 0) return;
    const [due] = this.#fleet.list()
      .filter(({ isBusy, thumbnail }) => !isBusy && !thumbnail.isCapturing)
      .map(({ thumbnail }) => ({ thumbnail, at: thumbnail.dueAt ?? Infinity }))
      .filter(({ at }) => at <= elapsed())
      .sort((a, b) => a.at - b.at);
    due?.thumbnail.capture();
  }
}
