/** The states of streams on other nodes of the cluster: each node tells the others of its own, in memory everywhere. */
import type { News } from "../cluster/buckets.ts";
import type { StreamStatus } from "../model/answers/shapes.ts";
import { lastingText } from "../reports/feed.ts";
import { errorText, log } from "../system/log.ts";
import type { Part } from "../system/part.ts";
import { Loop } from "../system/time.ts";

export interface StatusNewsParts {
  /** This node's name. */
  node: string;
  news: News;
  /** @throws {ServiceError} when the supervisor does not answer. */
  own(): Promise<Record<string, StreamStatus>>;
  /** Milliseconds of a clock that nobody sets. */
  elapsed(): number;
}

/** Milliseconds between two looks at the own states, and after which all are told, whoever has joined. */
const [ROUND_MS, ALL_MS] = [1000, 5000];
/** Milliseconds after which a state that was not told again is not known any more. */
const OLD_MS = 15_000;
/** States in one message: NATS takes a megabyte. */
const AT_ONCE = 500;

interface Told {
  node: string;
  status: StreamStatus;
  at: number;
}

export class StatusNews implements Part {
  #parts: StatusNewsParts;
  #told = new Map<string, Told>();
  /** What was told of the own streams last. */
  #last = new Map<string, string>();
  #allAt = -Infinity;
  #ending = new AbortController();
  #loop = new Loop("the other nodes were not told of states", "debug");

  constructor(parts: StatusNewsParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#parts.news.listen("status", (text) => this.#take(text), this.#ending.signal);
    this.#loop.start(ROUND_MS, () => this.round());
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#loop.stop();
  }

  /** The state of a stream that a node has; null: the node has not told it lately. */
  get(id: string, node: string | null): StreamStatus | null {
    const told = this.#told.get(id);
    const isNew = told !== undefined && this.#parts.elapsed() - told.at < OLD_MS;
    return isNew && told.node === node ? told.status : null;
  }

  /** Tells the others what has changed, and from time to time all. */
  async round(): Promise<void> {
    const { own, news, node, elapsed } = this.#parts;
    const states = Object.values(await own());
    const isAll = elapsed() - this.#allAt >= ALL_MS;
    if (isAll) this.#allAt = elapsed();
    // seconds that programs run for are told with all
    const texts = new Map(states.map((status) => [status.id, `${lastingText(status)} ${status.thumbAt}`]));
    const changed = states.filter(({ id }) => isAll || texts.get(id) !== this.#last.get(id));
    this.#last = texts;
    for (let at = 0; at < changed.length; at += AT_ONCE) {
      news.tell("status", JSON.stringify({ node, statuses: changed.slice(at, at + AT_ONCE) }));
    }
  }

  #take(text: string): void {
    try {
      const { node, statuses }: { node: string; statuses: StreamStatus[] } = JSON.parse(text);
      if (node === this.#parts.node) return;
      const at = this.#parts.elapsed();
      for (const status of statuses) this.#told.set(status.id, { node, status, at });
      for (const [id, told] of this.#told) if (at - told.at > OLD_MS) this.#told.delete(id);
    } catch (error) {
      log("debug", "another node's states are not understood", { error: errorText(error) });
    }
  }
}
