/**
 * Sends open dashboards the changes of the states, the thumbnails and the list. The feed looks for changes once for all
 * dashboards, and only while a client listens.
 */
import { ServiceError } from "../errors.ts";
import { EventStream } from "../door/event_stream.ts";
import { shownStatus } from "../model/shown_stream.ts";
import { clientNetwork } from "../machine/net/client_address.ts";
import type { Role } from "../role.ts";
import { errorText, log } from "../machine/tools/log.ts";
import type { Part } from "../machine/tools/part.ts";
import { Loop } from "../machine/tools/time.ts";
import { Turn } from "../machine/tools/turns.ts";
import type { Timings } from "../timings.ts";
import { type FeedNews, FeedOutbox } from "./feed_outbox.ts";
import type { StreamStatus } from "../model/answers/shapes.ts";

export interface FeedParts {
  /** @throws {ServiceError} 503 when the supervisor does not answer. */
  statuses(): Promise<Record<string, StreamStatus>>;
  /** The version of the stream list. */
  version(): string;
  /** Milliseconds for which a client has read nothing that arrived at its machine; 0 where that is not known. */
  silentMs(connection: Deno.Addr | null): number;
  limits: Timings["feed"];
}

/** Who listens. */
export interface FeedClient {
  /** Its address. */
  client: string;
  role: Role;
  /** The other end of its connection. */
  connection: Deno.Addr | null;
  /** Whether it would be let in again. */
  holds(): boolean;
}

interface Listener {
  network: string;
  /** Whether the client would be let in again. */
  holds: () => boolean;
  outbox: FeedOutbox;
  stream: EventStream;
}

interface Known {
  status: StreamStatus;
  json: Readonly<Record<Role, string>>;
  /** The status without the parts that change all the time. */
  lasting: string;
  thumbAt: number | undefined;
}

/** Milliseconds between two looks while no client listens; the first client wakes the loop. */
const REST_MS = 86_400_000;
/** A refused client asks for the states from time to time meanwhile. */
const FULL_RETRY_SECONDS = 30;

export class Feed implements Part {
  #parts: FeedParts;
  #listeners = new Set<Listener>();
  /** Clients that are let in and have no connection yet, by their network. */
  #coming: string[] = [];
  #known = new Map<string, Known>();
  #news: FeedNews;
  #loop = new Loop("feed not brought up to date", "debug");
  #round: Promise<void> | null = null;
  /**
   * The work for all clients, one piece after the other: hundreds may take their first state at once, and clients that
   * paused side by side would go on side by side.
   */
  #turn = new Turn();
  #line: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.#news = { version: "", streams: this.#known };
  }

  /** The number of open connections. */
  get listeners(): number {
    return this.#listeners.size;
  }

  /**
   * The answer for one more client: the states of all streams, then their changes.
   * @throws {ServiceError} 503 when there are too many, or the supervisor does not answer.
   */
  async open(asks: FeedClient): Promise<Response> {
    const network = clientNetwork(asks.client);
    this.#refuseTooMany(network);
    this.#coming.push(network);
    try {
      await this.round();
      if (this.#isStopping) throw new ServiceError(503, "The service is being stopped.");
      return this.#listen(network, asks);
    } finally {
      this.#coming.splice(this.#coming.indexOf(network), 1);
    }
  }

  /** Looks for changes, and sends them to clients. @throws {ServiceError} 503 when the supervisor does not answer. */
  round(): Promise<void> {
    return this.#round ??= this.#look().finally(() => this.#round = null);
  }

  start(): void {
    const pauseMs = () => this.#listeners.size > 0 ? this.#parts.limits.roundMs : REST_MS;
    this.#loop.start(pauseMs, async () => {
      if (this.#listeners.size === 0) return;
      try {
        await this.round();
      } catch (error) {
        log("debug", "feed ended", { error: errorText(error) });
        this.endAll(); // a client that asks again gets the reason
      }
    });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.endAll();
    await this.#loop.stop();
    await this.#round?.catch(() => {});
    this.endAll();
    // a connection that has just ended may still pause
    await this.#line;
  }

  /** Ends all connections; clients that may come again do. */
  endAll(): void {
    for (const { stream } of [...this.#listeners]) stream.end();
  }

  /** Ends the connections of clients that the gate would not let in any more. */
  endStale(): void {
    for (const { stream, holds } of [...this.#listeners]) if (!holds()) stream.end();
  }

  #refuseTooMany(network: string): void {
    if (this.#isStopping) throw new ServiceError(503, "The service is being stopped.");
    const { maxOfPeer, maxInAll } = this.#parts.limits;
    const all = [...this.#coming, ...Array.from(this.#listeners, (one) => one.network)];
    if (all.length < maxInAll && all.filter((one) => one === network).length < maxOfPeer) return;
    const what = "Too many clients listen for events already. Ask for the states from time to time instead.";
    throw new ServiceError(503, what, undefined, { retryAfterSeconds: FULL_RETRY_SECONDS });
  }

  #listen(network: string, { role, holds, connection }: FeedClient): Response {
    const outbox = new FeedOutbox(this.#news, role);
    const stream = new EventStream({
      take: () => outbox.take(),
      pause: () => this.#line = this.#line.then(() => this.#turn.pause()),
      idleMs: () => this.#parts.silentMs(connection),
      onend: () => void this.#listeners.delete(listener),
      limits: this.#parts.limits,
    });
    const listener = { network, holds, outbox, stream };
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#loop.wake();
    return stream.response;
  }

  async #look(): Promise<void> {
    const { statuses, version } = this.#parts;
    const current = await statuses();
    const turn = new Turn();
    const changed: string[] = [];
    const captured: string[] = [];
    for (const status of Object.values(current)) {
      const before = this.#known.get(status.id);
      // another node has told nothing of it since
      if (before?.status === status) continue;
      const next = known(status);
      this.#known.set(status.id, next);
      if (next.lasting !== before?.lasting) changed.push(status.id);
      else if (next.thumbAt !== before.thumbAt) captured.push(status.id);
      await turn.pause();
    }
    for (const id of this.#known.keys()) if (!Object.hasOwn(current, id)) this.#known.delete(id);
    const isOther = version() !== this.#news.version;
    this.#news.version = version();
    if (!isOther && changed.length + captured.length === 0) return;
    for (const { outbox, stream } of this.#listeners) {
      if (isOther) outbox.noteList();
      for (const id of changed) outbox.noteStatus(id);
      for (const id of captured) outbox.noteThumbnail(id);
      stream.wake();
    }
  }
}

/** A status without the parts that change all the time. */
export function lastingText({ thumbAt: _, programs, ...rest }: StreamStatus): string {
  return JSON.stringify([rest, programs.map(({ name, state, pid }) => [name, state, pid])]);
}

function known(status: StreamStatus): Known {
  const whole = JSON.stringify(status);
  const watched = shownStatus(status, "viewer");
  return {
    status,
    json: {
      viewer: watched === status ? whole : JSON.stringify(watched),
      operator: whole,
      admin: whole,
    },
    lasting: lastingText(status),
    thumbAt: status.thumbAt,
  };
}
