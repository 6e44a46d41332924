/** The viewers of all channels by one kind of answer that goes on. Each channel's source begins with its first viewer. */
import { errorResponse } from "../../http/errors.ts";
import type { StreamId } from "../../model/id.ts";
import { MOST_SILENT_MS } from "../../net/silent_clients.ts";
import type { Part } from "../../system/part.ts";
import { Loop } from "../../system/time.ts";
import type { Traffic } from "../traffic.ts";
import type { Viewers } from "../viewers.ts";
import type { RelayViewer, ViewerParts } from "./relay.ts";

/** The client of an answer that goes on. */
export interface Watcher {
  /** The client's IP address; null: the program that pushes the channel, which is no viewer. */
  client: string | null;
  agent: string | null;
  /** Whether the client may still see the channel: a token may be revoked, and a session end. */
  holds(): boolean;
  /** The other end of its connection: the client, or the proxy next to us; null: it has none. */
  connection: Deno.Addr | null;
  /** Whether it is a client of the tuner, whose number is limited. */
  isTuner?: boolean;
}

/** The source of one channel, for all its viewers. */
export interface ChannelSource<Viewer extends RelayViewer> {
  add(viewer: Viewer): void;
  remove(viewer: Viewer): void;
  /** Ends the source with all its viewers. */
  end(): Promise<void>;
}

export interface WatchingParts {
  /** Whether the channel is on the air, or would be as soon as somebody watches. */
  isOnAir(id: StreamId): boolean;
  /** Takes each viewer before it is answered, and once a second while it stays. */
  watched(id: StreamId): void;
  audience: Viewers;
  traffic: Traffic;
  /** Milliseconds that a client has taken nothing of what has arrived at its machine; 0 where that is not known. */
  silentMs(connection: Deno.Addr | null): number;
  /** Milliseconds of a steady clock. */
  elapsed(): number;
}

/** Milliseconds between two looks at all viewers. */
const ROUND_MS = 1000;
/** Viewers of all channels together. */
const MAX_VIEWERS = 1000;

interface Channel<Viewer extends RelayViewer> {
  source: ChannelSource<Viewer>;
  watching: Map<Viewer, Watcher>;
  /** When its last viewer left, ms of the steady clock; null while there is one. */
  emptySince: number | null;
}

export class Watching<Viewer extends RelayViewer> implements Part {
  #parts: WatchingParts;
  #open: (id: StreamId) => ChannelSource<Viewer>;
  #channels = new Map<StreamId, Channel<Viewer>>();
  #ending = new Set<Promise<void>>();
  #loop = new Loop("viewers not looked after");
  #lingerMs: number;
  #isStopping = false;

  /** @param open the source of a channel, which begins at once. @param lingerMs from the last viewer to its end. */
  constructor(parts: WatchingParts, open: (id: StreamId) => ChannelSource<Viewer>, lingerMs: number) {
    this.#parts = parts;
    this.#lingerMs = lingerMs;
    this.#open = open;
  }

  /** How many channels have a source. */
  get size(): number {
    return this.#channels.size;
  }

  /** How many clients of the tuner there are. */
  get tuners(): number {
    let tuners = 0;
    for (const { watching } of this.#channels.values()) {
      for (const { isTuner } of watching.values()) if (isTuner) tuners++;
    }
    return tuners;
  }

  start(): void {
    this.#loop.start(ROUND_MS, () => this.tick());
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#loop.stop();
    this.endAll();
    await Promise.all(this.#ending);
  }

  /** Ends all answers, such as those of people who were logged out. */
  endAll(): void {
    for (const id of [...this.#channels.keys()]) this.forget(id);
  }

  /** Ends all answers of a channel that is no more, or off the air. */
  forget(id: StreamId): void {
    const channel = this.#channels.get(id);
    if (!channel) return;
    this.#channels.delete(id);
    const ending = channel.source.end().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  /** Once a second: who may not see its channel any more, or takes nothing, is let go. */
  tick(): void {
    for (const [id, channel] of this.#channels) {
      const isLeft = channel.emptySince !== null &&
        this.#parts.elapsed() - channel.emptySince >= this.#lingerMs;
      if (isLeft || !this.#parts.isOnAir(id)) {
        this.forget(id);
        continue;
      }
      for (const [viewer, watcher] of channel.watching) {
        const idleMs = Math.max(viewer.idleMs, this.#parts.silentMs(watcher.connection));
        if (!watcher.holds()) viewer.end();
        else if (idleMs > MOST_SILENT_MS) viewer.giveUp();
        if (channel.watching.has(viewer)) this.#note(id, watcher);
      }
    }
  }

  /** The answer to a viewer who cannot watch the channel; null: the viewer can. */
  refusal(id: StreamId): Response | null {
    if (this.#isStopping) return errorResponse(503, "The service is being stopped.");
    if (!this.#parts.isOnAir(id)) return errorResponse(404, "The channel is off.");
    let viewers = 0;
    for (const { watching } of this.#channels.values()) viewers += watching.size;
    return viewers < MAX_VIEWERS ? null : errorResponse(503, "Too many viewers are here. Try again later.");
  }

  /** @param viewer the viewer that is made of them. */
  partsOf(id: StreamId, viewer: () => Viewer): ViewerParts {
    return {
      onend: () => this.#left(id, viewer()),
      onsend: (bytes: number) => this.#parts.traffic.note(id, bytes),
      elapsed: this.#parts.elapsed,
    };
  }

  /** The viewer gets the channel; `refusal` has let it. */
  add(id: StreamId, viewer: Viewer, watcher: Watcher): void {
    this.#note(id, watcher);
    const channel = this.#channels.get(id) ?? this.#begun(id);
    channel.emptySince = null;
    channel.watching.set(viewer, watcher);
    channel.source.add(viewer);
  }

  /** The viewer leaves. */
  remove(id: StreamId, viewer: Viewer): void {
    this.#left(id, viewer);
  }

  #note(id: StreamId, { client, agent }: Watcher): void {
    if (client === null) return;
    this.#parts.watched(id);
    this.#parts.audience.note(id, client, agent);
  }

  #begun(id: StreamId): Channel<Viewer> {
    const channel: Channel<Viewer> = { source: this.#open(id), watching: new Map(), emptySince: null };
    this.#channels.set(id, channel);
    return channel;
  }

  #left(id: StreamId, viewer: Viewer): void {
    const channel = this.#channels.get(id);
    if (!channel?.watching.delete(viewer)) return;
    channel.source.remove(viewer);
    if (channel.watching.size === 0) channel.emptySince = this.#parts.elapsed();
  }
}
