/** The nodes of a cluster: each writes a beat every 2 s, and one that is not heard for 8 s is lost. */
import type { NodeLoad } from "../model/answers/node.ts";
import { sleep } from "../machine/tools/time.ts";
import { AwayError, type Bucket, ConflictError, type Entry, parsed } from "./buckets.ts";

/** The facts that a node writes about itself with each beat. */
export interface Beat {
  /** Names the node's start: by it two machines of one name are told apart. */
  run: string;
  /** Where the other nodes reach its web app, such as "https://10.0.0.2:3000". */
  address: string;
  version: string;
  protocol: number;
  oldest?: number;
  /** The share of the machine that is free for streams: 0 to 1. */
  room: number;
  load?: NodeLoad | null;
  isDraining: boolean;
  /** The node's clock: milliseconds since 1970. */
  now: number;
}

/** Milliseconds between two beats, and of silence after which a node is lost. */
export const [BEAT_MS, LOST_MS] = [2000, 8000];
/** Milliseconds without its own beat until a node is cut off (sooner than others miss it), and until its beat is late. */
const [CUT_OFF_MS, LATE_MS] = [5000, 1000];

/** Another machine of the cluster has this node's name. */
export class TwinError extends Error {
  override name = "TwinError";
  constructor(node: string) {
    super(`another machine of the cluster is called ${node}, too`);
  }
}

/** This node: its name, and its run, which the web app's restart does not end. */
export interface Own {
  name: string;
  run: string;
}

interface Heard {
  /** Null: the node has left. */
  beat: Beat | null;
  revision: number;
  /** When the beat came, by this node's steady clock. */
  at: number;
  /** Milliseconds by which the node's clock is before the cluster's. */
  aheadMs: number;
}

export class Nodes {
  readonly name: string;
  readonly run: string;
  #bucket: Bucket;
  #elapsed: () => number;
  #heard = new Map<string, Heard>();
  /** When this node's newest beat came back. */
  #ownAt = -Infinity;
  /** The cluster's clock less this node's steady one; null: not known yet. */
  #clusterClock: number | null = null;
  /** Since when this node's beats come back. */
  #connectedAt = -Infinity;
  /** When another machine's beat of this node's name came. */
  #twinAt = -Infinity;
  /** The beat that is being written, and the text of the newest one. */
  #beating: Promise<void> | null = null;
  #written = { text: "", at: -Infinity };

  private constructor(bucket: Bucket, { name, run }: Own, elapsed: () => number) {
    this.#bucket = bucket;
    this.name = name;
    this.run = run;
    this.#elapsed = elapsed;
  }

  /**
   * Follows the beats until the signal aborts. Where a beat of another run of this node's name is there, it waits for a next
   * beat of that run: one that comes is another machine's, and none means that the first was of this node's last start.
   * @throws {AwayError | TwinError}
   */
  static async open(bucket: Bucket, own: Own, elapsed: () => number, signal: AbortSignal): Promise<Nodes> {
    const nodes = new Nodes(bucket, own, elapsed);
    await bucket.watch((entry) => nodes.#take(entry), signal);
    const last = nodes.#heard.get(own.name);
    if (last?.beat && last.beat.run !== own.run) {
      await sleep(2 * BEAT_MS, signal);
      if (nodes.#heard.get(own.name) !== last) throw new TwinError(own.name);
    }
    nodes.#twinAt = -Infinity;
    return nodes;
  }

  /**
   * Writes this node's beat. A beat that is lost holds up the next one for a beat's time, and no longer: else other nodes would
   * miss this node.
   */
  async beat(beat: Omit<Beat, "run">): Promise<void> {
    if (this.#beating && this.#elapsed() - this.#written.at < BEAT_MS) return;
    this.#written = { text: JSON.stringify({ run: this.run, ...beat }), at: this.#elapsed() };
    const beating = this.#beating = this.#write(this.#written.text);
    await beating.finally(() => this.#beating = this.#beating === beating ? null : this.#beating);
  }

  /** Tells the other nodes that this node leaves, so that they need not wait. @throws {AwayError} */
  async leave(): Promise<void> {
    await this.#beating?.catch(() => {});
    const known = this.#heard.get(this.name);
    if (known?.beat) await this.#bucket.remove(this.name, known.revision);
  }

  /** Whether this node's beats come back; else it does not know what the other nodes do. */
  get isConnected(): boolean {
    return this.#elapsed() - this.#ownAt <= CUT_OFF_MS && !this.hasTwin;
  }

  /** Whether another machine writes beats of this node's name. */
  get hasTwin(): boolean {
    return this.#elapsed() - this.#twinAt <= LOST_MS;
  }

  /** Whether a node is gone: it has left, or was silent while this node heard the cluster. */
  isLost(name: string): boolean {
    if (!this.isConnected || name === this.name) return false;
    const silentSince = Math.max(this.#heard.get(name)?.at ?? 0, this.#connectedAt);
    return this.hasLeft(name) || this.#elapsed() - silentSince > LOST_MS;
  }

  /** Whether a node has said that it leaves: it was stopped. */
  hasLeft(name: string): boolean {
    return this.#heard.get(name)?.beat === null;
  }

  /** The cluster's clock, milliseconds since 1970; null: not known yet. */
  clusterNow(): number | null {
    return this.#clusterClock === null ? null : this.#clusterClock + this.#elapsed();
  }

  /** The newest beat of each node that is not lost. */
  list(): { name: string; beat: Beat; aheadMs: number }[] {
    return [...this.#heard].flatMap(([name, { beat, aheadMs }]) =>
      beat && !this.isLost(name) ? [{ name, beat, aheadMs }] : []
    );
  }

  async #write(text: string): Promise<void> {
    for (const _ of [1, 2]) {
      const known = this.#heard.get(this.name);
      try {
        const revision = await this.#bucket.put(this.name, text, known?.beat ? known.revision : 0);
        return this.#take({ key: this.name, text, revision });
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
        // the bucket has forgotten the last beat by its age, or keeps a beat of this node's last start
        if (known?.beat && this.#heard.get(this.name) === known) {
          this.#heard.set(this.name, { ...known, beat: null });
        }
      }
    }
    throw new AwayError(`another machine writes the beat of ${this.name}`);
  }

  /** Takes a beat. @param entry without `at`: this node has just written the beat, which has not come back yet. */
  #take({ key, text, revision, at }: Omit<Entry, "at"> & { at?: number }): void {
    const known = this.#heard.get(key);
    const beat = parsed<Beat>(text);
    if (text !== null && beat === null) return;
    const heardAt = this.#elapsed();
    const isOwn = key === this.name && beat?.run === this.run;
    if (isOwn && at !== undefined) {
      // a beat that comes late would make the clock late
      const isLate = text !== this.#written.text || heardAt - this.#written.at > LATE_MS;
      if (!isLate || this.#clusterClock === null) this.#clusterClock = at - heardAt;
      if (!this.isConnected) this.#connectedAt = heardAt;
      this.#ownAt = heardAt;
    }
    if (known && at !== undefined && beat && known.revision === revision) known.aheadMs = beat.now - at;
    if (known && known.revision >= revision) return;
    const aheadMs = beat && at !== undefined ? beat.now - at : known?.aheadMs ?? 0;
    this.#heard.set(key, { beat, revision, at: heardAt, aheadMs });
    if (key === this.name && beat && !isOwn) this.#twinAt = heardAt;
  }
}
