/** Requests about another node's streams, once this node's gate has let them in: they go to that node. */
import { PASS_HEADER, type PassedOn, type Passes } from "../door/access/pass.ts";
import { errorResponse } from "../door/errors.ts";
import type { Fleet } from "../fleet/fleet.ts";
import type { Admitted } from "../door/gate.ts";
import type { StreamId } from "../model/id.ts";
import type { PastElsewhere, Pieces } from "../store/pieces.ts";
import { plainHost } from "../reach/reach.ts";
import { asksForPast } from "../rewind/catchup.ts";
import { MOST_SILENT_MS, type SilentClients } from "../machine/net/silent_clients.ts";
import { VERSION } from "../machine/tools/version.ts";
import { forward, streamOf, takenOver, takeoverPath } from "./forward.ts";
import type { JoinedSockets } from "./joined_sockets.ts";
import type { OtherChannels } from "./other_channels.ts";
import { answerPieces, askedPieces } from "./other_pasts.ts";
import type { Forwarding, NodeSocket } from "./placement.ts";
import { cannotAskText } from "./protocol.ts";
import type { UnderWay } from "./under_way.ts";
import type { ClusterView } from "./view.ts";

/** What the query of a request has that a node is to answer for what it keeps itself. */
const HERE = "here";

export interface ForwardingParts {
  view: ClusterView & { readonly past: PastElsewhere };
  passes: Passes;
  sockets: JoinedSockets;
  others: OtherChannels;
  underWay: UnderWay;
  /** What this machine keeps of the streams' past. */
  pieces: Pieces;
  ask: typeof fetch;
  /** Counts the viewers of other nodes' channels who ask here. */
  fleet: Pick<Fleet, "find">;
  /** Milliseconds for which a client has taken nothing of what has arrived at its machine. */
  silentMs: SilentClients["idleMs"];
}

export class NodeForwarding implements Forwarding {
  readonly passes: Passes;
  readonly takenOver = takenOver;
  #parts: ForwardingParts;

  constructor(parts: ForwardingParts) {
    this.passes = parts.passes;
    this.#parts = parts;
  }

  channelSocket(request: Request, id: StreamId, admitted: Admitted): Response | null {
    const { view, sockets, underWay } = this.#parts;
    const stream = admitted.isPassedOn ? undefined : view.store.get(id);
    if (!stream || !admitted.maySee(stream)) return null;
    const other = this.#socketAt(view.origin(id), `/api/ts/${id}`, admitted);
    if (!other) return null;
    if (!sockets.hasRoom) return errorResponse(503, "Too many viewers are here. Try again later.");
    const ended = underWay.begin(admitted.client);
    return ended ? sockets.join(request, other, admitted.holds, ended) : tooMuch();
  }

  takeover(id: StreamId, admitted: Admitted): NodeSocket | null {
    const { view } = this.#parts;
    if (admitted.isPassedOn || !view.store.get(id)) return null;
    return this.#socketAt(view.owner(id), takeoverPath(id), admitted);
  }

  async kept(request: Request, id: StreamId, admitted: Admitted): Promise<Response[]> {
    const { view, passes, ask } = this.#parts;
    const url = new URL(request.url);
    if (url.searchParams.has(HERE)) return [];
    url.searchParams.set(HERE, "");
    const { method, headers, signal } = request;
    const asked = new Request(url, { method, headers, signal });
    const nodes = new Set(view.past.stays(id).map(({ node }) => node));
    const others = [...nodes].map((node) => view.other(node)).filter((other) => other?.canBeAsked);
    const found = foundOf(admitted);
    return await Promise.all(
      others.map((other) => forward(asked, url.pathname, other!, passes, found, admitted, ask)),
    );
  }

  async pass(request: Request, path: string, admitted: Admitted): Promise<Response | undefined> {
    const asksPieces = admitted.isPassedOn ? askedPieces(path) : null;
    if (asksPieces) return await answerPieces(this.#parts.pieces, asksPieces, request);
    const { view, passes, others, underWay, ask, fleet, silentMs } = this.#parts;
    const asked = admitted.isPassedOn ? null : streamOf(path);
    const stream = asked ? view.store.get(asked.id) : undefined;
    if (!asked || !stream || !admitted.maySee(stream)) return;
    const other = view.other(asked.isChannel ? view.origin(stream.id) : view.home(stream.id));
    if (!other) return;
    // this node knows as well as the stream's where the past is
    if (asked.isChannel && asksForPast(new URL(request.url).searchParams)) return;
    if (!other.canBeAsked) return errorResponse(502, cannotAskText(other.name, other.beat, VERSION));
    const shared = asked.isChannel
      ? await others.answer(request, path, other.name, admitted.client, fleet)
      : null;
    if (shared) return shared;
    const ended = underWay.begin(admitted.client);
    if (!ended) return tooMuch();
    const isThere = () => silentMs(admitted.connection) <= MOST_SILENT_MS;
    const client = { holds: () => isThere() && admitted.holds(), ended };
    return await forward(request, path, other, passes, foundOf(admitted), client, ask);
  }

  /** Where a WebSocket at another node begins; null: the name is this node's, or that node cannot be asked. */
  #socketAt(name: string | null, path: string, admitted: Admitted): NodeSocket | null {
    const other = this.#parts.view.other(name);
    if (!other?.canBeAsked) return null;
    const { protocol, hostname, host, port } = new URL(other.address);
    const isTls = protocol === "https:";
    const at = { hostname: plainHost(hostname), port: Number(port) || (isTls ? 443 : 80), isTls };
    const pass = this.passes.make(other.name, "GET", path, foundOf(admitted));
    return { node: other.name, target: { at, path, host, headers: { [PASS_HEADER]: pass } } };
  }
}

/** What the gate has found, for the other node. */
function foundOf(admitted: Admitted): PassedOn {
  const { client, publicUrl, addressBase, isFromOwnPage, mayReadSecrets, role } = admitted;
  return { client, publicUrl: publicUrl.href, addressBase, isFromOwnPage, mayReadSecrets, role };
}

/** The answer to a client that has too much under way at other nodes. */
function tooMuch(): Response {
  const response = errorResponse(503, "Too many of your requests are under way at other nodes. Try again.");
  response.headers.set("retry-after", "2");
  return response;
}
