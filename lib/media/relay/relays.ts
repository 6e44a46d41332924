/** The channels as transport streams: as answers that go on, and by WebSockets. */
import { isWebSocket } from "../../http/access.ts";
import { errorResponse } from "../../http/errors.ts";
import { foreignPageText } from "../../http/origin.ts";
import { handshakeProblem, upgraded } from "../../http/upgrade.ts";
import { isStreamId, type StreamId } from "../../model/id.ts";
import type { Stream } from "../../model/schema.ts";
import { rtmpApplication } from "../../model/segments.ts";
import { AnswerViewer, liveHead } from "./answer_viewer.ts";
import { Relay, type RelayViewer } from "./relay.ts";
import type { RtmpMessage } from "./rtmp_chunks.ts";
import type { RtmpChannel } from "./rtmp_player.ts";
import { nullPackets } from "./transport_writer.ts";
import { SocketViewer } from "./socket_viewer.ts";
import { type Watcher, Watching, type WatchingParts } from "./watching.ts";

export interface RelayParts extends WatchingParts {
  /** Audio and video of a channel at the media server. @throws {Error} when it has none. */
  play(channel: RtmpChannel, signal: AbortSignal): AsyncIterable<RtmpMessage[]>;
  stream(id: StreamId): Stream | undefined;
}

/**
 * A still channel's packets are few and small: filled up, they say soon whether a client reads
 * (lib/net/silent_clients.ts), and proxies do not end what is silent.
 */
const TRANSPORT = { type: "video/mp2t", maxWaitingBytes: 2 * 1024 * 1024, filler: nullPackets(22) };

/** Milliseconds from the last viewer to the end: a player that begins anew need not wait. */
const LINGER_MS = 10_000;

/** Deno pings a WebSocket's client after half of it, and gives it up after all of it. */
const PING_SECONDS = 24;

/** What the gate found of a request. */
type AdmittedViewer = Pick<Watcher, "client" | "holds" | "connection"> & {
  isFromOwnPage: boolean;
  token: object | null;
  isPassedOn: boolean;
};

export class Relays extends Watching<RelayViewer> {
  constructor(parts: RelayParts) {
    const { play, stream } = parts;
    // the settings of now: others come with another encoder
    super(
      parts,
      (id) => new Relay((signal) => play({ application: rtmpApplication(stream(id)!), name: id }, signal)),
      LINGER_MS,
    );
  }

  /** Hands a channel to the program that pushes it; false: the channel is off. */
  push(id: StreamId, viewer: RelayViewer): boolean {
    if (this.refusal(id)) return false;
    this.add(id, viewer, { client: null, agent: null, holds: () => true, connection: null });
    return true;
  }

  /** The answer to GET or HEAD for a channel's transport stream: it goes on as long as the channel does. */
  answer(request: Request, id: StreamId, watcher: Watcher): Response {
    const refusal = this.refusal(id);
    if (refusal) return refusal;
    if (request.method === "HEAD") return liveHead(TRANSPORT);
    const viewer: AnswerViewer = new AnswerViewer(this.partsOf(id, () => viewer), TRANSPORT);
    this.add(id, viewer, watcher);
    return viewer.response;
  }

  /**
   * The answer to a WebSocket upgrade for a channel's transport stream; null for every other request.
   * @param path behind the gate. @param elsewhere the answer where another node of the cluster has the stream.
   */
  upgrade(
    request: Request,
    path: string,
    admitted: AdmittedViewer,
    elsewhere: (id: StreamId) => Response | null = () => null,
  ): Response | null {
    const name = /^\/api\/ts\/([^/]+)$/.exec(path)?.[1];
    if (name === undefined || !isWebSocket(request)) return null;
    const problem = handshakeProblem(request);
    if (problem) return problem;
    // another site's page would be let in with our cookie
    if (!admitted.isFromOwnPage && !admitted.token && !admitted.isPassedOn) {
      return errorResponse(403, foreignPageText(request));
    }
    const other = isStreamId(name) ? elsewhere(name) : null;
    if (other) return other;
    const refusal = isStreamId(name) ? this.refusal(name) : errorResponse(404, "There is no such stream.");
    if (refusal || !isStreamId(name)) return refusal;
    const { client, holds, connection } = admitted;
    const watcher = { client, agent: request.headers.get("user-agent"), holds, connection };
    return upgraded(request, { idleTimeout: PING_SECONDS }, (socket) => {
      const viewer: SocketViewer = new SocketViewer(socket, this.partsOf(name, () => viewer));
      // before, it could take nothing of what is kept for it
      socket.onopen = () => this.refusal(name) ? viewer.end() : this.add(name, viewer, watcher);
    });
  }
}
