/** The relays of all channels: each begins with its first viewer, and ends soon after its last. */
import { isWebSocket } from "../../http/access.ts";
import { errorResponse } from "../../http/errors.ts";
import { foreignPageText } from "../../http/origin.ts";
import { handshakeProblem, upgraded } from "../../http/upgrade.ts";
import { isStreamId, type StreamId } from "../../model/id.ts";
import type { Stream } from "../../model/schema.ts";
import { rtmpApplication } from "../../model/segments.ts";
import type { Part } from "../../system/part.ts";
import { Loop } from "../../system/time.ts";
import type { Traffic } from "../traffic.ts";
import type { Viewers } from "../viewers.ts";
import { Relay, type RelayViewer } from "./relay.ts";
import type { RtmpMessage } from "./rtmp_chunks.ts";
import type { RtmpChannel } from "./rtmp_player.ts";
import { SocketViewer } from "./socket_viewer.ts";
import { TS_HEADERS, TsViewer } from "./ts_viewer.ts";

/** The client of an answer that goes on. */
export interface Watcher {
  /** The client's IP address. */
  client: string;
  agent: string | null;
  /** Whether the client may still see the channel: a token may be revoked, and a session end. */
  holds(): boolean;
  /** Whether it is a client of the tuner, whose number is limited. */
  isTuner?: boolean;
}

export interface RelayParts {
  /** Audio and video of a channel at the media server. @throws {Error} when it has none. */
  play(channel: RtmpChannel, signal: AbortSignal): AsyncIterable<RtmpMessage[]>;
  stream(id: StreamId): Stream | undefined;
  /** Whether the channel is on the air, or would be as soon as somebody watches. */
  isOnAir(id: StreamId): boolean;
  /** Takes each viewer before it is answered, and once a second while it stays. */
  watched(id: StreamId): void;
  audience: Viewers;
  traffic: Traffic;
  /** Milliseconds of a steady clock. */
  elapsed(): number;
}

/** Milliseconds between two looks at all viewers. */
const ROUND_MS = 1000;
/** Milliseconds from the last viewer to a relay's end. */
const LINGER_MS = 10_000;
/** Milliseconds after which a viewer that takes nothing is given up. */
const IDLE_MS = 10_000;
/** Viewers of all channels together. */
const MAX_VIEWERS = 1000;

/** Deno pings a WebSocket's client after half of it, and gives it up after all of it. */
const PING_SECONDS = 24;

/** What the gate found of a request. */
type AdmittedViewer = Pick<Watcher, "client" | "holds"> & { isFromOwnPage: boolean; token: object | null };

interface Channel {
  relay: Relay;
  watching: Map<RelayViewer, Watcher>;
  /** When its last viewer left, ms of the steady clock; null while there is one. */
  emptySince: number | null;
}

export class Relays implements Part {
  #parts: RelayParts;
  #channels = new Map<StreamId, Channel>();
  #ending = new Set<Promise<void>>();
  #loop = new Loop("relays not looked after");
  #isStopping = false;

  constructor(parts: RelayParts) {
    this.#parts = parts;
  }

  /** How many channels are taken from the media server. */
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

  /** The answer to GET or HEAD for a channel's transport stream: it goes on as long as the channel does. */
  answer(request: Request, id: StreamId, watcher: Watcher): Response {
    const refusal = this.#refusal(id);
    if (refusal) return refusal;
    // a stream, since an answer without a body would be said to have 0 bytes
    if (request.method === "HEAD") return new Response(new Blob([]).stream(), { headers: TS_HEADERS });
    const viewer: TsViewer = new TsViewer(this.#viewerParts(id, () => viewer));
    this.#add(id, viewer, watcher);
    return viewer.response;
  }

  /**
   * The answer to a WebSocket upgrade for a channel's transport stream; null for every other request.
   * @param path behind the gate.
   */
  upgrade(request: Request, path: string, admitted: AdmittedViewer): Response | null {
    const name = /^\/api\/ts\/([^/]+)$/.exec(path)?.[1];
    if (name === undefined || !isWebSocket(request)) return null;
    const problem = handshakeProblem(request);
    if (problem) return problem;
    // another site's page would be let in with our cookie
    if (!admitted.isFromOwnPage && !admitted.token) return errorResponse(403, foreignPageText(request));
    const refusal = isStreamId(name) ? this.#refusal(name) : errorResponse(404, "There is no such stream.");
    if (refusal || !isStreamId(name)) return refusal;
    const { client, holds } = admitted;
    const watcher = { client, agent: request.headers.get("user-agent"), holds };
    return upgraded(request, { idleTimeout: PING_SECONDS }, (socket) => {
      const viewer: SocketViewer = new SocketViewer(socket, this.#viewerParts(name, () => viewer));
      // before, it could take nothing of what is kept for it
      socket.onopen = () => this.#refusal(name) ? viewer.end() : this.#add(name, viewer, watcher);
    });
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
    const ending = channel.relay.end().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  /** Once a second: who may not see its channel any more, or takes nothing, is let go. */
  tick(): void {
    for (const [id, channel] of this.#channels) {
      const isLeft = channel.emptySince !== null && this.#parts.elapsed() - channel.emptySince >= LINGER_MS;
      if (isLeft || !this.#parts.isOnAir(id)) {
        this.forget(id);
        continue;
      }
      for (const [viewer, watcher] of channel.watching) {
        if (!watcher.holds()) viewer.end();
        else if (viewer.idleMs > IDLE_MS) viewer.giveUp();
        if (channel.watching.has(viewer)) this.#parts.audience.note(id, watcher.client, watcher.agent);
      }
      if (channel.watching.size > 0) this.#parts.watched(id);
    }
  }

  #refusal(id: StreamId): Response | null {
    if (this.#isStopping) return errorResponse(503, "The service is being stopped.");
    if (!this.#parts.isOnAir(id)) return errorResponse(404, "The channel is off.");
    let viewers = 0;
    for (const { watching } of this.#channels.values()) viewers += watching.size;
    return viewers < MAX_VIEWERS ? null : errorResponse(503, "Too many viewers are here. Try again later.");
  }

  #viewerParts(id: StreamId, viewer: () => RelayViewer) {
    return {
      onend: () => this.#left(id, viewer()),
      onsend: (bytes: number) => this.#parts.traffic.note(id, bytes),
      elapsed: this.#parts.elapsed,
    };
  }

  #add(id: StreamId, viewer: RelayViewer, watcher: Watcher): void {
    this.#parts.watched(id);
    this.#parts.audience.note(id, watcher.client, watcher.agent);
    const channel = this.#channels.get(id) ?? this.#begun(id);
    channel.emptySince = null;
    channel.watching.set(viewer, watcher);
    channel.relay.add(viewer);
  }

  #begun(id: StreamId): Channel {
    const { play, stream } = this.#parts;
    // the settings of now: others come with another encoder
    const source = (signal: AbortSignal) =>
      play({ application: rtmpApplication(stream(id)!), name: id }, signal);
    const channel = { relay: new Relay(source), watching: new Map(), emptySince: null };
    this.#channels.set(id, channel);
    return channel;
  }

  #left(id: StreamId, viewer: RelayViewer): void {
    const channel = this.#channels.get(id);
    if (!channel?.watching.delete(viewer)) return;
    channel.relay.remove(viewer);
    if (channel.watching.size === 0) channel.emptySince = this.#parts.elapsed();
  }
}
