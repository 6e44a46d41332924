/** Composition: builds every part of the service, and starts and stops those that live long. It has no logic of its own. */
import type { Config } from "./config.ts";
import { readProxyLogin } from "./auth/proxy_login.ts";
import { typeText } from "./devtools/type_text.ts";
import { DiskWatch } from "./fleet/disk_watch.ts";
import { Operations } from "./fleet/operations.ts";
import { takeoverEvents } from "./fleet/takeovers.ts";
import type { Machine } from "./machine.ts";
import type { StreamId } from "./model/id.ts";
import { pathsOf } from "./paths.ts";
import { StreamEvents } from "./reports/events.ts";
import { type Access, type Base, openAccess } from "./service/access.ts";
import { type Channels, openChannels } from "./service/channels.ts";
import type { Late, Membership, Node } from "./node/node.ts";
import { openReports, type Reports } from "./service/reports.ts";
import { buildStreams, type Streams } from "./service/streams.ts";
import { StreamLogs } from "./store/logs.ts";
import { STAYS } from "./live/ground.ts";
import { FileStreamStore } from "./store/file_streams.ts";
import { Receivers } from "./messages/receivers.ts";
import { SHARED } from "./store/shared_text.ts";
import type { StreamStore } from "./store/stream_store.ts";
import { DiskReserve } from "./os/disk.ts";
import type { Part } from "./system/part.ts";
import type { Templates } from "./templates.ts";
import { Tuner } from "./tuner/tuner.ts";
import { VncGateway } from "./vnc/gateway.ts";
import { proxyOfRun, type VncProxy } from "./vnc/proxy.ts";
import { VncTokens } from "./vnc/tokens.ts";

/** What handlers and pages use. Each part says in its own file what it is. */
export type Service =
  & Part
  & Pick<Base, "config" | "machine" | "paths">
  & Access
  & Pick<Channels, "hls" | "relays" | "pictures">
  & Pick<Streams, "fleet" | "trial" | "extensions" | "thumbnails" | "restarts">
  & Omit<Reports, "lag">
  & {
    templates: Templates;
    events: StreamEvents;
    /** What can be done with streams. */
    streams: Operations;
    /** The channels as Plex and others tune them. */
    tuner: Tuner;
    /** How much room the disks have. */
    disk: DiskWatch;
    /** Who gets messages of what goes wrong. */
    receivers: Receivers;
    /** Lets operators use a stream's browser by VNC. */
    vnc: VncGateway;
    vncProxy: VncProxy;
    tokens: VncTokens;
    /** Null: this machine is alone. */
    cluster: Node["cluster"] | null;
    forwarding: Node["forwarding"] | null;
    /** Ends all sessions of a stored user, and what was opened with one; null: everybody's. */
    logOutEverywhere(user?: string | null): Promise<void>;
    /** The logs of a stream's programs. @throws {ServiceError} 404. */
    logs(id: string): StreamLogs;
  };

/** As much as the longest stream list needs. */
const RESERVE_BYTES = 4 * 1024 * 1024;

/**
 * Builds the service around the stored list; nothing runs until `start`.
 * @param membership in a cluster; null: this machine is alone.
 * @throws {StreamFileError | AccessFileError | WallFileError | UsersFileError} when what is stored cannot be read.
 */
export async function buildService(
  config: Config,
  templates: Templates,
  machine: Machine,
  membership: Membership | null = null,
): Promise<Service> {
  const paths = pathsOf(config);
  const { now, elapsed } = machine;
  const limits = config.TIMINGS;
  const reserve = new DiskReserve(paths.reserveFile, RESERVE_BYTES);
  const file = await FileStreamStore.open(paths.streamsFile, reserve);
  const syncTokens = (): Promise<void> => tokens.sync(store.list().map(({ id }) => id));
  const removed = async (id: StreamId) => {
    await fleet.clear(id);
    await Promise.all([accessTokens.forgetStream(id), events.forget(id)]);
    channels.forget(id);
  };
  const late: Late = {
    ...{ fleet: () => fleet, admission: () => admission, statuses: () => reports.statuses },
    channels: () => channels,
    ...{ syncTokens, removed, tell: (id, text, level) => events.add(id, "stream", text, level) },
  };
  // who joins again is a new node: what was changed meanwhile is kept then
  if (!membership) await Deno.remove(paths.ownStreamsFile).catch(() => {});
  // what makes a node of it is loaded in a cluster alone
  const node = membership &&
    await (await import("./node/node.ts")).openNode(membership, { config, paths, machine }, file, late);
  const store: StreamStore = node?.store ?? file;
  const isKnown = (id: StreamId) => store.get(id) !== undefined;
  const events = await StreamEvents.open({ streamsDir: paths.streamsDir, isKnown, limits, now, elapsed });
  node?.eventNews.join(events);
  const base: Base = { config, paths, machine, store };
  const access = await openAccess(base, reserve, membership && membership.secret);
  const { accessTokens, login, pageAddress, walls } = access;
  node?.cluster.share(SHARED.tokens, accessTokens.shareable);
  node?.cluster.share(SHARED.walls, walls.shareable);
  node?.cluster.share(SHARED.session, login.session);
  node?.cluster.share(SHARED.users, login.users.shareable);
  const receivers = await Receivers.open(paths.receiversFile, reserve);
  node?.cluster.share(SHARED.receivers, receivers.shareable);
  const watched = (id: StreamId): void => fleet.watched(id);
  const isOnAir = (id: StreamId) => fleet.find(id)?.isOnAir ?? false;
  const isWaiting = (id: StreamId) => fleet.find(id)?.isWaiting ?? false;
  const channels = await openChannels(base, { watched, isOnAir, isWaiting, before: node?.before });
  const { hls, relays, pictures } = channels;
  const ofAllNodes = (id: StreamId) => login.session.tokenOf(id, String(store.get(id)?.tokenSeed));
  const tokens = new VncTokens(paths, node && ofAllNodes);
  await tokens.load();
  await syncTokens();
  const takeovers = takeoverEvents(events.add, watched, (id) => fleet.find(id)?.page?.visited());
  const type = (id: StreamId, text: string) => typeText(machine.browsers.of(id), text);
  const vncProxy = proxyOfRun(config.VNC_PROXY_PORT, paths.runDir);
  const vnc = new VncGateway(tokens, vncProxy, limits.vnc, takeovers, type);
  const tuner = await Tuner.open({ config, machine, file: paths.tunerFile });
  const disk = new DiskWatch({
    folders: [{ name: "DATA_DIR", path: paths.streamsDir }, { name: "RUN_DIR", path: paths.runDir }],
    space: (path) => machine.space(path),
    reserve,
    limits,
  });
  const built = await buildStreams(base, {
    ...{ addEvent: events.add, disk, slates: channels.slates, pageAddress },
    proxyLogin: await readProxyLogin(config),
    viewers: (id) => vnc.viewers(id),
    isMine: (id) => node?.own.has(id) ?? true,
    leastSequence: (id) => node?.least(id) ?? 0,
    stored: node?.profiles ?? STAYS,
    known: node?.cluster.tried ?? Promise.resolve(),
    watch: (id, viewer) => relays.push(id, viewer),
    noRoom: (id) => reports.admission.noPlace(id),
    unwatch: (id, viewer) => relays.remove(id, viewer),
  });
  const { ground, fleet, trial, extensions, thumbnails, restarts } = built;
  const { lag, ...reports } = await openReports(built, channels, disk, receivers, node?.others);
  const { admission, feed, heartbeats, messages } = reports;
  const streams = new Operations({
    ...{ ground, fleet, admission: node?.admission ?? admission, tokens, extensions },
    async removing(id) {
      await fleet.get(id).thumbnail.remove();
      await accessTokens.forgetStream(id);
    },
    async removed(id) {
      await Promise.all([events.forget(id), node?.profiles.emptied(id)]);
      channels.forget(id);
    },
  });
  /** Ends what was opened with a session. */
  const endWatching = () => {
    void vnc.closeAll({ code: 1008, reason: "Everybody was logged out." });
    feed.endAll();
    relays.endAll();
    pictures.endAll();
  };
  login.session.onended = endWatching;
  // relays and pictures look themselves, once a second
  login.onchange = () => {
    vnc.closeStale({ code: 1008, reason: "You were logged out." });
    feed.endStale();
  };
  const parts: Part[] = [
    ...[...built.parts, heartbeats, disk, channels.cache, channels.silent, relays, pictures],
    ...[login, vnc, tuner, messages, feed, admission, streams, lag, ...(node?.parts ?? [])],
  ];

  return {
    ...{ config, machine, paths, events, templates, streams, disk, vnc, vncProxy, tuner, tokens, receivers },
    ...{ fleet, trial, extensions, thumbnails, restarts, hls, relays, pictures },
    ...{ cluster: node?.cluster ?? null, forwarding: node?.forwarding ?? null },
    ...access,
    ...reports,
    async logOutEverywhere(user = null) {
      if (user !== null) return await login.users.logOut(user);
      await login.session.endAll();
      endWatching();
    },
    logs: (id) => new StreamLogs(paths.logsDir, streams.get(id, "viewer").id),
    start() {
      events.start();
      for (const part of parts) part.start();
    },
    async stop() {
      await Promise.all(parts.toReversed().map((part) => part.stop()));
      // the others' ends are events, too
      await Promise.all([channels.saved(), accessTokens.settled(), events.stop(), node?.settled()]);
    },
  };
}
