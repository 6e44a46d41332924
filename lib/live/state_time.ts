/** Since when a stream is well, or is not: neither the repairs of a fault nor the web app's start begin that anew. */
import { isAtRest } from "../model/answers/status.ts";
import type { StreamStatus } from "../model/answers/shapes.ts";
import type { Timings } from "../timings.ts";

export class StateTime {
  #staleMs: number;
  /** Null: it is not known, or the stream is at rest. */
  #isUp: boolean | null = null;
  /** Unix ms. */
  #since = 0;

  constructor({ playlistStaleMs }: Pick<Timings, "playlistStaleMs">) {
    this.#staleMs = playlistStaleMs;
  }

  /** A fault goes on that the web app before knew. @param since Unix ms. */
  goesOn(since: number): void {
    if (this.#isUp === null) [this.#isUp, this.#since] = [false, since];
  }

  /**
   * Since when the state is as it is, Unix ms; undefined: the stream is at rest, or starts.
   * @param playlistAgeMs milliseconds since the playlist was written; null: there is none. @param now Unix ms.
   */
  of(status: StreamStatus, playlistAgeMs: number | null, now: number): number | undefined {
    const { state, page, trouble } = status;
    // a fault lasts through its repairs until the stream is well
    if (isAtRest(state) || (state === "starting" && this.#isUp)) this.#isUp = null;
    if (isAtRest(state) || state === "starting") return undefined;
    const isUp = state === "running";
    if (isUp === this.#isUp) return this.#since;
    const isOfPage = page !== undefined && page.state === (isUp ? "ok" : trouble) && page.since > this.#since;
    const isStale = !isUp && playlistAgeMs !== null && playlistAgeMs >= this.#staleMs;
    this.#since = isUp && this.#isUp === null
      ? now - youngest(status) * 1000
      : isOfPage
      ? page.since
      : isStale
      ? now - playlistAgeMs
      : now;
    this.#isUp = isUp;
    return this.#since;
  }
}

/** Seconds of the program that runs for the shortest time: viewers have had a picture no longer. */
function youngest({ programs }: StreamStatus): number {
  const running = programs.map(({ uptime }) => uptime).filter((uptime) => uptime > 0);
  return running.length > 0 ? Math.min(...running) : 0;
}
