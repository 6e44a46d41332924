/** Makes this machine a node of its cluster: joins as soon as the cluster is reached, then beats and looks after the claims. */
import type { Machine } from "../machine/machine.ts";
import type { NodeLoad } from "../model/answers/node.ts";
import type { Shareable } from "../store/shared_text.ts";
import { errorText, log } from "../machine/tools/log.ts";
import type { Part } from "../machine/tools/part.ts";
import { happensWithin, Loop } from "../machine/tools/time.ts";
import { VERSION } from "../machine/tools/version.ts";
import { AwayError, type Shared } from "./buckets.ts";
import { Claims } from "./claims.ts";
import { ClusterList } from "./cluster_list.ts";
import { DRAINING, drainingNodes } from "./draining.ts";
import { ClaimKeeper, type OwnStreams } from "./keeper.ts";
import type { NodeNews } from "./node_news.ts";
import { type Beat, BEAT_MS, Nodes, TwinError } from "./nodes.ts";
import { SPOKEN, type Spoken } from "./protocol.ts";
import { SharedTexts } from "./shared_texts.ts";
import type { ClusterView } from "./view.ts";

/** What a service needs to be a node. */
export interface Membership {
  /** The cluster's name, which its founder has chosen. */
  id: string;
  /** This node's name. */
  name: string;
  /** Where other nodes reach this node's web app. */
  address: string;
  /** The cluster's secret, at least 32 bytes. */
  secret: Uint8Array;
  /** What this version speaks; SPOKEN unless a test says otherwise. */
  spoken?: Spoken;
  /** Asks another node. */
  ask: typeof fetch;
  /** @throws {AwayError} when the cluster is not reached. */
  open(): Promise<Shared>;
}

export interface MemberOptions extends Membership {
  /** Names this start of the node, which a restart of the web app does not end. */
  run: string;
  machine: Pick<Machine, "now" | "elapsed" | "load">;
}

/** Milliseconds between two rounds, and between two tries to join. */
const [ROUND_MS, AGAIN_MS] = [1000, 5000];
/** Milliseconds for the word that this node leaves: a stop takes less than 10 s in all. */
const LEAVE_MS = 1000;

export class Member implements Part {
  #options: MemberOptions;
  #view: ClusterView;
  #own: OwnStreams;
  #news: NodeNews;
  /** What the nodes share, by the names of the texts. */
  #shared: Record<string, Shareable>;
  #joining: Promise<void> | null = null;
  #close: Shared["close"];
  #triedAt = -Infinity;
  #beatAt = -Infinity;
  /** The machine's load, as the next beat tells it. */
  #load: NodeLoad | null = null;
  #ending = new AbortController();
  #loop = new Loop("the round of the cluster failed");

  /** @param shared nothing of it is changed until this node has joined. */
  constructor(
    options: MemberOptions,
    view: ClusterView,
    own: OwnStreams,
    news: NodeNews,
    shared: Record<string, Shareable>,
  ) {
    this.#options = options;
    this.#view = view;
    this.#own = own;
    this.#news = news;
    this.#shared = shared;
    for (const part of Object.values(shared)) part.awaitShared();
  }

  start(): void {
    this.#loop.start(ROUND_MS, () => this.round());
  }

  /** Tells the other nodes that this machine's streams end, so that they take the streams at once; before `stop`. */
  async leave(): Promise<void> {
    // else a beat would follow
    await this.#loop.stop();
    await happensWithin(LEAVE_MS, this.#view.joined?.nodes.leave() ?? Promise.resolve());
  }

  /** The streams go on; the other nodes take this node for lost in some seconds. */
  async stop(): Promise<void> {
    this.#ending.abort();
    this.#view.tried.resolve();
    await this.#loop.stop();
    await this.#joining;
    await this.#close?.();
  }

  /** Resolves when the copies of what the nodes share are on disk. */
  async copied(): Promise<void> {
    await Promise.all(Object.values(this.#shared).map((part) => part.settled()));
  }

  /** Does what is due. Nothing is waited for: NATS may be away for long. */
  round(): void {
    const { elapsed } = this.#options.machine;
    const { joined } = this.#view;
    if (!joined) {
      if (this.#joining || elapsed() - this.#triedAt < AGAIN_MS) return;
      this.#triedAt = elapsed();
      this.#joining = this.#join().finally(() => {
        this.#joining = null;
        this.#view.tried.resolve();
      });
      return;
    }
    const { nodes, keeper, draining } = joined;
    keeper.isDraining = drainingNodes(draining).includes(nodes.name);
    if (nodes.hasTwin) this.#say(new TwinError(nodes.name));
    else if (nodes.isConnected) this.#view.problem = null;
    else this.#view.problem = "its servers do not answer, and the nodes below are as they last said";
    if (elapsed() - this.#beatAt >= BEAT_MS) {
      this.#beatAt = elapsed();
      nodes.beat(this.#beat(keeper)).catch((error) => {
        if (!(error instanceof AwayError)) log("error", "no beat was written", { error: errorText(error) });
      });
      void this.#measure();
    }
    keeper.tick();
  }

  #beat({ isDraining }: ClaimKeeper): Omit<Beat, "run"> {
    const { address, machine, spoken = SPOKEN } = this.#options;
    const room = this.#own.room();
    return { address, version: VERSION, ...spoken, room, load: this.#load, isDraining, now: machine.now() };
  }

  async #measure(): Promise<void> {
    try {
      const load = await this.#options.machine.load();
      const { cores, load: [average], memory: { totalBytes, availableBytes } } = load;
      this.#load = average === undefined ? null : { cores, average, totalBytes, availableBytes };
    } catch (error) {
      log("debug", "this machine's load is not known", { error: errorText(error) });
    }
  }

  async #join(): Promise<void> {
    const { id, name, open, machine: { now, elapsed } } = this.#options;
    const trying = new AbortController();
    const signal = AbortSignal.any([this.#ending.signal, trying.signal]);
    let close: Shared["close"];
    try {
      const shared = await open();
      const { buckets, news, profiles } = shared;
      close = shared.close?.bind(shared);
      const list = await ClusterList.open(buckets.streams, id, signal);
      const claims = await Claims.open(buckets.owners, elapsed, signal, this.#view.streams);
      const nodes = await Nodes.open(buckets.nodes, this.#options, elapsed, signal);
      const texts = await SharedTexts.open(buckets.texts, signal);
      if (signal.aborted) return void await close?.();
      for (const [key, part] of Object.entries(this.#shared)) await part.follow(texts.of(key));
      this.#view.store.join(list);
      const wanted = () =>
        list.list().filter(({ desiredState }) => desiredState === "running").map(({ id }) => id);
      const { streams } = this.#view;
      const keeper = new ClaimKeeper({
        claims,
        nodes,
        own: this.#own,
        streams,
        wanted,
        now,
        elapsed,
        random: Math.random,
      });
      keeper.release();
      this.#close = close;
      this.#view.joined = { claims, nodes, keeper, news, profiles, draining: texts.of(DRAINING) };
      this.#news.listen(news, this.#ending.signal);
      this.#view.problem = null;
      log("info", "joined the cluster", { cluster: id, node: name });
    } catch (error) {
      trying.abort();
      await close?.();
      this.#say(error);
    }
  }

  #say(error: unknown): void {
    const text = errorText(error);
    if (text !== this.#view.problem) log("error", "not in the cluster", { error: text });
    this.#view.problem = text;
  }
}
