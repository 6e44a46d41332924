/**
 * Claims streams for this node, and gives them away: each node decides for itself, by what it knows of the claims and of the
 * other nodes. While it is cut off from the cluster it changes nothing.
 */
import type { StreamId } from "../model/id.ts";
import { firstSequence } from "../model/segments.ts";
import { errorText, log } from "../system/log.ts";
import { AwayError } from "./buckets.ts";
import type { Claims, ClaimState, KnownClaim } from "./claims.ts";
import type { Nodes } from "./nodes.ts";

/** The streams of this node, and its room for more. */
export interface OwnStreams {
  has(id: StreamId): boolean;
  /** All that it has. */
  ids(): Iterable<StreamId>;
  /** Whether the channel has begun, as far as it can: one that starts with its first viewer has. */
  isReady(id: StreamId): boolean;
  /** The media sequence number that the channel has reached; null: not known. */
  sequence(id: StreamId): number | null;
  /**
   * Runs a stream. @param sequence the least media sequence number of its channel. @param says where it comes from and why,
   * for people; null: from nowhere.
   */
  take(id: StreamId, sequence: number, says: string | null): void;
  /** Ends a stream here. */
  drop(id: StreamId): void;
  /** Has a stream's channel go on from the last list of the node that has it. Never fails. */
  goOn(id: StreamId, node: string): Promise<void>;
  /** Whether another node may take a stream: what its page has stored is kept for it, or cannot be. */
  mayLeave(id: StreamId): boolean;
  /** Why this node has no room for a stream; null: it has. */
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
  /** The streams that are to run somewhere. */
  wanted(): Iterable<StreamId>;
  /** Clocks: milliseconds since 1970, and the steady one. */
  now(): number;
  elapsed(): number;
  /** 0 to 1: so that not all nodes of equal room claim at the same moment. */
  random(): number;
}

/** How many streams a node starts at once: Chromium's start takes a whole core for 2 s. */
const STARTS = 3;
/** Milliseconds by which a full machine claims later than an empty one, at most, and those of chance. */
const [ROOM_DELAY_MS, CHANCE_MS] = [2000, 500];
/** Milliseconds that a stream's last node has before others: the sign-ins are there. */
const STICKY_MS = 1500;
/** Milliseconds after which a channel counts as begun though nothing of it is seen: its page may be broken. */
const BEGIN_MS = 30_000;
/** Milliseconds between two streams that a node which is too full gives away. */
const GIVE_MS = 60_000;
/** How many media sequence numbers a new owner leaves out, beside one for each second since the last one heard. */
const SEQUENCE_GAP = 5;

export class ClaimKeeper {
  #options: KeeperOptions;
  /** When this node may claim a free stream, by the steady clock. */
  #due = new Map<StreamId, number>();
  /** When this node's claim was first seen. */
  #since = new Map<StreamId, number>();
  /** Streams of which a record is being written. */
  #busy = new Set<StreamId>();
  /** Whether one of these records is a claim. */
  #isClaiming = false;
  #gaveAt = -Infinity;
  isDraining = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /**
   * The node that viewers of a stream are sent to; null: nobody is on the air with it. One whose channel has not begun is
   * not: were it lost before it has said so, viewers would be sent back to one before, whose numbers are lower.
   */
  origin(id: StreamId): string | null {
    const claim = this.#options.claims.onAir(id);
    return this.#isThere(claim) ? claim.node : null;
  }

  /** The node that has a stream's programs, or starts them; null: nobody has. */
  owner(id: StreamId): string | null {
    const newest = this.#options.claims.newest(id);
    return this.#isThere(newest) ? newest.node : this.origin(id);
  }

  #isThere(claim: KnownClaim | undefined): claim is KnownClaim {
    return claim !== undefined && claim.state !== "left" && !this.#options.nodes.isLost(claim.node);
  }

  /** Whether nobody has a stream. */
  isFree(id: StreamId): boolean {
    return !this.#isThere(this.#options.claims.newest(id));
  }

  /** Does what is due; once a second. */
  tick(): void {
    const { claims, nodes } = this.#options;
    if (!nodes.isConnected) {
      this.#due.clear();
      return;
    }
    const wanted = new Set(this.#options.wanted());
    const excess = this.#excess();
    this.release(wanted);
    let starts = STARTS;
    for (const id of claims.ids()) {
      const mine = this.#mine(id);
      if (!mine) this.#since.delete(id);
      else this.#keep(id, mine, wanted.has(id), excess === id);
      if (mine?.state === "starting") starts--;
    }
    this.#claim(wanted, starts);
  }

  /** Ends what another node has by now, and what is not wanted any more. */
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

  /** Runs a stream that this node has claimed, and tells how it is. */
  #keep(id: StreamId, claim: KnownClaim, isWanted: boolean, isTooMuch: boolean): void {
    const { claims, own, elapsed } = this.#options;
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
    // one that had begun goes on after what its viewers have; a claim whose answer was lost is known late
    if (!own.has(id)) {
      const sequence = this.#next(claim, claim.state === "starting" ? 0 : SEQUENCE_GAP);
      own.take(id, sequence, this.#origin(id));
    }
    const since = this.#since.get(id) ?? elapsed();
    this.#since.set(id, since);
    const hasBegun = own.isReady(id) || elapsed() - since > BEGIN_MS;
    const isOffered = (this.isDraining || isTooMuch) && (claim.state === "offered" || own.mayLeave(id));
    if (!hasBegun && claim.state === "starting" && !isOffered) return;
    const state: ClaimState = isOffered ? "offered" : "ready";
    if (claim.state === state) {
      if (claims.of(id).length > 1) this.#write(id, () => claims.forgetOlder(id));
      return;
    }
    tell(state);
  }

  /** Where a stream comes from that this node has claimed, for people; null: nobody had it. */
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
    const { claims, nodes, own, elapsed } = this.#options;
    for (const id of this.#due.keys()) if (!wanted.has(id)) this.#due.delete(id);
    if (this.isDraining) return this.#due.clear();
    for (const id of wanted) {
      const newest = claims.newest(id);
      const isOffered = newest?.state === "offered" && newest.node !== nodes.name;
      if (!this.isFree(id) && !isOffered) {
        this.#due.delete(id);
        continue;
      }
      const due = this.#due.get(id) ?? elapsed() + this.#delay(id, newest);
      this.#due.set(id, due);
      // one after the other: what it takes counts when the next one is weighed
      if (starts <= 0 || this.#isClaiming || elapsed() < due || this.#busy.has(id)) continue;
      if (!own.has(id) && own.refusal(id) !== null) continue;
      const sequence = newest ? this.#next(newest) : own.sequence(id) ?? this.#clock();
      const claim = { node: nodes.name, state: "starting" as const, sequence };
      // another node had it meanwhile, whose viewers would go back
      if (newest && newest.node !== nodes.name && (own.sequence(id) ?? Infinity) < sequence) own.drop(id);
      this.#isClaiming = true;
      const made = claims.make(id, claim).finally(() => this.#isClaiming = false);
      this.#write(id, async () => void (await made || this.#due.delete(id)));
    }
  }

  #delay(id: StreamId, newest: KnownClaim | undefined): number {
    const { nodes, own, random } = this.#options;
    if (own.has(id)) return 0;
    const isElsewhere = newest !== undefined && newest.node !== nodes.name && newest.state === "left";
    return ROOM_DELAY_MS * (1 - own.room()) + CHANCE_MS * random() + (isElsewhere ? STICKY_MS : 0);
  }

  /** The least media sequence number of a new owner: a channel goes on by one a second at most. */
  #next({ sequence, heardAt, takenAt }: KnownClaim, gap = SEQUENCE_GAP): number {
    const { nodes, elapsed } = this.#options;
    const takenMs = (nodes.clusterNow() ?? 0) - (takenAt ?? Infinity);
    const ageMs = Math.max(0, takenMs, elapsed() - (heardAt ?? Infinity));
    return Math.max(this.#clock(), sequence + Math.ceil(ageMs / 1000) + gap);
  }

  /** The media sequence number that a channel begins with when nothing is known of it: all nodes have the same clock here. */
  #clock(): number {
    const { nodes, now } = this.#options;
    return firstSequence(nodes.clusterNow() ?? now());
  }

  /** Writes of a stream, one after the other; what was not written is decided anew. */
  #write(id: StreamId, write: () => Promise<unknown>): void {
    if (this.#busy.has(id)) return;
    this.#busy.add(id);
    write().catch((error) => {
      // whether it holds, the news will tell; that the cluster is away is said by its connection
      if (error instanceof AwayError) return;
      log("warn", "the cluster did not take a claim", { stream: id, error: errorText(error) });
    }).finally(() => this.#busy.delete(id));
  }
}
