/** This machine's part in a cluster: which of the streams it runs, and the list that all nodes share. */
import { join } from "node:path";
import type { Shared } from "../cluster/buckets.ts";
import { Cluster } from "./cluster.ts";
import { ClusterAdmission } from "./cluster_admission.ts";
import { NodeStore } from "./node_store.ts";
import { PASS_HEADER, type PassedOn, Passes } from "../auth/pass.ts";
import type { Admission } from "../fleet/admission.ts";
import type { Fleet } from "../fleet/fleet.ts";
import { MOST_SILENT_MS, type SilentClients } from "../net/silent_clients.ts";
import { Profiles } from "./profiles.ts";
import { OwnFleet } from "./own_streams.ts";
import { forward, streamOf, takeoverPath } from "./forward.ts";
import { cannotAskText, type Spoken } from "./protocol.ts";
import { JoinedSockets } from "./joined_sockets.ts";
import { UnderWay } from "./under_way.ts";
import { OtherChannels } from "./other_channels.ts";
import { errorResponse } from "../http/errors.ts";
import type { Admitted } from "../http/gate.ts";
import { nextSequence } from "../media/hls.ts";
import type { Channel } from "../channel/channel.ts";
import type { EventLevel } from "../model/answers/events.ts";
import type { StreamId } from "../model/id.ts";
import { firstSequence } from "../model/segments.ts";
import { plainHost } from "../net/reach.ts";
import type { Elsewhere } from "../vnc/gateway.ts";
import { readOrNull, writeFileAtomic } from "../os/files.ts";
import { PRIVATE } from "../store/stored_file.ts";
import { errorText, log } from "../system/log.ts";
import { VERSION } from "../system/version.ts";
import { type OtherNodes, type Statuses } from "../reports/statuses.ts";
import { EventNews } from "./event_news.ts";
import { OtherFigures } from "./other_figures.ts";
import { StatusNews } from "./status_news.ts";
import type { StreamStore } from "../store/stream_store.ts";
import type { Ground } from "../live/ground.ts";

/** What a service needs to be a node. */
export interface Membership {
  /** The cluster's name, this node's, and the address where others reach this node's web app. */
  id: string;
  name: string;
  address: string;
  /** The cluster's secret, at least 32 bytes. */
  secret: Uint8Array;
  /** What this version speaks, where a test says otherwise. */
  spoken?: Spoken;
  /** Asks another node. */
  ask: typeof fetch;
  /** @throws {AwayError} when the cluster is not reached. */
  open(): Promise<Shared>;
}

/** The channels of this machine. */
interface OwnChannels {
  find(id: StreamId): Channel | undefined;
  /** Knows who takes nothing. */
  silent: Pick<SilentClients, "idleMs">;
}

/** The parts that are built after the streams, which ask whether they are this machine's. */
export interface Late {
  fleet(): Fleet;
  admission(): Admission;
  statuses(): Statuses;
  channels(): OwnChannels;
  /** Brings the VNC tokens to the list. */
  syncTokens(): Promise<void>;
  /** Adds to a stream's events. */
  tell(id: StreamId, text: string, level?: EventLevel): void;
  /** Removes what other parts have of a stream that another node has removed. */
  removed(id: StreamId): Promise<void>;
}

export type Node = Awaited<ReturnType<typeof openNode>>;

/** @param copy the stream list of a start without the cluster. */
export async function openNode(
  membership: Membership,
  { config, paths, machine }: Pick<Ground, "config" | "paths" | "machine">,
  copy: StreamStore,
  late: Late,
) {
  const { now, elapsed, load } = machine;
  const channel = (id: StreamId) => late.channels().find(id);
  const own = await OwnFleet.open({
    file: paths.ownStreamsFile,
    ...late,
    mayLeave: (id) => profiles.mayLeave(id),
    isOnAir: (id) => (channel(id)?.ageMs ?? Infinity) < config.TIMINGS.playlistStaleMs,
    sequence: (id) => {
      const next = nextSequence(paths.hlsDir, id);
      return next === null ? null : next + (channel(id)?.slate.ahead ?? 0);
    },
    goOn: async (id, node) => {
      const last = await channels.bring(id, node);
      if (last !== null) channel(id)?.goOn(last);
    },
  });
  if (own.isFirstStart) {
    const { streamsFile, accessTokensFile, wallsFile, usersFile, receiversFile } = paths;
    await keepOldFiles([streamsFile, accessTokensFile, wallsFile, usersFile, receiversFile], now());
    await own.begin();
  }
  const store = new NodeStore(copy);
  const runFile = join(paths.webDir, "node-run");
  const run = await readOrNull(runFile) ?? crypto.randomUUID();
  await writeFileAtomic(runFile, run, PRIVATE);
  const cluster = new Cluster({ ...membership, run, version: VERSION, now, elapsed, load }, store, own);
  const profiles = new Profiles({
    ...{ node: membership.name, broker: machine.broker, own, fleet: late.fleet, tell: late.tell, elapsed },
    blobs: () => cluster.profiles,
    owner: (id) => cluster.owner(id),
  });
  store.onchange = following(store, own, late);
  const passes = new Passes(membership.secret, membership.name, () => cluster.clusterNow());
  const news = new StatusNews({
    ...{ node: membership.name, news: cluster.news, elapsed },
    own: () => late.statuses().own(),
  });
  const eventNews = new EventNews({ node: membership.name, news: cluster.news });
  const { ask } = membership;
  const figures = new OtherFigures({ cluster, passes, ask, elapsed, keepMs: config.TIMINGS.figuresMs });
  const admission = new ClusterAdmission(() => cluster.rooms());
  const others: OtherNodes = {
    here: membership.name,
    figures: () => figures.all(),
    isMine: (id) => own.has(id) || (cluster.owner(id) === null && cluster.teller(id) === membership.name),
    status: (id) => news.get(id, cluster.teller(id)),
    missing: (id) => admission.missing(cluster.freeMs(id)),
    node: (id) => cluster.owner(id),
  };
  const sockets = new JoinedSockets(config.TIMINGS.vnc);
  const channels = new OtherChannels({
    ...{ passes, ask, elapsed, limits: config.TIMINGS.hls, channel },
    ...{ origin: (id) => cluster.other(cluster.origin(id)), other: (name) => cluster.other(name) },
    lostOrigin: (id) => store.get(id)?.desiredState === "running" ? cluster.lostOrigin(id) : null,
  });
  /** A segment of the node that had a channel before. */
  const before = (path: string) => channels.before(path);
  const underWay = new UnderWay(config.MAX_CONNECTIONS);
  const forwarding = forwardingOf({
    ...{ cluster, store, passes, sockets, channels, underWay, ask },
    silentMs: (connection) => late.channels().silent.idleMs(connection),
  });
  /** The least media sequence number that a channel begins with: all nodes number by the cluster's clock. */
  const least = (id: StreamId) =>
    Math.max(own.least(id), firstSequence(cluster.clusterNow()), channel(id)?.breaks.next ?? 0);
  /** Resolves when a start without the cluster would find what there is now. */
  const settled = async () => void await Promise.all([own.settled(), store.settled(), cluster.copied()]);
  return {
    settled,
    own,
    least,
    store,
    cluster,
    others,
    before,
    forwarding,
    admission,
    eventNews,
    profiles,
    parts: [cluster, news, eventNews, sockets, channels.cache, profiles],
  };
}

/** Keeps what a machine had that was alone: the cluster's takes its place. @param now Unix ms. */
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

/** Brings this machine to what other nodes have changed in the list. */
function following(store: NodeStore, own: OwnFleet, late: Late): () => void {
  let known = new Map(store.list().map((stream) => [stream.id, stream]));
  const tried = (id: StreamId, work: Promise<unknown> | undefined) =>
    void work?.catch((error) =>
      log("error", "what another node has changed was not done", { stream: id, error: errorText(error) })
    );
  return () => {
    const before = known;
    known = new Map(store.list().map((stream) => [stream.id, stream]));
    for (const [id, stream] of known) {
      if (before.get(id) !== stream && own.has(id)) {
        tried(id, late.fleet().find(id)?.work.retryInBackground());
      }
    }
    const isOther = [...known.keys()].some((id) => !before.has(id));
    // what this machine had alone, and what this version cannot read, is kept
    for (const id of [...before.keys()].filter((id) => !known.has(id))) {
      tried(id, store.wasRemoved(id) ? late.removed(id) : late.fleet().leave(id));
    }
    if (isOther || known.size !== before.size) void late.syncTokens();
  };
}

/** Where requests go that are about another node's streams. */
export interface Forwarding {
  passes: Passes;
  /** The answer to a viewer's WebSocket for a channel; null: no other node has it. */
  channelSocket(request: Request, id: StreamId, admitted: Admitted): Response | null;
  /** Where a stream's browser is taken over; null: here. */
  takeover(id: StreamId, admitted: Admitted): Elsewhere | null;
  /** The other node's answer; undefined: this node answers. @param path without an access token. */
  pass(request: Request, path: string, admitted: Admitted): Promise<Response | undefined>;
}

/** What the gate has found, for the other node. */
function foundOf(admitted: Admitted): PassedOn {
  const { client, publicUrl, addressBase, isFromOwnPage, mayReadSecrets, role } = admitted;
  return { client, publicUrl: publicUrl.href, addressBase, isFromOwnPage, mayReadSecrets, role };
}

interface ForwardingParts {
  cluster: Cluster;
  store: StreamStore;
  passes: Passes;
  sockets: JoinedSockets;
  channels: OtherChannels;
  underWay: UnderWay;
  ask: typeof fetch;
  /** Milliseconds that a client has taken nothing of what has arrived at its machine. */
  silentMs: SilentClients["idleMs"];
}

/** For a client that has too much under way at other nodes. */
function tooMuch(): Response {
  const response = errorResponse(503, "Too many of your requests are under way at other nodes. Try again.");
  response.headers.set("retry-after", "2");
  return response;
}

function forwardingOf(
  { cluster, store, passes, sockets, channels, underWay, ask, silentMs }: ForwardingParts,
): Forwarding {
  /** Where a WebSocket at another node begins. */
  const elsewhere = (name: string | null, path: string, admitted: Admitted): Elsewhere | null => {
    const other = cluster.other(name);
    if (!other?.canBeAsked) return null;
    const { protocol, hostname, host, port } = new URL(other.address);
    const isTls = protocol === "https:";
    const at = { hostname: plainHost(hostname), port: Number(port) || (isTls ? 443 : 80), isTls };
    const pass = passes.make(other.name, "GET", path, foundOf(admitted));
    return { node: other.name, target: { at, path, host, headers: { [PASS_HEADER]: pass } } };
  };
  return {
    passes,
    channelSocket(request, id, admitted) {
      const stream = admitted.isPassedOn ? undefined : store.get(id);
      if (!stream || !admitted.maySee(stream)) return null;
      const other = elsewhere(cluster.origin(id), `/api/ts/${id}`, admitted);
      if (!other) return null;
      if (!sockets.hasRoom) return errorResponse(503, "Too many viewers are here. Try again later.");
      const ended = underWay.begin(admitted.client);
      return ended ? sockets.join(request, other, admitted.holds, ended) : tooMuch();
    },
    takeover(id, admitted) {
      if (admitted.isPassedOn || !store.get(id)) return null;
      return elsewhere(cluster.owner(id), takeoverPath(id), admitted);
    },
    async pass(request, path, admitted) {
      const asked = admitted.isPassedOn ? null : streamOf(path);
      const stream = asked ? store.get(asked.id) : undefined;
      if (!asked || !stream || !admitted.maySee(stream)) return;
      const other = cluster.other(asked.isChannel ? cluster.origin(stream.id) : cluster.home(stream.id));
      if (!other) return;
      if (!other.canBeAsked) return errorResponse(502, cannotAskText(other.name, other.beat, VERSION));
      const shared = asked.isChannel
        ? await channels.answer(request, path, other.name, admitted.client)
        : null;
      if (shared) return shared;
      const ended = underWay.begin(admitted.client);
      if (!ended) return tooMuch();
      const isThere = () => silentMs(admitted.connection) <= MOST_SILENT_MS;
      const client = { holds: () => isThere() && admitted.holds(), ended };
      return await forward(request, path, other, passes, foundOf(admitted), client, ask);
    },
  };
}
