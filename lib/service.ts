/** Composition: builds every part of the service, and starts and stops those that live long. It has no logic of its own. */
import { type Config, rewindBytes } from "./config.ts";
import { readProxyLogin } from "./door/access/proxy_login.ts";
import { typeText } from "./browser/type_text.ts";
import { DiskWatch } from "./fleet/disk_watch.ts";
import { Operations } from "./fleet/operations.ts";
import { takeoverEvents } from "./fleet/takeovers.ts";
import { openChannelGround } from "./channel/ground.ts";
import { HlsProxy } from "./channel/hls_proxy.ts";
import { Pictures } from "./channel/pictures/pictures.ts";
import { Relays } from "./channel/relay/relays.ts";
import type { Machine } from "./machine/machine.ts";
import type { StreamId } from "./model/id.ts";
import { pathsOf } from "./paths.ts";
import { StreamEvents } from "./reports/events.ts";
import { Exports } from "./rewind/exports.ts";
import { budgetOf } from "./rewind/recorder/shelf.ts";
import { Rewind } from "./rewind/rewind.ts";
import { type Access, type Base, openAccess } from "./service/access.ts";
import type { Membership } from "./cluster/member.ts";
import { ALONE, type Placement } from "./cluster/placement.ts";
import { openReports, type Reports } from "./service/reports.ts";
import { buildStreams, type Streams } from "./service/streams.ts";
import { StreamLogs } from "./store/logs.ts";
import { FileStreamStore } from "./store/file_streams.ts";
import { Receivers } from "./messages/receivers.ts";
import { SHARED } from "./store/shared_text.ts";
import type { StreamStore } from "./store/stream_store.ts";
import { DiskReserve } from "./machine/os/disk.ts";
import type { Part } from "./machine/tools/part.ts";
import type { Templates } from "./templates.ts";
import { Tuner } from "./channel/tuner/tuner.ts";
import { VncGateway } from "./takeover/gateway.ts";
import { OpenBridges } from "./takeover/open_bridges.ts";
import { proxyOfRun, type VncProxy } from "./takeover/proxy.ts";
import { VncTokens } from "./takeover/tokens.ts";

/** What handlers and pages use. Each part says in its own file what it is. */
export type Service =
  & Part
  & Pick<Base, "config" | "machine" | "paths">
  & Access
  & Pick<Streams, "fleet" | "trial" | "extensions" | "thumbnails" | "restarts">
  & Omit<Reports, "lag">
  & {
    templates: Templates;
    /** The channels by HLS, as transport streams, and as pictures that go on. */
    hls: HlsProxy;
    relays: Relays;
    pictures: Pictures;
    /** What they showed before. */
    rewind: Rewind;
    /** Films of it that people have had made. */
    exports: Exports;
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
    /** Which streams this machine runs, and where the others are. */
    placement: Placement;
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
  // a machine that joins a cluster again is a new node: what was changed meanwhile is kept then
  if (!membership) await Deno.remove(paths.ownStreamsFile).catch(() => {});
  // only a cluster loads what makes this machine a node
  const node = membership &&
    await (await import("./cluster/node.ts")).ClusterNode.open(membership, { config, paths, machine }, file);
  const placement: Placement = node ?? ALONE;
  const store: StreamStore = node?.store ?? file;
  const isKnown = (id: StreamId) => store.get(id) !== undefined;
  const events = await StreamEvents.open({ streamsDir: paths.streamsDir, isKnown, limits, now, elapsed });
  const base: Base = { config, paths, machine, store, placement };
  const access = await openAccess(base, reserve, membership && membership.secret);
  const { accessTokens, login, pageAddress, walls } = access;
  const receivers = await Receivers.open(paths.receiversFile, reserve);
  const channels = await openChannelGround(base);
  const bridges = new OpenBridges();
  const tuner = await Tuner.open({ config, machine, file: paths.tunerFile });
  const disk = new DiskWatch({
    folders: [{ name: "DATA_DIR", path: paths.streamsDir }, { name: "RUN_DIR", path: paths.runDir }],
    space: (path) => machine.space(path),
    reserve,
    limits,
  });
  const built = await buildStreams(base, {
    addEvent: events.add,
    disk,
    channels,
    pageAddress,
    proxyLogin: await readProxyLogin(config),
    bridges,
  });
  const { ground, fleet, trial, extensions, thumbnails, restarts } = built;
  const ofAllNodes = (id: StreamId) => login.session.tokenOf(id, String(store.get(id)?.tokenSeed));
  const tokens = new VncTokens(paths, fleet, node && ofAllNodes);
  await tokens.load();
  await tokens.sync();
  const takeovers = takeoverEvents(events.add, fleet);
  const type = (id: StreamId, text: string) => typeText(machine.browsers.of(id), text);
  const vncProxy = proxyOfRun(config.VNC_PROXY_PORT, paths.runDir);
  const vnc = new VncGateway(tokens, vncProxy, limits.vnc, takeovers, type, bridges);
  const hls = new HlsProxy(channels.files, fleet, placement);
  const relays = new Relays(fleet);
  const pictures = new Pictures(fleet);
  const rewind = new Rewind({ folder: paths.rewindDir, machine, elsewhere: placement.past });
  const exports = await Exports.open({
    folder: paths.exportsDir,
    machine,
    budget: async () => budgetOf(rewindBytes(config.REWIND_GB), await machine.space(paths.rewindDir)),
  });
  const { lag, ...reports } = await openReports(built, disk, receivers);
  const { admission, feed, heartbeats, messages } = reports;
  const streams = new Operations({
    ground,
    fleet,
    admission,
    tokens,
    extensions,
    async removing(id) {
      await fleet.get(id).thumbnail.remove();
      await accessTokens.forgetStream(id);
    },
    async removed(id) {
      exports.forget(id);
      await Promise.all([events.forget(id), placement.stored.emptied(id)]);
    },
  });
  const nodeParts = node?.act({
    fleet,
    admission,
    statuses: reports.statuses,
    events,
    streams,
    silentMs: channels.silent.idleMs,
    shared: {
      [SHARED.tokens]: accessTokens.shareable,
      [SHARED.walls]: walls.shareable,
      [SHARED.session]: login.session,
      [SHARED.users]: login.users.shareable,
      [SHARED.receivers]: receivers.shareable,
    },
    async removed(id) {
      await fleet.clear(id);
      exports.forget(id);
      await Promise.all([events.forget(id), accessTokens.forgetStream(id)]);
    },
  });
  /** Ends what was opened with a session. */
  const endWatching = () => {
    void vnc.closeAll({ code: 1008, reason: "Everybody was logged out." });
    feed.endAll();
    for (const { channel } of fleet.list()) channel.endWatching();
  };
  login.session.onended = endWatching;
  // channels look at their viewers themselves, once a second
  login.onchange = () => {
    vnc.closeStale({ code: 1008, reason: "You were logged out." });
    feed.endStale();
  };
  const parts: Part[] = [
    ...built.parts,
    heartbeats,
    disk,
    channels.files,
    channels.silent,
    login,
    vnc,
    tuner,
    messages,
    feed,
    admission,
    streams,
    exports,
    lag,
    ...(nodeParts ?? []),
  ];

  return {
    config,
    machine,
    paths,
    placement,
    events,
    templates,
    streams,
    disk,
    vnc,
    vncProxy,
    tuner,
    tokens,
    receivers,
    fleet,
    trial,
    extensions,
    thumbnails,
    restarts,
    hls,
    relays,
    pictures,
    rewind,
    exports,
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
      // the ends of other parts are events, too
      await Promise.all([
        channels.breaks.settled(),
        channels.slates.settled(),
        accessTokens.settled(),
        events.stop(),
        node?.settled(),
      ]);
    },
  };
}
