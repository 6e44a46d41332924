/**
 * Which node has which stream. Each claim of a stream is a record of its own, with a number that rises: servers of NATS 2.9 let
 * exactly one of several nodes make a record, but let several change one (docs/decisions/cluster.md). Beside the claims the bucket
 * has notes of which nodes had a stream, since older claims are forgotten, and the stream's past stays on those nodes.
 */
import { isStreamId, type StreamId } from "../model/id.ts";
import { type Bucket, ConflictError, type Entry, parsed } from "./buckets.ts";
import { type Claim, ClusterStreams, type KnownClaim, type KnownStay } from "./cluster_streams.ts";

/** The first part of a note's key. No stream's id begins like this: a version without notes leaves them alone. */
const STAY = "_had";
/** Milliseconds for which a note stays when another node has the stream: as long as a past is kept at most. */
const STAY_MS = 366 * 86_400_000;
/** The most notes of a stream. */
const MOST_STAYS = 200;

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
    for (const [, stream] of streams) stream.claims = stream.stays = [];
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

  /** Whether it is noted that the claim's node has had the stream, or cannot be yet. */
  isNoted(id: StreamId, { term, takenAt }: KnownClaim): boolean {
    return takenAt === null || this.#stays(id).some((stay) => stay.term === term);
  }

  /** Notes that this node has had the stream since its claim is on the air, and forgets old notes. @throws {AwayError} */
  async note(id: StreamId, { term, node, takenAt }: KnownClaim): Promise<void> {
    const key = `${STAY}.${keyOf(id, term)}`;
    const text = JSON.stringify({ term, node, since: takenAt });
    try {
      this.#take({ key, text, revision: await this.#bucket.put(key, text, 0) });
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
    const stays = this.#stays(id);
    const isOld = (at: number) => at < stays.length - MOST_STAYS || stays[at + 1]?.since < takenAt! - STAY_MS;
    await this.#removeStays(id, stays.filter((_, at) => isOld(at)));
  }

  /** Forgets which nodes had a stream that was deleted. @throws {AwayError} */
  async forgetStays(id: StreamId): Promise<void> {
    await this.#removeStays(id, this.#stays(id));
  }

  #stays(id: StreamId): readonly KnownStay[] {
    return this.#streams.find(id)?.stays ?? [];
  }

  async #removeStays(id: StreamId, stays: readonly KnownStay[]): Promise<void> {
    for (const { term, revision } of stays) {
      const key = `${STAY}.${keyOf(id, term)}`;
      try {
        this.#take({ key, text: null, revision: await this.#bucket.remove(key, revision) });
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
      }
    }
  }

  #takeStay(id: StreamId, term: number, text: string | null, revision: number): void {
    const known = this.#stays(id);
    const same = known.find((stay) => stay.term === term);
    if (same && same.revision >= revision) return;
    const others = known.filter((stay) => stay !== same);
    const stay = parsed<Omit<KnownStay, "revision">>(text);
    if (stay) others.push({ ...stay, revision });
    if (same || stay) {
      this.#streams.of(id).stays = others.toSorted((one, other) => one.term - other.term);
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
    const [id, term, noted] = key.split(".");
    if (id === STAY && isStreamId(term)) return this.#takeStay(term, Number(noted), text, revision);
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
