/**
 * What nodes tell each other of their streams: each node tells the states of its own streams, and each event as it is noted.
 * So every node can say how a stream of another node is, and what has happened to it.
 */
import { type AddEvent, EVENT_KINDS, EVENT_LEVELS } from "../model/answers/events.ts";
import type { StreamStatus } from "../model/answers/shapes.ts";
import { isStreamId, type StreamId } from "../model/id.ts";
import type { StreamEvents } from "../reports/events.ts";
import { lastingText } from "../reports/feed.ts";
import { errorText, log } from "../machine/tools/log.ts";
import type { Part } from "../machine/tools/part.ts";
import { Loop } from "../machine/tools/time.ts";
import type { News } from "./buckets.ts";
import type { ClusterStreams } from "./cluster_streams.ts";
import type { Joined } from "./view.ts";

/** Milliseconds between two looks at the own states, and after which all are told, for nodes that have just joined. */
const [ROUND_MS, ALL_MS] = [1000, 5000];
/** Milliseconds after which a state that was not told again does not count any more. */
const OLD_MS = 15_000;
/** States in one message: NATS takes a megabyte. */
const AT_ONCE = 500;
/** Milliseconds after which this node knows a stream that another node has just added. */
const LATER_MS = 2000;

/** The newest state of each stream, as its node has told it; those of this node are what it has told last. */
export class ToldStates {
  readonly node: string;
  #streams: ClusterStreams;
  #elapsed: () => number;

  /** @param node this node's name. @param elapsed milliseconds of a clock that nobody sets. */
  constructor(node: string, streams: ClusterStreams, elapsed: () => number) {
    this.node = node;
    this.#streams = streams;
    this.#elapsed = elapsed;
  }

  /** The state of a stream that a node has told; null: that node has not told it lately. */
  of(id: StreamId, node: string | null): StreamStatus | null {
    const told = this.#streams.find(id)?.told;
    return told && told.node === node && this.#elapsed() - told.at < OLD_MS ? told.status : null;
  }

  /** Takes the states that another node tells. */
  take(node: string, statuses: readonly StreamStatus[]): void {
    const at = this.#elapsed();
    for (const status of statuses) {
      if (isStreamId(status.id)) this.#streams.of(status.id).told = { node, status, at };
    }
    this.#forgetOld(at);
  }

  /** Notes this node's own states as told. @returns those that differ from what was told last. @param isAll all of them count. */
  news(statuses: readonly StreamStatus[], isAll: boolean): StreamStatus[] {
    const at = this.#elapsed();
    this.#forgetOld(at);
    return statuses.filter((status) => {
      const stream = this.#streams.of(status.id as StreamId);
      // seconds that programs run for are told with all
      const text = `${lastingText(status)} ${status.thumbAt}`;
      if (!isAll && stream.told?.text === text) return false;
      stream.told = { node: this.node, status, at, text };
      return true;
    });
  }

  #forgetOld(now: number): void {
    for (const [, stream] of this.#streams) {
      if (stream.told && now - stream.told.at > OLD_MS) stream.told = null;
    }
  }
}

export interface NodeNewsParts {
  /** The cluster's news are there once this node has joined. */
  view: { readonly joined: Pick<Joined, "news"> | null };
  told: ToldStates;
  /** @throws {ServiceError} when the supervisor does not answer. */
  statuses: { own(): Promise<Record<string, StreamStatus>> };
  events: Pick<StreamEvents, "onadded" | "take" | "isKnown">;
  /** Milliseconds of a clock that nobody sets. */
  elapsed(): number;
}

export class NodeNews implements Part {
  #parts: NodeNewsParts;
  #allAt = -Infinity;
  #later = new Set<ReturnType<typeof setTimeout>>();
  #loop = new Loop("the states were not sent to the other nodes", "debug");

  constructor(parts: NodeNewsParts) {
    this.#parts = parts;
    parts.events.onadded = (...told) =>
      parts.view.joined?.news.tell("events", JSON.stringify({ node: parts.told.node, told }));
  }

  start(): void {
    this.#loop.start(ROUND_MS, () => this.round());
  }

  async stop(): Promise<void> {
    for (const timer of this.#later) clearTimeout(timer);
    await this.#loop.stop();
  }

  /** Takes what other nodes tell from now on, until the signal aborts. */
  listen(news: News, signal: AbortSignal): void {
    const { told } = this.#parts;
    const take = <Message extends { node: string }>(subject: string, taken: (message: Message) => void) =>
      news.listen(subject, (text) => {
        try {
          const message: Message = JSON.parse(text);
          if (message.node !== told.node) taken(message);
        } catch (error) {
          log("debug", "another node's news cannot be read", { subject, error: errorText(error) });
        }
      }, signal);
    take<{ node: string; statuses: StreamStatus[] }>(
      "status",
      ({ node, statuses }) => told.take(node, statuses),
    );
    take<{ node: string; told: Parameters<AddEvent> }>("events", ({ told }) => this.#takeEvent(...told));
  }

  /** Tells the other nodes the states that have changed, and from time to time all. */
  async round(): Promise<void> {
    const { view, told, statuses, elapsed } = this.#parts;
    if (!view.joined) return;
    const states = Object.values(await statuses.own());
    const isAll = elapsed() - this.#allAt >= ALL_MS;
    if (isAll) this.#allAt = elapsed();
    const changed = told.news(states, isAll);
    for (let at = 0; at < changed.length; at += AT_ONCE) {
      const message = { node: told.node, statuses: changed.slice(at, at + AT_ONCE) };
      view.joined.news.tell("status", JSON.stringify(message));
    }
  }

  #takeEvent(...[id, kind, text, level = "info"]: Parameters<AddEvent>): void {
    const { events } = this.#parts;
    // a newer version may have other kinds
    if (!EVENT_KINDS.includes(kind) || !EVENT_LEVELS.includes(level) || typeof text !== "string") return;
    if (!isStreamId(id)) return;
    if (events.isKnown(id)) return events.take(id, kind, text, level);
    const timer = setTimeout(() => {
      this.#later.delete(timer);
      events.take(id, kind, text, level);
    }, LATER_MS);
    this.#later.add(timer);
  }
}
