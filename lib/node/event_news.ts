/** Events of streams, told to all nodes: what one node notes of a stream, each node can say, also of one that rests. */
import type { News } from "../cluster/buckets.ts";
import { type AddEvent, EVENT_KINDS, EVENT_LEVELS } from "../model/answers/events.ts";
import { isStreamId } from "../model/id.ts";
import type { StreamEvents } from "../reports/events.ts";
import { errorText, log } from "../system/log.ts";
import type { Part } from "../system/part.ts";

export interface EventNewsParts {
  /** This node's name. */
  node: string;
  news: News;
}

type Events = Pick<StreamEvents, "onadded" | "take" | "isKnown">;

/** Milliseconds after which a stream that another node has just added is known here. */
const LATER_MS = 2000;

type Told = Parameters<AddEvent>;

export class EventNews implements Part {
  #parts: EventNewsParts;
  #ending = new AbortController();
  #later = new Set<ReturnType<typeof setTimeout>>();

  constructor(parts: EventNewsParts) {
    this.#parts = parts;
  }

  /** Joins this node's events with those of the others; nothing is told until the cluster is joined. */
  join(events: Events): void {
    const { node, news } = this.#parts;
    events.onadded = (...told) => news.tell("events", JSON.stringify({ node, told }));
    news.listen("events", (text) => this.#take(text, events), this.#ending.signal);
  }

  /** Nothing to do: it is told from the moment that it has joined. */
  start(): void {}

  stop(): Promise<void> {
    this.#ending.abort();
    for (const timer of this.#later) clearTimeout(timer);
    return Promise.resolve();
  }

  #take(text: string, events: Events): void {
    try {
      const { node, told }: { node: string; told: Told } = JSON.parse(text);
      const [id, kind, sentence, level = "info"] = told;
      // of a newer version
      if (!EVENT_KINDS.includes(kind) || !EVENT_LEVELS.includes(level) || typeof sentence !== "string") {
        return;
      }
      if (node === this.#parts.node || !isStreamId(id)) return;
      if (events.isKnown(id)) return events.take(id, kind, sentence, level);
      const timer = setTimeout(() => {
        this.#later.delete(timer);
        events.take(id, kind, sentence, level);
      }, LATER_MS);
      this.#later.add(timer);
    } catch (error) {
      log("debug", "another node's events are not understood", { error: errorText(error) });
    }
  }
}
