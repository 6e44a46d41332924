/** The viewers of one channel by one kind of answer that goes on. The channel's source begins with its first viewer. */
import { MOST_SILENT_MS } from "../machine/net/silent_clients.ts";
import type { RelayViewer, ViewerParts } from "./relay/relay.ts";
import type { Viewers } from "./viewers.ts";

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

/** The channel that is watched. */
export interface WatchedChannel {
  /** Whether the channel is on the air, or would be as soon as somebody watches. */
  readonly isOnAir: boolean;
  /** Takes the news of each viewer, before the answer and once a second while the viewer stays. */
  watched(): void;
  readonly viewers: Pick<Viewers, "note">;
  /** Takes how many bytes a viewer was sent. */
  sent(bytes: number): void;
}

export interface WatchersOptions {
  /** Milliseconds from the last viewer to the end of the source. */
  lingerMs: number;
  /** Milliseconds for which a client has read nothing of the bytes at its machine; 0 where that is not known. */
  silentMs(connection: Deno.Addr | null): number;
  /** Milliseconds of a steady clock. */
  elapsed(): number;
}

export class Watchers<Viewer extends RelayViewer> {
  #channel: WatchedChannel;
  #open: () => ChannelSource<Viewer>;
  #options: WatchersOptions;
  #source: ChannelSource<Viewer> | null = null;
  #watching = new Map<Viewer, Watcher>();
  /** When the last viewer left, ms of the steady clock; null while there is one. */
  #emptySince: number | null = null;
  #ending = new Set<Promise<void>>();
  #isOver = false;

  /** @param open the channel's source, which begins at once. */
  constructor(channel: WatchedChannel, open: () => ChannelSource<Viewer>, options: WatchersOptions) {
    this.#channel = channel;
    this.#open = open;
    this.#options = options;
  }

  /** How many viewers there are. */
  get size(): number {
    return this.#watching.size;
  }

  /** How many of them are clients of the tuner. */
  get tuners(): number {
    let tuners = 0;
    for (const { isTuner } of this.#watching.values()) if (isTuner) tuners++;
    return tuners;
  }

  /** Whether the service takes no viewer any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Once a second: viewers end who may not see the channel any more, or read nothing. */
  tick(): void {
    if (!this.#source) return;
    const { elapsed, lingerMs, silentMs } = this.#options;
    const isLeft = this.#emptySince !== null && elapsed() - this.#emptySince >= lingerMs;
    if (isLeft || !this.#channel.isOnAir) return this.end();
    for (const [viewer, watcher] of this.#watching) {
      const idleMs = Math.max(viewer.idleMs, silentMs(watcher.connection));
      if (!watcher.holds()) viewer.end();
      else if (idleMs > MOST_SILENT_MS) viewer.giveUp();
      if (this.#watching.has(viewer)) this.#note(watcher);
    }
  }

  /** Ends all answers: the channel is off the air, its stream was removed, or everybody was logged out. */
  end(): void {
    const source = this.#source;
    this.#source = null;
    this.#emptySince = null;
    // their connections may take a while to end, and are nothing to the next source
    this.#watching = new Map();
    if (!source) return;
    const ending = source.end().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  /** Ends all answers, and takes no viewer any more; resolves when the source has ended. */
  async stop(): Promise<void> {
    this.#isOver = true;
    this.end();
    await Promise.all(this.#ending);
  }

  /** @param viewer the viewer that is made of them. */
  partsOf(viewer: () => Viewer): ViewerParts {
    return {
      onend: () => this.remove(viewer()),
      onsend: (bytes) => this.#channel.sent(bytes),
      elapsed: this.#options.elapsed,
    };
  }

  /** The viewer gets the channel. */
  add(viewer: Viewer, watcher: Watcher): void {
    this.#note(watcher);
    this.#source ??= this.#open();
    this.#emptySince = null;
    this.#watching.set(viewer, watcher);
    this.#source.add(viewer);
  }

  /** The viewer leaves. */
  remove(viewer: Viewer): void {
    if (!this.#watching.delete(viewer)) return;
    this.#source?.remove(viewer);
    if (this.#watching.size === 0 && this.#source) this.#emptySince = this.#options.elapsed();
  }

  #note({ client, agent }: Watcher): void {
    if (client === null) return;
    this.#channel.watched();
    this.#channel.viewers.note(client, agent);
  }
}
