/**
 * Where streams run: all on this machine, which is alone, or each on one of a cluster's nodes. This is the one door to the
 * cluster: a machine that is alone loads no other file of this room.
 */
import type { Passes } from "../door/access/pass.ts";
import type { Admitted } from "../door/gate.ts";
import type { HlsFile } from "../channel/media/hls.ts";
import type { NodeFacts } from "../model/answers/node.ts";
import type { StreamFigures, StreamStatus } from "../model/answers/shapes.ts";
import type { StreamId } from "../model/id.ts";
import { NOTHING_ELSEWHERE, type PastElsewhere } from "../store/pieces.ts";
import { ServiceError } from "../errors.ts";
import type { Target } from "../machine/websocket/handshake.ts";

export interface Placement {
  /** This node's name; null: this machine is alone. */
  readonly here: string | null;
  /** Why this node is not in its cluster, for people; null: it is, or it has not tried yet, or this machine is alone. */
  readonly problem: string | null;
  /** Resolves when it is known which streams are this machine's. */
  readonly known: Promise<void>;
  /** Whether this machine runs the stream, as soon as the stream is to run. */
  isMine(id: StreamId): boolean;
  /** The node that runs the stream; null: no node does, or this machine is alone. */
  owner(id: StreamId): string | null;
  /** Whether this machine tells people how the stream is: exactly one node of a cluster does. */
  tells(id: StreamId): boolean;
  /** The state that another node has told lately; null: no node has, or this machine tells the state itself. */
  told(id: StreamId): StreamStatus | null;
  /** Why no node runs a stream that is to run, for people; null: a node runs it, or will soon. */
  missing(id: StreamId): string | null;
  /** The figures that the other nodes tell, once they have answered. */
  figures(): Promise<(id: StreamId) => ToldFigures>;
  /** Why no node has room for one more stream, as part of a sentence; null: a node has, or this machine is alone. */
  noRoom(): string | null;
  /** The least media sequence number that the stream's channel begins with here; 0: any number is right. */
  leastSequence(id: StreamId): number;
  /** What the streams' pages have stored. */
  readonly stored: Stored;
  /** A file that the channel's node before this one has listed; null: there is none. @param path such as "/live/clock/7.ts". */
  before(path: string): Promise<HlsFile | null>;
  /** What other nodes keep of the streams' past. */
  readonly past: PastElsewhere;
  /** Takes requests to the node that has their stream; null: this machine is alone. */
  readonly elsewhere: Forwarding | null;
  /** The nodes that are heard, by name; none where this machine is alone. */
  nodes(): NodeFacts[];
  /**
   * Has a node give its streams to the other nodes, or take streams again.
   * @throws {ServiceError} 404; 503 when the cluster does not answer.
   */
  drain(node: string, isDraining: boolean): Promise<NodeFacts>;
  /** Tells the other nodes that this machine's streams end now, so that they need not wait. */
  leave(): Promise<void>;
}

/** The figures of a stream at the other nodes. */
export interface ToldFigures {
  /** The figures at the node that runs the stream; null: that node has told none, or no other node runs the stream. */
  figures: StreamFigures | null;
  /** How many viewers all other nodes count. */
  viewers: number;
}

/** What pages have stored, as far as it follows a stream from one machine to another. */
export interface Stored {
  /** Brings what another node has left, before the browser starts. It never fails. @param tell adds to the stream's events. */
  bring(id: StreamId, tell: TellStored): Promise<void>;
  /** The stream's profile was emptied, so no node goes on from it. It never fails. */
  emptied(id: StreamId): Promise<void>;
}

export type TellStored = (text: string, level?: "warn") => void;

/** A WebSocket at another node: the node's name, and where the WebSocket is opened. */
export interface NodeSocket {
  node: string;
  target: Target;
}

/** The way of requests to the node that has their stream. */
export interface Forwarding {
  /** What nodes sign for requests that they pass on. */
  readonly passes: Passes;
  /** The stream whose browser another node's client takes over by this request; null: the request is another one. */
  takenOver(path: string, admitted: Pick<Admitted, "isPassedOn">): StreamId | null;
  /** Where the stream's browser is taken over; null: here. */
  takeover(id: StreamId, admitted: Admitted): NodeSocket | null;
  /** The answer to a viewer's WebSocket for a channel; null: no other node has the channel. */
  channelSocket(request: Request, id: StreamId, admitted: Admitted): Response | null;
  /**
   * What the other nodes that had a stream answer to the same request, each for what it keeps itself. A request that another
   * node sends so has none.
   */
  kept(request: Request, id: StreamId, admitted: Admitted): Promise<Response[]>;
  /** The other node's answer; undefined: this node answers. @param path of the request, without an access token. */
  pass(request: Request, path: string, admitted: Admitted): Promise<Response | undefined>;
}

/** The answer to an order for a node that is not there. */
export function noSuchNode(name: string): ServiceError {
  return new ServiceError(404, `There is no node "${name.slice(0, 63)}" in a cluster here.`);
}

const NOTHING_TOLD: ToldFigures = { figures: null, viewers: 0 };

/** The placement of a machine that is alone: all streams are its own. */
export const ALONE: Placement = {
  here: null,
  problem: null,
  known: Promise.resolve(),
  isMine: () => true,
  owner: () => null,
  tells: () => true,
  told: () => null,
  missing: () => null,
  figures: () => Promise.resolve(() => NOTHING_TOLD),
  noRoom: () => null,
  leastSequence: () => 0,
  stored: { bring: () => Promise.resolve(), emptied: () => Promise.resolve() },
  before: () => Promise.resolve(null),
  past: NOTHING_ELSEWHERE,
  elsewhere: null,
  nodes: () => [],
  drain: (node) => Promise.reject(noSuchNode(node)),
  leave: () => Promise.resolve(),
};
