/** Since when a stream is well, or is not: neither the repairs of a fault nor the web app's start begin that anew. */
import { isAtRest } from "../model/answers/status.ts";
import type { StreamStatus } from "../model/answers/shapes.ts";
import type { Timings } from "../timings.ts";

interface StateTimeParts {
  limits: Pick<Timings, "playlistStaleMs">;
  /** Unix ms. */
  now(): number;
}

export class StateTime {
  #parts: StateTimeParts;
  /** Null: it is not known, or the stream is at rest. */
  #isUp: boolean | null = null;
  /** Unix ms. */
  #since = 0;

  constructor(parts: StateTimeParts) {
    this.#parts = parts;
  }

  /** A fault goes on that the web app before knew. @param since Unix ms. */
  goesOn(since: number): void {
    if (this.#isUp === null) [this.#isUp, this.#since] = [false, since];
  }

  /**
   * Since when the state is as it is, Unix ms; undefined: the stream is at rest, or starts.
   * @param playlistAgeMs milliseconds since the playlist was written; null: there is none.
   */
  of(status: StreamStatus, playlistAgeMs: number | null): number | undefined {
    const { state, page, trouble } = status;
    // a fault lasts through its repairs until the stream is well
    if (isAtRest(state) || (state === "starting" && this.#isUp)) this.#isUp = null;
    if (isAtRest(state) || state === "starting") return undefined;
    const isUp = state === "running";
    if (isUp === this.#isUp) return this.#since;
    const { limits, now } = this.#parts;
    const at = now();
    const isOfPage = page !== undefined && page.state === (isUp ? "ok" : trouble) && page.since > this.#since;
    const isStale = !isUp && playlistAgeMs !== null && playlistAgeMs >= limits.playlistStaleMs;
    this.#since = isUp && this.#isUp === null
      ? at - youngest(status) * 1000
      : isOfPage
      ? page.since
      : isStale
      ? at - Math.round(playlistAgeMs)
      : at;
    this.#isUp = isUp;
    return this.#since;
  }
}

/** Seconds of the program that runs for the shortest time: viewers have had a picture no longer. */
function youngest({ programs }: StreamStatus): number {
  const running = programs.map(({ uptime }) => uptime).filter((uptime) => uptime > 0);
  return running.length > 0 ? Math.min(...running) : 0;
}
