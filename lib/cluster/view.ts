/**
 * What this node knows of its cluster. Before the node has joined, that is its own list of streams alone. The view changes
 * nothing: `Member` puts in what it has joined, and all other parts read.
 */
import type { NodeFacts } from "../model/answers/node.ts";
import type { StreamId } from "../model/id.ts";
import type { SharedText } from "../store/shared_text.ts";
import type { Blobs, News } from "./buckets.ts";
import type { Claims } from "./claims.ts";
import type { ClusterStreams } from "./cluster_streams.ts";
import { drainingNodes } from "./draining.ts";
import type { ClaimKeeper } from "./keeper.ts";
import type { NodeStore } from "./node_store.ts";
import type { Beat, Nodes } from "./nodes.ts";
import type { OwnList } from "./own_streams.ts";
import { canAsk, type Spoken } from "./protocol.ts";
import type { NodeRoom } from "./room.ts";

/** The cluster that this node has joined. */
export interface Joined {
  claims: Claims;
  nodes: Nodes;
  keeper: ClaimKeeper;
  news: News;
  profiles: Blobs;
  draining: SharedText;
}

/** Another node. */
export interface KnownNode {
  name: string;
  /** Where its web app is reached, such as "http://10.0.0.2:3000". */
  address: string;
  beat: Beat;
  /** Whether both nodes' versions understand each other. */
  canBeAsked: boolean;
}

export class ClusterView {
  /** Null: this node has not joined yet. */
  joined: Joined | null = null;
  /** Why this node is not in its cluster; null: it is, or it has not tried yet. */
  problem: string | null = null;
  /** Resolves when this node has joined, or could not: then it is known which streams are this machine's. */
  readonly tried = Promise.withResolvers<void>();
  #now: () => number;
  #spoken: Spoken | undefined;

  /**
   * @param here this node's name. @param own those of the streams that this node runs. @param now the machine's clock, milliseconds since
   * 1970. @param spoken what this version speaks; SPOKEN unless a test says otherwise.
   */
  constructor(
    readonly here: string,
    readonly streams: ClusterStreams,
    readonly own: OwnList,
    readonly store: NodeStore,
    now: () => number,
    spoken?: Spoken,
  ) {
    this.#now = now;
    this.#spoken = spoken;
  }

  get known(): Promise<void> {
    return this.tried.promise;
  }

  isMine(id: StreamId): boolean {
    return this.own.has(id);
  }

  /** The node that has the stream's channel on the air; null: no node has. */
  origin(id: StreamId): string | null {
    if (this.joined) return this.joined.keeper.origin(id);
    return this.own.has(id) ? this.here : null;
  }

  /** The node that was lost while it had the stream's channel on the air, if no other node has begun the channel; else null. */
  lostOrigin(id: StreamId): string | null {
    if (!this.joined || this.store.get(id)?.desiredState !== "running") return null;
    const claim = this.joined.claims.onAir(id);
    return claim && claim.state !== "left" && this.joined.nodes.isLost(claim.node) ? claim.node : null;
  }

  /** The node that runs the stream's programs, or starts them; null: no node does. */
  owner(id: StreamId): string | null {
    return this.joined ? this.joined.keeper.owner(id) : this.origin(id);
  }

  /** The node that runs the stream, or ran it last: the stream's logs are there. Null: no node ever ran it. */
  home(id: StreamId): string | null {
    return this.owner(id) ?? this.joined?.claims.newest(id)?.node ?? null;
  }

  /** The one node that tells how the stream is: its home; the first node by name, where the home is lost or there is none. */
  teller(id: StreamId): string | null {
    const home = this.home(id);
    if (!this.joined || (home !== null && !this.joined.nodes.isLost(home))) return home;
    return this.joined.nodes.list().map(({ name }) => name).toSorted()[0] ?? null;
  }

  /** Whether this node tells how the stream is: it runs the stream, or no node does and this one is the teller. */
  tells(id: StreamId): boolean {
    return this.own.has(id) || (this.owner(id) === null && this.teller(id) === this.here);
  }

  /** What the streams' pages have stored; null: the cluster is not reached. */
  get profiles(): Blobs | null {
    return this.joined?.nodes.isConnected ? this.joined.profiles : null;
  }

  /** Another node; null: the name is this node's, or that node is not heard. */
  other(name: string | null): KnownNode | null {
    if (name === null || name === this.here) return null;
    const beat = this.joined?.nodes.list().find((one) => one.name === name)?.beat;
    return beat ? { name, address: beat.address, beat, canBeAsked: canAsk(beat, this.#spoken) } : null;
  }

  /** The nodes that are heard, by name. */
  nodes(): NodeFacts[] {
    if (!this.joined) return [];
    const { nodes, keeper, draining } = this.joined;
    const owners = this.store.list().map(({ id }) => keeper.owner(id));
    const isDraining = drainingNodes(draining);
    return nodes.list().map(({ name, beat: { address, version, room, load = null }, aheadMs }) => ({
      name,
      isHere: name === this.here,
      address,
      version,
      streams: owners.filter((owner) => owner === name).length,
      freePercent: Math.round(room * 100),
      load,
      isDraining: isDraining.includes(name),
      aheadSeconds: Math.round(aheadMs / 100) / 10,
    })).toSorted((one, other) => one.name < other.name ? -1 : 1);
  }

  /** The nodes that take streams, with the room that each has. */
  rooms(): NodeRoom[] {
    const nodes = this.joined?.nodes.list() ?? [];
    return nodes.filter(({ beat }) => !beat.isDraining).map(({ name, beat }) => ({ name, room: beat.room }));
  }

  /** The cluster's clock, milliseconds since 1970; the machine's clock until the cluster's is known. */
  clusterNow(): number {
    return this.joined?.nodes.clusterNow() ?? this.#now();
  }
}
