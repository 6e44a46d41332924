/** The viewers of a channel by HLS and its like: clients that asked a moment ago. */
import { VIEWER_SECONDS } from "../model/answers/figures.ts";

/** More are not told apart, so that nobody fills the memory with names. */
const MAX_VIEWERS = 1000;
const MAX_AGENT = 100;

export class Viewers {
  #elapsed: () => number;
  /** Steady milliseconds of the last request, by client, the latest last. */
  #seen = new Map<string, number>();

  /** @param elapsed ms of a steady clock. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Notes a request that was answered. Two players at one address are told apart by what they call themselves. */
  note(client: string, agent: string | null): void {
    const viewer = `${client} ${(agent ?? "").slice(0, MAX_AGENT)}`;
    this.#seen.delete(viewer);
    this.#seen.set(viewer, this.#elapsed());
    this.#forget();
  }

  /** How many watch the channel. */
  get count(): number {
    this.#forget();
    return this.#seen.size;
  }

  /** Forgets all of them: the channel's stream was removed. */
  clear(): void {
    this.#seen.clear();
  }

  #forget(): void {
    const oldest = this.#elapsed() - VIEWER_SECONDS * 1000;
    for (const [viewer, at] of this.#seen) {
      if (at > oldest && this.#seen.size <= MAX_VIEWERS) break;
      this.#seen.delete(viewer);
    }
  }
}
