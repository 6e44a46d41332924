/** The viewers of each channel: clients that asked for its playlist a moment ago. */
import { VIEWER_SECONDS } from "../model/answers/figures.ts";
import type { StreamId } from "../model/id.ts";

/** Of one channel: more are not told apart, so that nobody fills the memory with names. */
const MAX_VIEWERS = 1000;
const MAX_AGENT = 100;

export class Viewers {
  #elapsed: () => number;
  /** Steady milliseconds of the last request, by client, the latest last. */
  #channels = new Map<StreamId, Map<string, number>>();

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /**
   * Notes a request for a channel's playlist that was answered. Two players at one address are told apart by what they
   * call themselves.
   */
  note(id: StreamId, client: string, agent: string | null): void {
    const viewers = this.#channels.get(id) ?? new Map<string, number>();
    this.#channels.set(id, viewers);
    const viewer = `${client} ${(agent ?? "").slice(0, MAX_AGENT)}`;
    viewers.delete(viewer);
    viewers.set(viewer, this.#elapsed());
    this.#forget(viewers);
  }

  /** How many watch the channel. */
  count(id: StreamId): number {
    const viewers = this.#channels.get(id);
    if (!viewers) return 0;
    this.#forget(viewers);
    if (viewers.size === 0) this.#channels.delete(id);
    return viewers.size;
  }

  /** A channel that is no more. */
  forget(id: StreamId): void {
    this.#channels.delete(id);
  }

  #forget(viewers: Map<string, number>): void {
    const oldest = this.#elapsed() - VIEWER_SECONDS * 1000;
    for (const [viewer, at] of viewers) {
      if (at > oldest && viewers.size <= MAX_VIEWERS) break;
      viewers.delete(viewer);
    }
  }
}
