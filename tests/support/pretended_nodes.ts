/**
 * Nodes of a cluster in virtual time: their claims, beats and lists are the product's, their streams and the buckets are
 * pretended. Each second they check what must hold at any moment, whatever has happened.
 */
import { strict as assert } from "node:assert";
import { ClaimKeeper, type OwnStreams } from "../../lib/cluster/keeper.ts";
import { Claims } from "../../lib/cluster/claims.ts";
import type { Claim } from "../../lib/cluster/cluster_streams.ts";
import { ClusterList } from "../../lib/cluster/cluster_list.ts";
import { ClusterStreams } from "../../lib/cluster/cluster_streams.ts";
import { BEAT_MS, Nodes } from "../../lib/cluster/nodes.ts";
import { AwayError } from "../../lib/cluster/buckets.ts";
import type { StreamId } from "../../lib/model/id.ts";
import { firstSequence } from "../../lib/model/segments.ts";
import { type BucketView, FakeShared } from "./fake_bucket.ts";
import type { FakeClock } from "./fake_clock.ts";
import { aStream } from "./fixture.ts";

const SECOND_MS = 1000;
/** Milliseconds from a stream's start to its first segment. */
const START_MS = 4000;
/** Milliseconds between two tries to reach a cluster that is away. */
const AGAIN_MS = 5000;

interface Running {
  since: number;
  base: number;
}

/** What all nodes share: the buckets, and whether they are there. */
export class PretendedCluster {
  readonly clock: FakeClock;
  readonly buckets: FakeShared["buckets"];
  readonly nodes: PretendedNode[] = [];
  readonly viewers: Viewer[] = [];
  isAway = false;
  /** Seconds of each segment: numbers rise by one with each. */
  segmentSeconds = 1;

  private constructor(clock: FakeClock) {
    this.clock = clock;
    this.buckets = new FakeShared(() => this.now()).buckets;
  }

  /** A cluster with its founding record. @param rooms how many streams each node has room for. */
  static async make(clock: FakeClock, rooms: number[], random: () => number): Promise<PretendedCluster> {
    const cluster = new PretendedCluster(clock);
    await ClusterList.found(cluster.buckets.streams.view(), "wall", 0);
    for (const [at, room] of rooms.entries()) {
      cluster.nodes.push(new PretendedNode(cluster, `n${at}`, room, random));
    }
    for (const node of cluster.nodes) node.start();
    await cluster.pass(1);
    return cluster;
  }

  elapsed(): number {
    return performance.now();
  }

  /** The cluster's clock, which nobody sets: milliseconds since 1970. */
  now(): number {
    return Date.UTC(2026) + this.elapsed();
  }

  /** Lets seconds go by; each node looks once a second. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      await this.clock.advance(SECOND_MS);
      for (const node of this.nodes) node.tick();
      for (const viewer of this.viewers) viewer.look(this);
    }
  }

  /** The streams that are to run, as the cluster has them. */
  wanted(): StreamId[] {
    const { streams } = this.buckets;
    return [...streams.keys()].filter((key) => {
      const text = key.startsWith("_") ? null : streams.get(key)!.text;
      return text !== null && JSON.parse(text).desiredState === "running";
    }) as StreamId[];
  }

  /** Whether a stream is to run, as the cluster has it; null: there is none. */
  stateOf(id: string): "running" | "stopped" | null {
    const text = this.buckets.streams.get(id)?.text ?? null;
    return text === null ? null : JSON.parse(text).desiredState;
  }

  /** The claim of a stream that counts, as the cluster has it. */
  newestClaim(id: string): Claim | null {
    const { owners } = this.buckets;
    const claims = [...owners.keys()].filter((key) => key.split(".")[0] === id)
      .map((key) => owners.get(key)!.text).filter((text) => text !== null).map((text): Claim =>
        JSON.parse(text)
      );
    return claims.toSorted((one, other) => other.term - one.term)[0] ?? null;
  }

  /** The nodes that run a stream. */
  runners(id: string): string[] {
    return this.nodes.filter((node) => node.isUp && node.own.has(id as StreamId)).map(({ name }) => name);
  }

  /** What is wrong once everything has had its time: [] when each wanted stream runs once, where viewers are sent to. */
  problems(): string[] {
    const up = this.nodes.filter((node) => node.isUp);
    const wanted = new Set(this.wanted());
    const all = new Set([...wanted, ...up.flatMap((node) => [...node.own.ids()])]);
    return [...all].flatMap((id) => {
      const runners = this.runners(id);
      if (!wanted.has(id)) return runners.length > 0 ? `${id} is not wanted, and runs on ${runners}` : [];
      if (runners.length !== 1) return `${id} runs on ${runners.join(", ") || "no node"}`;
      const elsewhere = up.filter((node) => node.origin(id) !== runners[0]);
      return elsewhere.length > 0
        ? `${id} runs on ${runners[0]}, and ${
          elsewhere.map((node) => `${node.name} says ${node.origin(id)}`)
        }`
        : [];
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of this.nodes) node.kill();
    await this.clock.advance(20 * SECOND_MS);
  }
}

/** Somebody who watches a stream at one address. */
export class Viewer {
  #last = 0;
  #node: PretendedNode | null;
  #starts: number;
  /** Seconds in a row without a channel, and the most so far. */
  silent = 0;
  mostSilent = 0;

  /** @param node where it asks at first. */
  constructor(readonly id: StreamId, node: PretendedNode | null = null) {
    this.#node = node;
    this.#starts = node?.starts ?? 0;
  }

  look(cluster: PretendedCluster): void {
    // who lost the way in takes another one, such as a load balancer's next
    if (!this.#node?.isUp || this.#node.starts !== this.#starts) {
      this.#node = cluster.nodes.find((node) => node.isConnected) ?? null;
      this.#starts = this.#node?.starts ?? 0;
    }
    const origin = this.#node?.origin(this.id);
    const node = cluster.nodes.find(({ name, isUp }) => isUp && name === origin);
    const number = node?.own.sequence(this.id) ?? null;
    this.silent = number === null ? this.silent + 1 : 0;
    this.mostSilent = Math.max(this.mostSilent, this.silent);
    // of a machine that has started without the cluster, nobody knows which numbers others have given meanwhile
    if (number === null || !node!.keeper) return;
    assert.ok(
      number >= this.#last,
      `${this.id}: a viewer of ${this.#node!.name} had ${this.#last}, and gets ${number} of ${origin}`,
    );
    this.#last = number;
  }
}

export class PretendedNode {
  isUp = false;
  /** How often it was started. */
  starts = 0;
  /** Whether it is stopped, as by SIGSTOP: it does nothing, and hears later. */
  isSlow = false;
  /** Whether it alone does not reach the cluster. */
  isCutOff = false;
  /** Which half of its link to the cluster is down. */
  down: BucketView["down"] = null;
  /** Milliseconds by which its clock is wrong. */
  clockOff = 0;
  list: ClusterList | null = null;
  keeper: ClaimKeeper | null = null;
  readonly own: OwnStreams;
  #running = new Map<StreamId, Running>();
  /** What is on its disk: the streams that it has, and the numbers of their channels. */
  #remembered = new Map<StreamId, { number: number; at: number }>();
  #views: BucketView[] = [];
  #nodes: Nodes | null = null;
  #ending = new AbortController();
  #beatAt = 0;
  /** The stream that it has too much of. */
  excess: StreamId | null = null;

  constructor(
    readonly cluster: PretendedCluster,
    readonly name: string,
    public most: number,
    readonly random: () => number,
  ) {
    this.own = {
      has: (id) => this.#running.has(id),
      ids: () => [...this.#running.keys()],
      isReady: (id) => this.own.sequence(id) !== null,
      sequence: (id) => {
        const running = this.#running.get(id);
        const onAirMs = running ? cluster.elapsed() - running.since - START_MS : -1;
        return running && onAirMs >= 0
          ? running.base + Math.floor(onAirMs / (SECOND_MS * cluster.segmentSeconds))
          : null;
      },
      take: (id, sequence) => this.#take(id, sequence),
      drop: (id) => this.#drop(id),
      goOn: () => Promise.resolve(),
      mayLeave: () => true,
      refusal: () => this.#running.size >= this.most ? "the machine is full" : null,
      room: () => Math.max(0, 1 - this.#running.size / Math.max(1, this.most)),
      tooMuch: () => this.excess,
    };
  }

  get isConnected(): boolean {
    return this.isUp && this.#nodes?.isConnected === true;
  }

  /** The machine's clock. */
  #now(): number {
    return this.cluster.now() + this.clockOff;
  }

  origin(id: StreamId): string | null {
    if (this.keeper) return this.keeper.origin(id);
    return this.own.has(id) ? this.name : null;
  }

  /** Starts it, with what its disk remembers; it goes on trying to reach the cluster. */
  start(): void {
    this.isUp = true;
    this.starts++;
    this.isSlow = false;
    this.#ending = new AbortController();
    void this.#open(this.#ending.signal);
  }

  async #open(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { streams, nodes, owners } = this.cluster.buckets;
      const elapsed = () => this.cluster.elapsed();
      this.#views = [streams, nodes, owners].map((bucket) => bucket.view());
      this.#setAway();
      const [list, beats, claims] = this.#views;
      try {
        const opened = await Claims.open(claims, elapsed, signal);
        if (signal.aborted) return;
        this.#resume((id) => opened.newest(id)?.node === this.name);
        const known = await ClusterList.open(list, "wall", signal);
        const run = `${this.name} ${this.starts}`;
        const others = await Nodes.open(beats, { name: this.name, run }, elapsed, signal);
        if (signal.aborted) return;
        this.#nodes = others;
        this.list = known;
        this.keeper = new ClaimKeeper({
          claims: opened,
          nodes: others,
          own: this.own,
          elapsed,
          random: this.random,
          streams: new ClusterStreams(),
          now: () => this.#now(),
          wanted: () =>
            known.list().filter(({ desiredState }) => desiredState === "running").map(({ id }) => id),
        });
        return;
      } catch (error) {
        if (!(error instanceof AwayError)) throw error;
        this.#resume(() => true);
      }
      await new Promise<void>((done) => void setTimeout(done, AGAIN_MS));
    }
  }

  /** Runs what its disk remembers: without the cluster's clock it numbers by its own, which is right at such a start. */
  #resume(isStillHere: (id: StreamId) => boolean): void {
    for (const [id, { number, at }] of this.#remembered) {
      if (this.own.has(id) || !isStillHere(id)) continue;
      const after = number + Math.ceil((this.cluster.elapsed() - at) / SECOND_MS);
      this.#take(id, Math.max(after, firstSequence(this.cluster.now())));
    }
  }

  /** The machine is stopped: it says so first. */
  async leave(): Promise<void> {
    await this.#nodes?.leave();
    this.kill();
  }

  /** The machine dies: its disk remembers what it had. */
  kill(): void {
    this.isUp = false;
    this.#ending.abort();
    this.#running.clear();
    this.#nodes = null;
    this.keeper = null;
    this.list = null;
    for (const view of this.#views) view.isAway = true;
  }

  /** Says whether it reaches the cluster. */
  #setAway(): void {
    const isAway = !this.isUp || this.isCutOff || this.cluster.isAway || this.isSlow;
    const { streams, nodes, owners } = this.cluster.buckets;
    for (const [at, bucket] of [streams, nodes, owners].entries()) {
      const view = this.#views[at];
      if (!view || (view.isAway === isAway && view.down === this.down)) continue;
      Object.assign(view, { isAway, down: this.down });
      bucket.catchUp(view);
    }
  }

  tick(): void {
    if (!this.isUp || this.isSlow) return this.#setAway();
    // what it has missed is told before it looks, or after
    const isFirst = this.random() < 0.5;
    if (isFirst) this.#setAway();
    const { keeper } = this;
    const now = this.cluster.elapsed();
    if (keeper && now - this.#beatAt >= BEAT_MS) {
      this.#beatAt = now;
      this.#nodes!.beat({
        address: this.name,
        version: "1",
        protocol: 1,
        room: this.own.room(),
        now: this.#now(),
        isDraining: keeper.isDraining,
      }).catch((error) => assert.ok(error instanceof AwayError, String(error)));
    }
    keeper?.tick();
    for (const id of this.#running.keys()) {
      const number = this.own.sequence(id);
      if (number !== null) this.#remembered.set(id, { number, at: now });
    }
    if (!isFirst) this.#setAway();
  }

  /** Adds a stream, or changes whether it is to run. @returns whether the cluster has said that it is kept. */
  async want(id: string, desiredState: "running" | "stopped" | null): Promise<boolean> {
    if (!this.list || this.isSlow) return false;
    // it writes nothing then, and may not have heard what others have changed
    if ((this.list.get(id)?.desiredState ?? null) === desiredState) return false;
    const change = this.list.change((streams) => {
      const others = streams.filter((one) => one.id !== id);
      if (desiredState === null) return others;
      return [...others, aStream({ id, name: id, desiredState, order: others.length })];
    });
    return await change.then(() => true, () => false);
  }

  #take(id: StreamId, sequence: number): void {
    const since = this.cluster.elapsed();
    this.#remembered.set(id, { number: sequence, at: since });
    this.#running.set(id, { since, base: sequence });
  }

  #drop(id: StreamId): void {
    this.#remembered.delete(id);
    if (!this.#running.delete(id)) return;
    const claim = this.cluster.newestClaim(id);
    const isTaken = claim !== null && claim.node !== this.name && claim.state !== "starting";
    // to begin anew, with higher numbers than the last owner's, which is gone
    const isAnew = claim !== null && claim.node !== this.name && this.keeper!.isFree(id);
    assert.ok(
      isTaken || isAnew || !this.cluster.wanted().includes(id),
      `${this.name} drops ${id}, which nobody else has`,
    );
  }
}
