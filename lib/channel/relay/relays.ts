/** The channels as transport streams: as answers that go on, and by WebSockets. */
import { isWebSocket } from "../../door/access.ts";
import { errorResponse } from "../../door/errors.ts";
import { foreignPageText } from "../../door/origin.ts";
import { handshakeProblem, upgraded } from "../../door/upgrade.ts";
import { isStreamId, type StreamId } from "../../model/id.ts";
import type { Channels } from "../channel.ts";
import { openChannel, sumOf } from "../watched_door.ts";
import type { Watcher } from "../watchers.ts";
import { AnswerViewer, liveHead } from "./answer_viewer.ts";
import { SocketViewer } from "./instant_viewer.ts";
import { nullPackets } from "./transport_writer.ts";

/**
 * A still channel's packets are few and small: filled up, they say soon whether a client reads
 * (lib/machine/net/silent_clients.ts), and proxies do not end a silent connection.
 */
const TRANSPORT = { type: "video/mp2t", maxWaitingBytes: 2 * 1024 * 1024, filler: nullPackets(22) };

/** Deno pings a WebSocket's client after half of it, and gives it up after all of it. */
const PING_SECONDS = 24;

/** What the gate found of a request. */
type AdmittedViewer = Pick<Watcher, "client" | "holds" | "connection"> & {
  isFromOwnPage: boolean;
  token: object | null;
  isPassedOn: boolean;
};

export class Relays {
  #channels: Channels;

  constructor(channels: Channels) {
    this.#channels = channels;
  }

  /** How many clients of the tuner there are. */
  get tuners(): number {
    return sumOf(this.#channels, ({ relay }) => relay.tuners);
  }

  /** The answer to GET or HEAD for a channel's transport stream: it goes on as long as the channel does. */
  answer(request: Request, id: StreamId, watcher: Watcher): Response {
    const channel = openChannel(this.#channels, "relay", id);
    if (channel instanceof Response) return channel;
    if (request.method === "HEAD") return liveHead(TRANSPORT);
    const { relay } = channel;
    const viewer: AnswerViewer = new AnswerViewer(relay.partsOf(() => viewer), TRANSPORT);
    relay.add(viewer, watcher);
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
    if (!isStreamId(name)) return errorResponse(404, "There is no such stream.");
    const channel = openChannel(this.#channels, "relay", name);
    if (channel instanceof Response) return channel;
    const { relay } = channel;
    const { client, holds, connection } = admitted;
    const watcher = { client, agent: request.headers.get("user-agent"), holds, connection };
    return upgraded(request, { idleTimeout: PING_SECONDS }, (socket) => {
      const viewer: SocketViewer = new SocketViewer(socket, relay.partsOf(() => viewer));
      // before it is open, the socket takes no kept chunk
      socket.onopen = () => {
        if (openChannel(this.#channels, "relay", name) === channel) relay.add(viewer, watcher);
        else viewer.end();
      };
    });
  }
}
