/** This machine as a node of its cluster: the parts that know where streams run, then the parts that act on it. */
import { join } from "node:path";
import { Passes } from "../auth/pass.ts";
import type { Admission } from "../fleet/admission.ts";
import type { Fleet } from "../fleet/fleet.ts";
import type { Operations } from "../fleet/operations.ts";
import type { Ground } from "../live/ground.ts";
import type { HlsFile } from "../media/hls.ts";
import type { NodeFacts } from "../model/answers/node.ts";
import type { StreamStatus } from "../model/answers/shapes.ts";
import type { StreamId } from "../model/id.ts";
import { firstSequence } from "../model/segments.ts";
import type { SilentClients } from "../net/silent_clients.ts";
import { readOrNull, writeFileAtomic } from "../os/files.ts";
import type { StreamEvents } from "../reports/events.ts";
import type { Statuses } from "../reports/statuses.ts";
import { notReached, type Shareable } from "../store/shared_text.ts";
import { PRIVATE } from "../store/stored_file.ts";
import type { StreamStore } from "../store/stream_store.ts";
import { log } from "../system/log.ts";
import type { Part } from "../system/part.ts";
import { VERSION } from "../system/version.ts";
import type { Shared } from "./buckets.ts";
import { setDraining } from "./draining.ts";
import { NodeForwarding } from "./forwarding.ts";
import { JoinedSockets } from "./joined_sockets.ts";
import { followList } from "./list_follower.ts";
import { Member } from "./member.ts";
import { NodeNews, ToldStates } from "./node_news.ts";
import { NodeStore } from "./node_store.ts";
import { OtherChannels } from "./other_channels.ts";
import { OtherFigures } from "./other_figures.ts";
import { OwnList } from "./own_streams.ts";
import { noSuchNode, type Placement, type ToldFigures } from "./placement.ts";
import { Profiles } from "./profiles.ts";
import type { Spoken } from "./protocol.ts";
import { missingText, noRoomText } from "./room.ts";
import { RunningStreams } from "./running_streams.ts";
import { UnderWay } from "./under_way.ts";
import { ClusterView } from "./view.ts";

/** What a service needs to be a node. */
export interface Membership {
  /** The cluster's name. */
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

type NodeGround = Pick<Ground, "config" | "paths" | "machine">;

/** The parts of the service that a node acts on. They ask the placement, so they are made after the node was opened. */
export interface Partners {
  fleet: Fleet;
  admission: Admission;
  statuses: Statuses;
  events: StreamEvents;
  streams: Pick<Operations, "syncTokens">;
  /** Milliseconds for which a client has taken nothing of what has arrived at its machine. */
  silentMs: SilentClients["idleMs"];
  /** What the nodes share beside the list of streams, by the names of the texts. */
  shared: Record<string, Shareable>;
  /** Removes what this machine has of a stream that another node has removed. */
  removed(id: StreamId): Promise<void>;
}

export class ClusterNode implements Placement {
  readonly view: ClusterView;
  readonly stored: Profiles;
  elsewhere: NodeForwarding | null = null;
  #membership: Membership;
  #ground: NodeGround;
  /** Names this start of the node, which a restart of the web app does not end. */
  #run: string;
  #told: ToldStates;
  #passes: Passes;
  #figures: OtherFigures;
  #others: OtherChannels;
  #member: Member | null = null;

  private constructor(
    membership: Membership,
    ground: NodeGround,
    own: OwnList,
    copy: StreamStore,
    run: string,
  ) {
    const { name, spoken, secret, ask } = membership;
    const { config, machine: { broker, now, elapsed } } = ground;
    this.#membership = membership;
    this.#ground = ground;
    this.#run = run;
    const view = this.view = new ClusterView({ name, spoken, own, store: new NodeStore(copy), now });
    this.stored = new Profiles({ view, broker, elapsed });
    this.#told = new ToldStates(name, elapsed);
    const passes = this.#passes = new Passes(secret, name, () => view.clusterNow());
    this.#figures = new OtherFigures({ view, passes, ask, elapsed, keepMs: config.TIMINGS.figuresMs });
    this.#others = new OtherChannels({ view, passes, ask, elapsed, limits: config.TIMINGS.hls });
  }

  /** @param copy the stream list of a start without the cluster. */
  static async open(membership: Membership, ground: NodeGround, copy: StreamStore): Promise<ClusterNode> {
    const { paths, machine } = ground;
    const own = await OwnList.open(paths.ownStreamsFile);
    if (own.isFirstStart) {
      const { streamsFile, accessTokensFile, wallsFile, usersFile, receiversFile } = paths;
      await keepOldFiles([streamsFile, accessTokensFile, wallsFile, usersFile, receiversFile], machine.now());
      await own.begin();
    }
    const runFile = join(paths.webDir, "node-run");
    const run = await readOrNull(runFile) ?? crypto.randomUUID();
    await writeFileAtomic(runFile, run, PRIVATE);
    return new ClusterNode(membership, ground, own, copy, run);
  }

  /** Makes the parts that act for the node; with their start it joins the cluster. Is called once, before `start`. */
  act({ fleet, admission, statuses, events, streams, silentMs, shared, removed }: Partners): Part[] {
    const { view, stored } = this;
    const { config, paths, machine } = this.#ground;
    const { elapsed } = machine;
    const { playlistStaleMs: staleMs, vnc } = config.TIMINGS;
    const others = this.#others;
    const running = new RunningStreams({
      ...{ own: view.own, fleet, admission, profiles: stored, others },
      ...{ hlsDir: paths.hlsDir, staleMs },
    });
    const news = new NodeNews({ view, told: this.#told, statuses, events, elapsed });
    const options = { ...this.#membership, run: this.#run, version: VERSION, machine };
    const member = this.#member = new Member(options, view, running, news, shared);
    const sockets = new JoinedSockets(vnc);
    const underWay = new UnderWay(config.MAX_CONNECTIONS);
    const { ask } = this.#membership;
    this.elsewhere = new NodeForwarding({
      ...{ view, passes: this.#passes, sockets, others, underWay, ask, fleet, silentMs },
    });
    followList({ view, fleet, streams, removed });
    stored.savesFor(fleet);
    return [member, news, sockets, others.cache, stored];
  }

  get store(): NodeStore {
    return this.view.store;
  }

  get here(): string {
    return this.view.name;
  }

  get problem(): string | null {
    return this.view.problem;
  }

  get known(): Promise<void> {
    return this.view.tried.promise;
  }

  isMine(id: StreamId): boolean {
    return this.view.own.has(id);
  }

  owner(id: StreamId): string | null {
    return this.view.owner(id);
  }

  tells(id: StreamId): boolean {
    const { view } = this;
    return view.own.has(id) || (view.owner(id) === null && view.teller(id) === view.name);
  }

  told(id: StreamId): StreamStatus | null {
    return this.tells(id) ? null : this.#told.of(id, this.view.teller(id));
  }

  missing(id: StreamId): string | null {
    return missingText(this.view.rooms(), this.view.joined?.keeper.freeMs(id) ?? 0);
  }

  figures(): Promise<(id: StreamId) => ToldFigures> {
    return this.#figures.all();
  }

  noRoom(): string | null {
    return noRoomText(this.view.rooms());
  }

  /** All nodes number by the cluster's clock. */
  leastSequence(id: StreamId): number {
    return Math.max(this.view.own.least(id), firstSequence(this.view.clusterNow()));
  }

  before(path: string): Promise<HlsFile | null> {
    return this.#others.before(path);
  }

  nodes(): NodeFacts[] {
    return this.view.nodes();
  }

  async drain(name: string, isDraining: boolean): Promise<NodeFacts> {
    const node = this.nodes().find((one) => one.name === name);
    if (!node) throw noSuchNode(name);
    if (!this.view.joined) throw notReached();
    await setDraining(this.view.joined.draining, name, isDraining);
    return { ...node, isDraining };
  }

  async leave(): Promise<void> {
    await this.#member?.leave();
  }

  /** Does what the node does each second; for tests that have no clock. */
  round(): void {
    this.#member?.round();
  }

  /** Resolves when a start without the cluster would find what there is now. */
  async settled(): Promise<void> {
    const { own, store } = this.view;
    await Promise.all([own.settled(), store.settled(), this.#member?.copied()]);
  }
}

/** Keeps the files that a machine had while it was alone: the cluster's take their place. @param now Unix ms. */
async function keepOldFiles(files: readonly string[], now: number): Promise<void> {
  const stamp = new Date(now).toISOString().replace(/[:.]/g, "-");
  for (const file of files) {
    const text = await readOrNull(file);
    if (text === null) continue;
    const kept = file.replace(/\.json$/, `.alone-${stamp}.json`);
    await writeFileAtomic(kept, text, PRIVATE);
    log("info", "what this machine had alone is kept", { file: kept });
  }
}
