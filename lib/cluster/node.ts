/** This machine as a node of its cluster: the parts that know where streams run, then the parts that act on it. */
import { join } from "node:path";
import { Passes } from "../door/access/pass.ts";
import type { Admission } from "../fleet/admission.ts";
import type { Fleet } from "../fleet/fleet.ts";
import type { Operations } from "../fleet/operations.ts";
import type { Ground } from "../live/ground.ts";
import type { HlsFile } from "../channel/media/hls.ts";
import type { NodeFacts } from "../model/answers/node.ts";
import type { StreamStatus } from "../model/answers/shapes.ts";
import type { StreamId } from "../model/id.ts";
import { firstSequence } from "../model/segments.ts";
import type { SilentClients } from "../machine/net/silent_clients.ts";
import { readOrNull, writeFileAtomic } from "../machine/os/files.ts";
import type { StreamEvents } from "../reports/events.ts";
import type { Statuses } from "../reports/statuses.ts";
import { notReached, type Shareable } from "../store/shared_text.ts";
import { PRIVATE } from "../store/stored_file.ts";
import type { StreamStore } from "../store/stream_store.ts";
import { OwnPieces } from "../rewind/own_pieces.ts";
import { log } from "../machine/tools/log.ts";
import type { Part } from "../machine/tools/part.ts";
import { ClusterStreams } from "./cluster_streams.ts";
import { setDraining } from "./draining.ts";
import { NodeForwarding } from "./forwarding.ts";
import { JoinedSockets } from "./joined_sockets.ts";
import { followList } from "./list_follower.ts";
import { Member, type Membership } from "./member.ts";
import { NodeNews, ToldStates } from "./node_news.ts";
import { NodeStore } from "./node_store.ts";
import { OtherChannels } from "./other_channels.ts";
import { OtherFigures } from "./other_figures.ts";
import { OtherPasts } from "./other_pasts.ts";
import { OwnList } from "./own_streams.ts";
import { noSuchNode, type Placement, type ToldFigures } from "./placement.ts";
import { Profiles } from "./profiles.ts";
import { missingText, noRoomText } from "./room.ts";
import { RunningStreams } from "./running_streams.ts";
import { UnderWay } from "./under_way.ts";
import { ClusterView } from "./view.ts";

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

export class ClusterNode extends ClusterView implements Placement {
  readonly stored: Profiles;
  readonly past: OtherPasts;
  elsewhere: NodeForwarding | null = null;
  /** Null until the node acts. */
  member: Member | null = null;
  #membership: Membership;
  #ground: NodeGround;
  /** Names this start of the node, which a restart of the web app does not end. */
  #run: string;
  #told: ToldStates;
  #passes: Passes;
  #figures: OtherFigures;
  #others: OtherChannels;

  private constructor(
    membership: Membership,
    ground: NodeGround,
    streams: ClusterStreams,
    own: OwnList,
    store: NodeStore,
    run: string,
  ) {
    const { name, spoken, secret, ask } = membership;
    const { config: { TIMINGS: limits }, machine: { broker, now, elapsed } } = ground;
    super(name, streams, own, store, now, spoken);
    this.#membership = membership;
    this.#ground = ground;
    this.#run = run;
    this.stored = new Profiles({ view: this, broker, elapsed });
    this.#told = new ToldStates(name, streams, elapsed);
    const passes = this.#passes = new Passes(secret, name, () => this.clusterNow());
    this.#figures = new OtherFigures({ view: this, passes, ask, elapsed, keepMs: limits.figuresMs });
    this.past = new OtherPasts({ view: this, passes, ask });
    this.#others = new OtherChannels({ view: this, passes, ask, elapsed, limits: limits.hls });
  }

  /** @param copy the stream list of a start without the cluster. */
  static async open(membership: Membership, ground: NodeGround, copy: StreamStore): Promise<ClusterNode> {
    const { paths, machine } = ground;
    const streams = new ClusterStreams();
    const own = await OwnList.open(paths.ownStreamsFile, streams);
    if (own.isFirstStart) {
      const { streamsFile, accessTokensFile, wallsFile, usersFile, receiversFile } = paths;
      await keepOldFiles([streamsFile, accessTokensFile, wallsFile, usersFile, receiversFile], machine.now());
      await own.begin();
    }
    const runFile = join(paths.webDir, "node-run");
    const run = await readOrNull(runFile) ?? crypto.randomUUID();
    await writeFileAtomic(runFile, run, PRIVATE);
    return new ClusterNode(membership, ground, streams, own, new NodeStore(copy), run);
  }

  /** Makes the parts that act for the node; with their start it joins the cluster. Is called once, before `start`. */
  act({ fleet, admission, statuses, events, streams, silentMs, shared, removed }: Partners): Part[] {
    const { own, stored } = this;
    const { config, paths, machine } = this.#ground;
    const { elapsed } = machine;
    const { playlistStaleMs: staleMs, vnc } = config.TIMINGS;
    const others = this.#others;
    const running = new RunningStreams({
      own,
      fleet,
      admission,
      profiles: stored,
      others,
      hlsDir: paths.hlsDir,
      staleMs,
    });
    const news = new NodeNews({ view: this, told: this.#told, statuses, events, elapsed });
    const options = { ...this.#membership, run: this.#run, machine };
    const member = this.member = new Member(options, this, running, news, shared);
    const sockets = new JoinedSockets(vnc);
    const underWay = new UnderWay(config.MAX_CONNECTIONS);
    const { ask } = this.#membership;
    this.elsewhere = new NodeForwarding({
      view: this,
      passes: this.#passes,
      sockets,
      others,
      underWay,
      pieces: new OwnPieces(paths.rewindDir),
      ask,
      fleet,
      silentMs,
    });
    followList({ view: this, fleet, streams, removed });
    stored.savesFor(fleet);
    return [member, news, sockets, others.cache, stored];
  }

  told(id: StreamId): StreamStatus | null {
    return this.tells(id) ? null : this.#told.of(id, this.teller(id));
  }

  missing(id: StreamId): string | null {
    return missingText(this.rooms(), this.joined?.keeper.freeMs(id) ?? 0);
  }

  figures(): Promise<(id: StreamId) => ToldFigures> {
    return this.#figures.all();
  }

  noRoom(): string | null {
    return noRoomText(this.rooms());
  }

  /** All nodes number by the cluster's clock. */
  leastSequence(id: StreamId): number {
    return Math.max(this.own.least(id), firstSequence(this.clusterNow()));
  }

  before(path: string): Promise<HlsFile | null> {
    return this.#others.before(path);
  }

  async drain(name: string, isDraining: boolean): Promise<NodeFacts> {
    const node = this.nodes().find((one) => one.name === name);
    if (!node) throw noSuchNode(name);
    if (!this.joined) throw notReached();
    await setDraining(this.joined.draining, name, isDraining);
    return { ...node, isDraining };
  }

  async leave(): Promise<void> {
    await this.member?.leave();
  }

  /** Resolves when a start without the cluster would find what there is now. */
  async settled(): Promise<void> {
    await Promise.all([this.own.settled(), this.store.settled(), this.member?.copied()]);
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
    log("info", "a file of this machine's time without the cluster is kept", { file: kept });
  }
}
