/**
 * Claims streams for this node, and gives them away. Each node decides for itself, by what it knows of the claims and of the
 * other nodes. While a node is cut off from the cluster it changes nothing.
 */
import type { StreamId } from "../model/id.ts";
import { firstSequence } from "../model/segments.ts";
import { errorText, log } from "../machine/tools/log.ts";
import { AwayError } from "./buckets.ts";
import type { Claims } from "./claims.ts";
import type { ClaimState, ClusterStreams, KnownClaim } from "./cluster_streams.ts";
import type { Nodes } from "./nodes.ts";

/** The streams of this node, and its room for more. */
export interface OwnStreams {
  /** Whether this node runs the stream. */
  has(id: StreamId): boolean;
  /** All streams that this node runs. */
  ids(): Iterable<StreamId>;
  /** Whether the stream's channel has begun, as far as it can: a stream that starts with its first viewer counts as begun. */
  isReady(id: StreamId): boolean;
  /** The media sequence number that the stream's channel has reached; null: not known. */
  sequence(id: StreamId): number | null;
  /**
   * Runs the stream. @param sequence the least media sequence number of its channel. @param says from which node the stream
   * comes and why, for people; null: from no other node.
   */
  take(id: StreamId, sequence: number, says: string | null): void;
  /** Ends the stream here. */
  drop(id: StreamId): void;
  /** Has the stream's channel go on from the last list of the node that has the channel. Never fails. */
  goOn(id: StreamId, node: string): Promise<void>;
  /** Whether another node may take the stream: what its page has stored is kept for that node, or cannot be kept. */
  mayLeave(id: StreamId): boolean;
  /** Why this node has no room for the stream; null: it has. */
  refusal(id: StreamId): string | null;
  /** The share of the machine that is free for streams: 0 to 1. */
  room(): number;
  /** The stream to give away because the machine was too full for two minutes; null: none. */
  tooMuch(): StreamId | null;
}

export interface KeeperOptions {
  claims: Claims;
  nodes: Nodes;
  own: OwnStreams;
  streams: ClusterStreams;
  /** The streams that are to run somewhere. */
  wanted(): Iterable<StreamId>;
  /** Clocks: milliseconds since 1970, and the steady one. */
  now(): number;
  elapsed(): number;
  /** 0 to 1: so that nodes of equal room do not all claim at the same moment. */
  random(): number;
}

/** How many streams a node starts at once: Chromium's start takes a whole core for 2 s. */
const STARTS = 3;
/** Milliseconds by which a full machine claims later than an empty one, and by which chance lets a node claim later, at most. */
const [ROOM_DELAY_MS, CHANCE_MS] = [2000, 500];
/** Milliseconds that a stream's last node may claim before other nodes: the sign-ins are there. */
const STICKY_MS = 1500;
/** Milliseconds after which a channel counts as begun even without a segment: its page may be broken. */
const BEGIN_MS = 30_000;
/** Milliseconds between two streams that a node which is too full gives away. */
const GIVE_MS = 60_000;
/** How many media sequence numbers a new owner leaves out, beside one for each second since the last number was heard. */
const SEQUENCE_GAP = 5;

export class ClaimKeeper {
  #options: KeeperOptions;
  /** Whether a claim is being written. */
  #isClaiming = false;
  #gaveAt = -Infinity;
  /** Whether this node gives all its streams to other nodes, and takes none. */
  isDraining = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /**
   * The node that viewers of the stream are sent to; null: no node has its channel on the air. A node whose channel has not
   * begun does not count: were it lost before it has said so, viewers would be sent back to the former node, whose numbers are
   * lower.
   */
  origin(id: StreamId): string | null {
    const claim = this.#options.claims.onAir(id);
    return this.#isThere(claim) ? claim.node : null;
  }

  /** The node that runs the stream's programs, or starts them; null: no node does. */
  owner(id: StreamId): string | null {
    const newest = this.#options.claims.newest(id);
    return this.#isThere(newest) ? newest.node : this.origin(id);
  }

  #isThere(claim: KnownClaim | undefined): claim is KnownClaim {
    return claim !== undefined && claim.state !== "left" && !this.#options.nodes.isLost(claim.node);
  }

  /** Whether no node has the stream. */
  isFree(id: StreamId): boolean {
    return !this.#isThere(this.#options.claims.newest(id));
  }

  /** For how many milliseconds no node has run the stream, which is to run; 0: a node runs it. */
  freeMs(id: StreamId): number {
    const since = this.#options.streams.find(id)?.freeSince ?? null;
    return since === null ? 0 : this.#options.elapsed() - since;
  }

  /** Does what is due; once a second. */
  tick(): void {
    const { claims, nodes, streams, elapsed } = this.#options;
    streams.tidy();
    if (!nodes.isConnected) {
      // a node that is cut off does not know what the other nodes do
      for (const [, stream] of streams) stream.dueAt = stream.freeSince = null;
      return;
    }
    const wanted = new Set(this.#options.wanted());
    const excess = this.#excess();
    this.release(wanted);
    let starts = STARTS;
    for (const id of claims.ids()) {
      const mine = this.#mine(id);
      if (mine) this.#keep(id, mine, wanted.has(id), excess === id);
      else if (streams.find(id)) streams.of(id).claimedAt = null;
      if (mine?.state === "starting") starts--;
    }
    this.#claim(wanted, starts);
    for (const [id, stream] of streams) {
      if (!wanted.has(id) || this.owner(id) !== null) stream.freeSince = null;
    }
    for (const id of wanted) if (this.owner(id) === null) streams.of(id).freeSince ??= elapsed();
  }

  /** Ends streams that another node runs by now, and streams that are not to run any more. */
  release(wanted = new Set(this.#options.wanted())): void {
    const { claims, nodes, own } = this.#options;
    for (const id of own.ids()) {
      const newest = claims.newest(id);
      if (newest?.node === nodes.name) continue; // `#keep` ends it
      if (newest?.state === "ready" || newest?.state === "offered" || !wanted.has(id)) own.drop(id);
    }
  }

  /** This node's claim of a stream, if that counts. */
  #mine(id: StreamId): KnownClaim | undefined {
    const newest = this.#options.claims.newest(id);
    return newest?.node === this.#options.nodes.name && newest.state !== "left" ? newest : undefined;
  }

  /** Runs a stream that this node has claimed, and writes the claim's state. */
  #keep(id: StreamId, claim: KnownClaim, isWanted: boolean, isTooMuch: boolean): void {
    const { claims, own, streams, elapsed } = this.#options;
    const tell = (state: ClaimState) => {
      this.#write(id, async () => {
        const before = state === "left" ? null : this.origin(id);
        if (before !== null && before !== claim.node) await own.goOn(id, before);
        const sequence = Math.max(claim.sequence, own.sequence(id) ?? 0);
        await claims.change(id, claim, { state, sequence });
      });
    };
    if (!isWanted) {
      tell("left");
      return own.drop(id);
    }
    // a channel that had begun goes on after the segments that its viewers have; a claim whose answer was lost is known late
    if (!own.has(id)) {
      const sequence = this.#next(claim, claim.state === "starting" ? 0 : SEQUENCE_GAP);
      own.take(id, sequence, this.#origin(id));
    }
    const claimedAt = streams.of(id).claimedAt ??= elapsed();
    const hasBegun = own.isReady(id) || elapsed() - claimedAt > BEGIN_MS;
    const isOffered = (this.isDraining || isTooMuch) && (claim.state === "offered" || own.mayLeave(id));
    if (!hasBegun && claim.state === "starting" && !isOffered) return;
    const state: ClaimState = isOffered ? "offered" : "ready";
    if (claim.state === state) {
      if (!claims.isNoted(id, claim)) this.#write(id, () => claims.note(id, claim));
      else if (claims.of(id).length > 1) this.#write(id, () => claims.forgetOlder(id));
      return;
    }
    tell(state);
  }

  /** From which node a stream comes that this node has claimed, and why, for people; null: no other node had it. */
  #origin(id: StreamId): string | null {
    const { claims, nodes } = this.#options;
    const [, before] = claims.of(id);
    if (!before || before.node === nodes.name || before.state === "left") return null;
    const gone = nodes.hasLeft(before.node) ? "which was stopped" : "which is lost";
    const why = before.state === "offered" ? "which has given it away" : gone;
    return `Moved from ${before.node}, ${why}, to ${nodes.name}.`;
  }

  /** The stream that this node offers because the machine is too full. */
  #excess(): StreamId | null {
    const { own, elapsed } = this.#options;
    const next = this.isDraining ? null : own.tooMuch();
    if (next === null) return null;
    const offered = [...own.ids()].find((id) => this.#mine(id)?.state === "offered");
    if (offered !== undefined) return offered;
    if (elapsed() - this.#gaveAt < GIVE_MS) return null;
    this.#gaveAt = elapsed();
    return next;
  }

  /** Claims free and offered streams, when their time has come. */
  #claim(wanted: Set<StreamId>, starts: number): void {
    const { claims, nodes, own, streams, elapsed } = this.#options;
    for (const [id, stream] of streams) if (this.isDraining || !wanted.has(id)) stream.dueAt = null;
    if (this.isDraining) return;
    for (const id of wanted) {
      const newest = claims.newest(id);
      const isOffered = newest?.state === "offered" && newest.node !== nodes.name;
      if (!this.isFree(id) && !isOffered) {
        if (streams.find(id)) streams.of(id).dueAt = null;
        continue;
      }
      const stream = streams.of(id);
      stream.dueAt ??= elapsed() + this.#delay(id, newest);
      // one after the other: what this stream takes counts when the next one is weighed
      if (starts <= 0 || this.#isClaiming || elapsed() < stream.dueAt || stream.isBusy) continue;
      if (!own.has(id) && own.refusal(id) !== null) continue;
      const sequence = newest ? this.#next(newest) : own.sequence(id) ?? this.#clock();
      const claim = { node: nodes.name, state: "starting" as const, sequence };
      // another node had the stream meanwhile, and its viewers would be sent back
      if (newest && newest.node !== nodes.name && (own.sequence(id) ?? Infinity) < sequence) own.drop(id);
      this.#isClaiming = true;
      const made = claims.make(id, claim).finally(() => this.#isClaiming = false);
      this.#write(id, async () => {
        if (!await made) stream.dueAt = null;
      });
    }
  }

  #delay(id: StreamId, newest: KnownClaim | undefined): number {
    const { nodes, own, random } = this.#options;
    if (own.has(id)) return 0;
    const isElsewhere = newest !== undefined && newest.node !== nodes.name && newest.state === "left";
    return ROOM_DELAY_MS * (1 - own.room()) + CHANCE_MS * random() + (isElsewhere ? STICKY_MS : 0);
  }

  /** The least media sequence number of a new owner: the former channel's number has risen by one a second at most. */
  #next({ sequence, heardAt, takenAt }: KnownClaim, gap = SEQUENCE_GAP): number {
    const { nodes, elapsed } = this.#options;
    const takenMs = (nodes.clusterNow() ?? 0) - (takenAt ?? Infinity);
    const ageMs = Math.max(0, takenMs, elapsed() - (heardAt ?? Infinity));
    return Math.max(this.#clock(), sequence + Math.ceil(ageMs / 1000) + gap);
  }

  /** The media sequence number of a channel that had none: all nodes make it from the cluster's clock. */
  #clock(): number {
    const { nodes, now } = this.#options;
    return firstSequence(nodes.clusterNow() ?? now());
  }

  /** Writes a record of the stream, unless another one is being written: the next tick decides anew. */
  #write(id: StreamId, write: () => Promise<unknown>): void {
    const stream = this.#options.streams.of(id);
    if (stream.isBusy) return;
    stream.isBusy = true;
    write().catch((error) => {
      // the news will tell whether the record holds; the connection says that the cluster is away
      if (error instanceof AwayError) return;
      log("warn", "the cluster did not take a claim", { stream: id, error: errorText(error) });
    }).finally(() => stream.isBusy = false);
  }
}
