/** Composition: builds every part of the service, and starts and stops those that live long. It has no logic of its own. */
import type { Config } from "./config.ts";
import { DiskWatch } from "./fleet/disk_watch.ts";
import { StreamEvents } from "./reports/events.ts";
import { Streams } from "./fleet/streams.ts";
import { takeoverEvents } from "./fleet/takeovers.ts";
import { Thumbnails } from "./live/thumbnail/thumbnails.ts";
import type { PageWatchdog } from "./live/page/watchdog.ts";
import { typeText } from "./devtools/type_text.ts";
import type { Machine } from "./machine.ts";
import { PlaylistAges } from "./media/playlist_ages.ts";
import { readProxyLogin } from "./auth/proxy_login.ts";
import { placeProblem } from "./net/reach.ts";
import { pathsOf } from "./paths.ts";
import { type Access, openAccess } from "./service/access.ts";
import type { Base } from "./service/base.ts";
import { type Channels, openChannels } from "./service/channels.ts";
import { buildPages, type Pages } from "./service/pages.ts";
import { buildPrograms, type Programs } from "./service/programs.ts";
import { openReports, type Reports } from "./service/reports.ts";
import { buildWatches } from "./service/watches.ts";
import type { StreamId } from "./model/id.ts";
import { StreamLogs } from "./store/logs.ts";
import { StreamStore } from "./store/streams.ts";
import { DiskReserve } from "./system/disk.ts";
import type { Part } from "./system/part.ts";
import type { Templates } from "./templates.ts";
import { VncGateway } from "./vnc/gateway.ts";
import { VncTokens } from "./vnc/tokens.ts";

/** What handlers and pages use. Each part says in its own file what it is. */
export type Service =
  & Part
  & Pick<Base, "config" | "machine" | "paths" | "events">
  & Access
  & Pick<Channels, "hls">
  & Pick<Programs, "demand" | "plans" | "reconciler" | "restarts">
  & Pick<Pages, "covers" | "extensions" | "health" | "helperReports" | "trial">
  & Omit<Reports, "lag">
  & {
    templates: Templates;
    /** The list: what people want. */
    streams: Streams;
    thumbnails: Thumbnails;
    /** Keeps the browsers on their streams' pages. */
    pages: PageWatchdog;
    /** How much room the disks have. */
    disk: DiskWatch;
    /** Lets operators use a stream's browser by VNC. */
    vnc: VncGateway;
    tokens: VncTokens;
    /** Ends all sessions, and what was opened with one. */
    logOutEverywhere(): Promise<void>;
    /** The logs of a stream's programs. @throws {ServiceError} 404. */
    logs(id: string): StreamLogs;
  };

/** As much as the longest stream list needs. */
const RESERVE_BYTES = 4 * 1024 * 1024;

/**
 * Builds the service around the stored list; nothing runs until `start`.
 * @throws {StreamFileError | AccessFileError | WallFileError} when the streams, access tokens or walls cannot be read.
 */
export async function buildService(config: Config, templates: Templates, machine: Machine): Promise<Service> {
  const paths = pathsOf(config);
  const { now, elapsed } = machine;
  const ages = new PlaylistAges(paths.hlsDir, now, elapsed);
  const limits = config.TIMINGS;
  const reserve = new DiskReserve(paths.reserveFile, RESERVE_BYTES);
  const store = await StreamStore.open(paths.streamsFile, reserve);
  const isKnown = (id: StreamId) => store.get(id) !== undefined;
  const events = await StreamEvents.open({ streamsDir: paths.streamsDir, isKnown, limits, now, elapsed });
  const base: Base = {
    config,
    paths,
    machine,
    store,
    events,
    reserve,
    limits,
    proxyLogin: await readProxyLogin(config),
    playlistAgeMs: (id) => ages.of(id),
    now,
    elapsed,
  };
  const access = await openAccess(base);
  const { accessTokens, login, pageAddress } = access;
  const watched = (id: StreamId): void => programs.demand.watched(id);
  const channels = await openChannels(base, watched);
  const { slates } = channels;
  const tokens = new VncTokens(paths);
  await tokens.load();
  await tokens.sync(store.list().map(({ id }) => id));
  const takeovers = takeoverEvents(events.add, watched);
  const type = (id: StreamId, text: string) => typeText(machine.browsers.of(id), text);
  const vnc = new VncGateway(tokens, config.VNC_PROXY_PORT, limits.vnc, takeovers, type);
  const programs = buildPrograms(base, {
    slates,
    viewers: (id) => vnc.viewers(id),
    pageNow: (stream): string => pages.rotation.pageNow(stream),
    pageAddress,
    placeProblem: (url) => placeProblem(url, machine.network, config.ALLOW_LOCAL_STREAMS),
  });
  const { demand, plans, reconciler, restarts, isBusy } = programs;
  const disk = new DiskWatch({
    folders: [{ name: "DATA_DIR", path: paths.streamsDir }, { name: "RUN_DIR", path: paths.runDir }],
    space: (path) => machine.space(path),
    reserve,
    limits,
  });
  const pages = buildPages(base, programs, { disk, slates, pageAddress });
  const { covers, extensions, health, helperReports, trial } = pages;
  const thumbnails = new Thumbnails({
    streamsDir: paths.streamsDir,
    streams: () => store.list(),
    spec: (id) => reconciler.spec(id),
    isBusy,
    isShown: (id) => pages.verdict.isShown(id),
    capture: ({ stream: { id, resolution } }, signal) => machine.broker.capture(id, resolution, signal),
    startedAt: (id) => reconciler.startedAt(id),
    limits,
    now,
    elapsed,
  });
  await thumbnails.load();
  const { watchdog, encoders, quota, memory } = buildWatches(base, programs, health);
  const { lag, ...reports } = await openReports(base, programs, {
    ...{ watchdog, health, thumbnails, disk, channels },
  });
  const { admission, feed, heartbeats, webhook } = reports;
  const streams = new Streams({
    ...{ store, reconciler, admission, tokens, accessTokens, thumbnails, events, extensions },
    placeProblem: programs.placeProblem,
    forget: (id) => {
      channels.forget(id);
      restarts.forget(id);
    },
  });
  const parts: Part[] = [
    ...[reconciler, demand, plans, watchdog, thumbnails],
    ...[pages.dresser, pages.firstPages, trial, pages.watchdog, pages.rotation, covers, helperReports],
    ...[encoders, quota, memory],
    ...[heartbeats, disk, channels.cache, vnc, webhook, feed, admission, lag],
  ];

  return {
    ...{ config, machine, paths, events, templates, streams, thumbnails, disk, vnc, tokens },
    ...access,
    hls: channels.hls,
    ...{ demand, plans, reconciler, restarts },
    ...{ covers, extensions, health, helperReports, trial, pages: pages.watchdog },
    ...reports,
    async logOutEverywhere() {
      await login?.session.endAll();
      void vnc.closeAll({ code: 1008, reason: "Everybody was logged out." });
      feed.endAll();
    },
    logs: (id) => new StreamLogs(paths.logsDir, streams.get(id).id),
    start() {
      events.start();
      for (const part of parts) part.start();
    },
    async stop() {
      await Promise.all(parts.toReversed().map((part) => part.stop()));
      // the others' ends are events, too
      await Promise.all([channels.saved(), accessTokens.settled(), events.stop()]);
    },
  };
}
