/** This machine as a node of its cluster: it joins as soon as the cluster is reached, and goes on alone until then. */
import type { StreamId } from "../model/id.ts";
import type { Stream } from "../model/schema.ts";
import type { Part } from "../system/part.ts";
import { errorText, log } from "../system/log.ts";
import { happensWithin, Loop } from "../system/time.ts";
import { AwayError, type Blobs, type News, type Shared } from "../cluster/buckets.ts";
import { Claims } from "../cluster/claims.ts";
import { ClusterList } from "../cluster/cluster_list.ts";
import { ClaimKeeper, type OwnStreams } from "../cluster/keeper.ts";
import { SharedTexts } from "../cluster/shared_texts.ts";
import type { NodeFacts, NodeLoad } from "../model/answers/node.ts";
import type { Machine } from "../machine.ts";
import { DRAINING, drainingNodes, setDraining } from "../cluster/draining.ts";
import { notReached, type Shareable, type SharedText } from "../store/shared_text.ts";
import type { NodeRoom } from "./cluster_admission.ts";
import type { NodeStore } from "./node_store.ts";
import { type Beat, BEAT_MS, Nodes, TwinError } from "../cluster/nodes.ts";
import { canAsk, SPOKEN, type Spoken } from "./protocol.ts";

export interface ClusterOptions {
  /** The cluster's name, which its founder has chosen, and this node's. */
  id: string;
  name: string;
  /** Of this node's start, which the web app's restart does not end. */
  run: string;
  /** Where other nodes reach this one's web app. */
  address: string;
  version: string;
  /** What this version speaks; SPOKEN unless a test says otherwise. */
  spoken?: Spoken;
  /** @throws {AwayError} when the cluster is not reached. */
  open(): Promise<Shared>;
  now(): number;
  elapsed(): number;
  load: Machine["load"];
}

/** Milliseconds between two rounds, and between two tries to join. */
const [ROUND_MS, AGAIN_MS] = [1000, 5000];
/** Milliseconds for the word that this node leaves: a stop takes less than 10 s in all. */
const LEAVE_MS = 1000;

interface Joined {
  claims: Claims;
  nodes: Nodes;
  keeper: ClaimKeeper;
  news: News;
  profiles: Blobs;
  draining: SharedText;
  close: Shared["close"];
}

export class Cluster implements Part {
  #options: ClusterOptions;
  #store: NodeStore;
  #own: OwnStreams;
  #joined: Joined | null = null;
  #joining: Promise<void> | null = null;
  /** When a stream was first seen that is to run and that nobody has, by its id. */
  #freeSince = new Map<string, number>();
  #triedAt = -Infinity;
  #beatAt = -Infinity;
  /** This machine's, as the next beat tells it. */
  #load: NodeLoad | null = null;
  #ending = new AbortController();
  #firstTry = Promise.withResolvers<void>();
  #loop = new Loop("the cluster was not looked after");
  #shared: { key: string; part: Shareable }[] = [];
  #listeners: { subject: string; told: (text: string) => void; signal: AbortSignal }[] = [];
  /** What nodes tell each other; nothing until this one has joined. */
  readonly news: News = {
    tell: (subject, text) => this.#joined?.news.tell(subject, text),
    listen: (subject, told, signal) => {
      this.#listeners.push({ subject, told, signal });
      this.#joined?.news.listen(subject, told, signal);
    },
  };
  /** Why the node has not joined; null: it has, or has not tried. */
  problem: string | null = null;

  constructor(options: ClusterOptions, store: NodeStore, own: OwnStreams) {
    this.#options = options;
    this.#store = store;
    this.#own = own;
  }

  /** Shares what a part has from the moment that the cluster is joined. Is called before `start`. */
  share(key: string, part: Shareable): void {
    part.awaitShared();
    this.#shared.push({ key, part });
  }

  /** Resolves when the copies of what is shared are on disk. */
  async copied(): Promise<void> {
    await Promise.all(this.#shared.map(({ part }) => part.settled()));
  }

  start(): void {
    this.#loop.start(ROUND_MS, () => this.round());
  }

  /** Tells the others that this machine's streams end, so that they take them at once; before `stop`. */
  async leave(): Promise<void> {
    // else a beat would follow
    await this.#loop.stop();
    await happensWithin(LEAVE_MS, this.#joined?.nodes.leave() ?? Promise.resolve());
  }

  /** The streams go on; the others take the node for lost in some seconds. */
  async stop(): Promise<void> {
    this.#ending.abort();
    this.#firstTry.resolve();
    await this.#loop.stop();
    await this.#joining;
    await this.#joined?.close?.();
  }

  /** The node that has a stream's channel on the air; null: nobody has. */
  origin(id: StreamId): string | null {
    if (this.#joined) return this.#joined.keeper.origin(id);
    return this.#own.has(id) ? this.#options.name : null;
  }

  /** The node that was lost while it had a stream's channel on the air which no other one has begun; null: there is none. */
  lostOrigin(id: StreamId): string | null {
    const claim = this.#joined?.claims.onAir(id);
    return claim && claim.state !== "left" && this.#joined!.nodes.isLost(claim.node) ? claim.node : null;
  }

  /** The node that has a stream's programs, or starts them; null: nobody has. */
  owner(id: StreamId): string | null {
    return this.#joined ? this.#joined.keeper.owner(id) : this.origin(id);
  }

  /** The node that has a stream, or had it last: its logs are there. Null: nobody ever had it. */
  home(id: StreamId): string | null {
    return this.owner(id) ?? this.#joined?.claims.newest(id)?.node ?? null;
  }

  /** The node that tells how a stream is: who has it, else who had it last, else, where that is lost, the first by name. */
  teller(id: StreamId): string | null {
    const last = this.home(id);
    if (!this.#joined || (last !== null && !this.#joined.nodes.isLost(last))) return last;
    return this.#joined.nodes.list().map(({ name }) => name).toSorted()[0] ?? null;
  }

  /** For how many milliseconds nobody has had a stream that is to run. */
  freeMs(id: StreamId): number {
    return this.#options.elapsed() - (this.#freeSince.get(id) ?? Infinity);
  }

  /** What the streams' pages have stored; null: the cluster is not reached. */
  get profiles(): Blobs | null {
    return this.#joined?.nodes.isConnected ? this.#joined.profiles : null;
  }

  /** Where another node is reached, and whether both understand each other; null: it is this one, or is not heard. */
  other(name: string | null): { name: string; address: string; beat: Beat; canBeAsked: boolean } | null {
    if (name === null || name === this.#options.name) return null;
    const node = this.#joined?.nodes.list().find((one) => one.name === name);
    if (!node) return null;
    const { beat } = node;
    return { name, address: beat.address, beat, canBeAsked: canAsk(beat, this.#options.spoken) };
  }

  /** The nodes that are heard, by name. */
  list(): NodeFacts[] {
    const joined = this.#joined;
    if (!joined) return [];
    const { nodes, keeper } = joined;
    const counts = new Map<string | null, number>();
    for (const { id } of this.#store.list()) {
      const owner = keeper.owner(id);
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
    const draining = drainingNodes(joined.draining);
    return nodes.list().map(({ name, beat: { address, version, room, load = null }, aheadMs }) => ({
      ...{ name, isHere: name === nodes.name, address, version, streams: counts.get(name) ?? 0 },
      ...{ freePercent: Math.round(room * 100), load },
      isDraining: draining.includes(name),
      aheadSeconds: Math.round(aheadMs / 100) / 10,
    })).toSorted((one, other) => one.name < other.name ? -1 : 1);
  }

  /** Has a node give its streams away, or take streams again. @throws {ServiceError} 503 when the cluster is not there. */
  async drain(node: string, isDraining: boolean): Promise<void> {
    if (!this.#joined) throw notReached();
    await setDraining(this.#joined.draining, node, isDraining);
  }

  /** The nodes that take streams, with the room that each has. */
  rooms(): NodeRoom[] {
    const nodes = this.#joined?.nodes.list() ?? [];
    return nodes.filter(({ beat }) => !beat.isDraining).map(({ name, beat }) => ({ name, room: beat.room }));
  }

  /** The cluster's clock, milliseconds since 1970; this machine's until it is known. */
  clusterNow(): number {
    return this.#joined?.nodes.clusterNow() ?? this.#options.now();
  }

  /** Resolves when it has joined, or could not: then it is known which streams are this machine's. */
  get tried(): Promise<void> {
    return this.#firstTry.promise;
  }

  /** Does what is due. Nothing is waited for: NATS may be away for long. */
  round(): void {
    const { elapsed } = this.#options;
    if (!this.#joined) {
      if (this.#joining || elapsed() - this.#triedAt < AGAIN_MS) return;
      this.#triedAt = elapsed();
      this.#joining = this.#join().finally(() => {
        this.#joining = null;
        this.#firstTry.resolve();
      });
      return;
    }
    const { nodes, keeper, draining } = this.#joined;
    keeper.isDraining = drainingNodes(draining).includes(nodes.name);
    if (nodes.hasTwin) this.#say(new TwinError(nodes.name));
    else {this.problem = nodes.isConnected
        ? null
        : "its servers do not answer, and what follows is what was last heard";}
    if (elapsed() - this.#beatAt >= BEAT_MS) {
      this.#beatAt = elapsed();
      nodes.beat(this.#beat(keeper)).catch((error) => {
        if (!(error instanceof AwayError)) log("error", "no beat was written", { error: errorText(error) });
      });
      void this.#measure();
    }
    keeper.tick();
    this.#noteFree();
  }

  #noteFree(): void {
    const { elapsed } = this.#options;
    const isFree = ({ id, desiredState }: Stream) => desiredState === "running" && this.owner(id) === null;
    // who is cut off does not know of the others
    const free = this.#joined?.nodes.isConnected ? this.#store.list().filter(isFree) : [];
    this.#freeSince = new Map(free.map(({ id }) => [id, this.#freeSince.get(id) ?? elapsed()]));
  }

  #beat({ isDraining }: ClaimKeeper): Omit<Beat, "run"> {
    const { address, version, now, spoken = SPOKEN } = this.#options;
    const room = this.#own.room();
    return { address, version, ...spoken, room, load: this.#load, isDraining, now: now() };
  }

  async #measure(): Promise<void> {
    try {
      const { cores, load: [average], memory: { totalBytes, availableBytes } } = await this.#options.load();
      this.#load = average === undefined ? null : { cores, average, totalBytes, availableBytes };
    } catch (error) {
      log("debug", "this machine's load is not known", { error: errorText(error) });
    }
  }

  async #join(): Promise<void> {
    const { id, name, open, now, elapsed } = this.#options;
    const trying = new AbortController();
    const signal = AbortSignal.any([this.#ending.signal, trying.signal]);
    let close: Shared["close"];
    try {
      const shared = await open();
      const { buckets, news, profiles } = shared;
      close = shared.close?.bind(shared);
      const list = await ClusterList.open(buckets.streams, id, signal);
      const claims = await Claims.open(buckets.owners, elapsed, signal);
      const nodes = await Nodes.open(buckets.nodes, this.#options, elapsed, signal);
      const texts = await SharedTexts.open(buckets.texts, signal);
      if (signal.aborted) return void await close?.();
      for (const { key, part } of this.#shared) await part.follow(texts.of(key));
      this.#store.join(list);
      const wanted = () =>
        list.list().filter(({ desiredState }) => desiredState === "running").map(({ id }) => id);
      const keeper = new ClaimKeeper({
        ...{ claims, nodes, own: this.#own, wanted, now, elapsed, random: Math.random },
      });
      keeper.release();
      this.#joined = { claims, nodes, keeper, news, profiles, draining: texts.of(DRAINING), close };
      for (const { subject, told, signal } of this.#listeners) news.listen(subject, told, signal);
      this.problem = null;
      log("info", "joined the cluster", { cluster: id, node: name });
    } catch (error) {
      trying.abort();
      await close?.();
      this.#say(error);
    }
  }

  #say(error: unknown): void {
    if (errorText(error) !== this.problem) log("error", "not in the cluster", { error: errorText(error) });
    this.problem = errorText(error);
  }
}
