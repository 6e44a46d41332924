/**
 * Which node has which stream. Each claim of a stream is a record of its own, with a number that rises: servers of NATS 2.9 let
 * exactly one of several nodes make a record, but let several change one (docs/decisions/cluster.md).
 */
import { isStreamId, type StreamId } from "../model/id.ts";
import { type Bucket, ConflictError, type Entry, parsed } from "./buckets.ts";
import { type Claim, ClusterStreams, type KnownClaim } from "./cluster_streams.ts";

export class Claims {
  #bucket: Bucket;
  #elapsed: () => number;
  #streams: ClusterStreams;
  #isOpen = false;

  private constructor(bucket: Bucket, elapsed: () => number, streams: ClusterStreams) {
    this.#bucket = bucket;
    this.#elapsed = elapsed;
    this.#streams = streams;
  }

  /** Follows the claims until the signal aborts. @param streams get them. @throws {AwayError} */
  static async open(
    bucket: Bucket,
    elapsed: () => number,
    signal: AbortSignal,
    streams = new ClusterStreams(),
  ): Promise<Claims> {
    // an earlier try to join may have left some
    for (const [, stream] of streams) stream.claims = [];
    const claims = new Claims(bucket, elapsed, streams);
    await bucket.watch((entry) => claims.#take(entry), signal);
    claims.#isOpen = true;
    return claims;
  }

  /** The streams that have a claim. */
  ids(): StreamId[] {
    return [...this.#streams].flatMap(([id, { claims }]) => claims.length > 0 ? id : []);
  }

  /** All claims of a stream, the newest first. */
  of(id: StreamId): readonly KnownClaim[] {
    return this.#streams.find(id)?.claims ?? [];
  }

  /** The claim of the node that has the channel on the air: the newest that is not "starting", or the newest where all are. */
  onAir(id: StreamId): KnownClaim | undefined {
    return this.of(id).find(({ state }) => state !== "starting") ?? this.newest(id);
  }

  newest(id: StreamId): KnownClaim | undefined {
    return this.of(id)[0];
  }

  /**
   * Makes a stream's next claim.
   * @returns whether no other node was first. @throws {AwayError} when that is not known: the claim's news will tell.
   */
  async make(id: StreamId, claim: Omit<Claim, "term">): Promise<boolean> {
    const term = (this.newest(id)?.term ?? 0) + 1;
    return await this.#write(id, { term, ...claim }, 0);
  }

  /** Changes a claim of this node, which no other node changes. @throws {AwayError} */
  async change(
    id: StreamId,
    known: KnownClaim,
    change: Partial<Omit<Claim, "term" | "node">>,
  ): Promise<void> {
    const { term, node, state, sequence, revision } = known;
    await this.#write(id, { term, node, state, sequence, ...change }, revision);
  }

  /** Removes the claims before the newest, whose channel has begun. @throws {AwayError} */
  async forgetOlder(id: StreamId): Promise<void> {
    for (const { term, revision } of this.of(id).slice(1)) {
      const key = keyOf(id, term);
      try {
        this.#take({ key, text: null, revision: await this.#bucket.remove(key, revision) });
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
      }
    }
  }

  async #write(id: StreamId, claim: Claim, revision: number): Promise<boolean> {
    const key = keyOf(id, claim.term);
    const text = JSON.stringify(claim);
    try {
      this.#take({ key, text, revision: await this.#bucket.put(key, text, revision) });
      return true;
    } catch (error) {
      if (error instanceof ConflictError) return false;
      throw error;
    }
  }

  #take({ key, text, revision, at }: Omit<Entry, "at"> & { at?: number }): void {
    const [id, term] = key.split(".");
    if (!isStreamId(id)) return;
    const known = this.of(id);
    const same = known.find((claim) => claim.term === Number(term));
    // a claim that this node has written comes back
    if (same?.revision === revision) same.takenAt ??= at ?? null;
    if (same && same.revision >= revision) return;
    const others = known.filter((claim) => claim !== same);
    const claim = parsed<Claim>(text);
    const heardAt = this.#isOpen ? this.#elapsed() : null;
    if (claim) others.push({ ...claim, revision, takenAt: at ?? null, heardAt });
    this.#streams.of(id).claims = others.toSorted((one, other) => other.term - one.term);
  }
}

const keyOf = (id: StreamId, term: number) => `${id}.${term}`;
