/** The streams of the cluster, as this node knows them beside their settings: one record for each. */
import type { HlsFile } from "../channel/media/hls.ts";
import type { StreamStatus } from "../model/answers/shapes.ts";
import type { StreamId } from "../model/id.ts";

/**
 * "starting": the channel has not begun at the claim's node, so viewers are sent to the former node. "ready": the channel has
 * begun. "offered": it has begun, and another node may take the stream. "left": any node may take the stream.
 */
export type ClaimState = "starting" | "ready" | "offered" | "left";

export interface Claim {
  /** The number of the claim among the stream's, from 1: the newest counts. */
  term: number;
  node: string;
  state: ClaimState;
  /** A media sequence number that the channel had reached when the claim was written. */
  sequence: number;
}

/** A claim as this node knows it. */
export interface KnownClaim extends Claim {
  revision: number;
  /** When the cluster took the claim, by the cluster's clock; null: the claim has not come back to this node, which wrote it. */
  takenAt: number | null;
  /** When this node heard the claim, by its steady clock; null: the claim is older than this node's start. */
  heardAt: number | null;
}

/** A note that a node has had the stream's channel on the air. */
export interface KnownStay {
  /** The number of the node's claim. */
  term: number;
  node: string;
  /** Since when: milliseconds since 1970, by the cluster's clock. */
  since: number;
  revision: number;
}

/** All times are milliseconds of the steady clock. */
export interface ClusterStream {
  /** All claims of the stream, the newest first. */
  claims: readonly KnownClaim[];
  /** Which nodes had the stream, the oldest first. */
  stays: readonly KnownStay[];
  /** The least media sequence number that the channel begins with here; null: this node does not run the stream. */
  least: number | null;
  /** When this node may claim the free stream; null: the stream is not free. */
  dueAt: number | null;
  /** When this node's claim of the stream was first seen; null: this node has no claim. */
  claimedAt: number | null;
  /** Since when no node has run the stream, which is to run; null: a node runs it. */
  freeSince: number | null;
  /** Whether a claim of the stream is being written. */
  isBusy: boolean;
  /** The newest state that a node has told; null: none, or it is old. */
  told: ToldState | null;
  /** The node that the channel came here from, and when it came; null: from none. */
  before: { node: string; at: number } | null;
  /** The list that viewers were given here last, and the node that has written it; null: none, or it is old. */
  given: { node: string; file: HlsFile; at: number } | null;
  /** What the stream's page has stored; null: nothing is known of it. */
  profile: KnownProfile | null;
}

export interface ToldState {
  /** The node that has told the state. */
  node: string;
  status: StreamStatus;
  at: number;
  /** Of this node's own states: what is compared before the state is told again. */
  text?: string;
}

export interface KnownProfile {
  /** When the stream was started, or a person was last in its browser. */
  visitedAt: number;
  /** When the last saving began that came to an end. */
  savedAt: number;
  /** No saving begins before. */
  dueAt: number;
  leaving: { since: number; askedAt: number } | null;
  /** Of the profile that the cluster has; null: not known. */
  digest: string | null;
  /** Whether the profile that the cluster has could not be brought here: it is not written over. */
  isOwed: boolean;
  /** Why the profile is not kept, as the stream's events have it. */
  problem: string | null;
}

const nothing = (): ClusterStream => ({
  claims: [],
  stays: [],
  least: null,
  dueAt: null,
  claimedAt: null,
  freeSince: null,
  isBusy: false,
  told: null,
  before: null,
  given: null,
  profile: null,
});

export class ClusterStreams {
  #streams = new Map<StreamId, ClusterStream>();

  /** The stream's record, which is made where there is none. */
  of(id: StreamId): ClusterStream {
    let stream = this.#streams.get(id);
    if (!stream) this.#streams.set(id, stream = nothing());
    return stream;
  }

  find(id: StreamId): ClusterStream | undefined {
    return this.#streams.get(id);
  }

  [Symbol.iterator](): Iterator<[StreamId, ClusterStream]> {
    return this.#streams.entries();
  }

  /** Forgets the streams of which nothing is known. */
  tidy(): void {
    for (const [id, { claims, stays, isBusy, ...others }] of this.#streams) {
      const isKnown = stays.length > 0 || Object.values(others).some((value) => value !== null);
      if (claims.length === 0 && !isBusy && !isKnown) this.#streams.delete(id);
    }
  }
}
