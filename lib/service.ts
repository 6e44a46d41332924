/** Composition: builds every part of the service, and starts and stops those that live long. It has no logic of its own. */
import { join } from "node:path";
import type { AccessGate } from "./auth/access_gate.ts";
import type { WallGate } from "./auth/wall_gate.ts";
import type { AccessTokens } from "./auth/access_tokens.ts";
import type { Login } from "./auth/login.ts";
import type { MetricsToken } from "./auth/metrics_token.ts";
import type { Config } from "./config.ts";
import type { Admission } from "./control/admission.ts";
import { Demand } from "./control/demand.ts";
import { DiskWatch } from "./control/disk_watch.ts";
import { StreamEvents } from "./control/events.ts";
import type { Figures } from "./control/figures.ts";
import type { OwnExtensions } from "./control/extensions.ts";
import type { HelperReports } from "./control/helper_reports.ts";
import type { PageCovers } from "./control/page_covers.ts";
import type { HeartbeatRecorder } from "./control/heartbeats.ts";
import type { Metrics } from "./control/metrics.ts";
import type { Feed } from "./control/feed.ts";
import type { PageTrial } from "./control/page_trial.ts";
import type { PageHealth } from "./control/page_health.ts";
import { Plans } from "./control/plans.ts";
import type { PageWatchdog } from "./control/page_watchdog.ts";
import { Reconciler } from "./control/reconciler.ts";
import { Restarts } from "./control/restarts.ts";
import { RunningStreams } from "./control/running_streams.ts";
import { Slots } from "./control/slots.ts";
import type { Statuses } from "./control/statuses.ts";
import { Streams } from "./control/streams.ts";
import type { System } from "./control/system.ts";
import { takeoverEvents } from "./control/takeovers.ts";
import { Thumbnails } from "./control/thumbnails.ts";
import type { Webhook } from "./control/webhook.ts";
import type { Machine } from "./machine.ts";
import type { HlsProxy } from "./media/hls_proxy.ts";
import { placeProblem } from "./net/reach.ts";
import { type Paths, pathsOf } from "./paths.ts";
import { openAccess } from "./service/access.ts";
import type { Base, Programs } from "./service/base.ts";
import { openChannels } from "./service/channels.ts";
import { buildPages } from "./service/pages.ts";
import { openReports } from "./service/reports.ts";
import { buildWatches } from "./service/watches.ts";
import { ownTimeZone } from "./streams/local_time.ts";
import type { Stream } from "./streams/schema.ts";
import type { StreamId } from "./streams/id.ts";
import { StreamLogs } from "./streams/logs.ts";
import { StreamStore } from "./streams/store.ts";
import type { Walls } from "./streams/walls.ts";
import { Supervisor } from "./supervisor/control.ts";
import { ProgramStatus } from "./supervisor/status.ts";
import { DiskReserve } from "./system/disk.ts";
import type { Part } from "./system/part.ts";
import type { Templates } from "./templates.ts";
import { VncGateway } from "./vnc/gateway.ts";
import { VncTokens } from "./vnc/tokens.ts";

export interface Service extends Part {
  config: Config;
  machine: Machine;
  paths: Paths;
  templates: Templates;
  /** The list: what people want. */
  streams: Streams;
  /** Makes programs follow the list. */
  reconciler: Reconciler;
  /** Which streams somebody has to watch to make them run. */
  demand: Demand;
  /** Which streams are on the air by their weekly plans. */
  plans: Plans;
  /** What the streams are doing. */
  statuses: Statuses;
  /** Lets streams start where the machine can carry them. */
  admission: Admission;
  /** Tells open dashboards what changes. */
  feed: Feed;
  thumbnails: Thumbnails;
  /** Keeps the browsers on their streams' pages. */
  pages: PageWatchdog;
  /** How the pages are; who knows more of a stream reports it here. */
  health: PageHealth;
  /** What streams can choose of the operator's own extensions. */
  extensions: OwnExtensions;
  /** Tries pages that are no streams yet. */
  trial: PageTrial;
  /** What viewers see of the pages. */
  covers: PageCovers;
  /** What happened to each stream. */
  events: StreamEvents;
  /** Tells somebody when a stream fails. */
  webhook: Webhook;
  /** What the sign-in helpers report. */
  helperReports: HelperReports;
  /** How each stream was within the last 24 hours. */
  heartbeats: HeartbeatRecorder;
  /** What the streams take, and who watches them. */
  figures: Figures;
  /** How often programs were restarted, and why. */
  restarts: Restarts;
  /** All figures for Prometheus. */
  metrics: Metrics;
  /** How the service and its machine are. */
  system: System;
  /** How much room the disks have. */
  disk: DiskWatch;
  /** The channels for viewers. */
  hls: HlsProxy;
  /** Lets operators use a stream's browser by VNC. */
  vnc: VncGateway;
  tokens: VncTokens;
  /** What apps play with instead of a login. */
  accessTokens: AccessTokens;
  accessGate: AccessGate;
  /** Layouts that show several streams on one page. */
  walls: Walls;
  /** What the browser of a wall's channel may see of the service. */
  wallGate: WallGate;
  /** The address that a stream's browser opens: a wall's has a secret in it. */
  pageAddress(stream: { id: string; url: string }): string;
  /** What opens the metrics without a login; null unless it is set. */
  metricsToken: MetricsToken | null;
  /** Null when everybody may do everything. */
  login: Login | null;
  /** Ends all sessions, and what was opened with one. */
  logOutEverywhere(): Promise<void>;
  /** The logs of a stream's programs. @throws {ServiceError} 404. */
  logs(id: string): StreamLogs;
}

/** As much as the longest stream list needs. */
const RESERVE_BYTES = 4 * 1024 * 1024;

/**
 * Builds the service around the stored list; nothing runs until `start`.
 * @throws {StreamFileError | AccessFileError | WallFileError} when the streams, access tokens or walls cannot be read.
 */
export async function buildService(config: Config, templates: Templates, machine: Machine): Promise<Service> {
  const paths = pathsOf(config);
  const { now } = machine;
  const limits = config.TIMINGS;
  const reserve = new DiskReserve(paths.reserveFile, RESERVE_BYTES);
  const store = await StreamStore.open(paths.streamsFile, reserve);
  const isKnown = (id: StreamId) => store.get(id) !== undefined;
  const events = await StreamEvents.open({ streamsDir: paths.streamsDir, isKnown, limits, now });
  const base: Base = { config, paths, machine, store, events, reserve, limits, now };
  const access = await openAccess(base);
  const channels = await openChannels(base, (id) => demand.watched(id));
  const tokens = new VncTokens(paths);
  await tokens.load();
  await tokens.sync(store.list().map(({ id }) => id));
  const vnc = new VncGateway(
    tokens,
    config.VNC_PROXY_PORT,
    limits.vnc,
    takeoverEvents(events.add, (id) => demand.watched(id)),
  );
  const viewers = (id: StreamId) => vnc.viewers(id);
  const timeZone = ownTimeZone();
  const plans = new Plans({
    streams: () => store.list(),
    reconcile: (id): Promise<void> => reconciler.reconcileInBackground(id),
    addEvent: events.add,
    ...{ timeZone, limits, now },
  });
  const demand = new Demand({
    stream: (id) => store.get(id),
    vncViewers: viewers,
    reconcile: (id): Promise<void> => reconciler.retry(id),
    slates: channels.slates,
    isOff: (stream) => plans.isOff(stream),
    addEvent: events.add,
    limits,
    now,
  });
  const supervisor = new Supervisor(machine.run, join(paths.configDir, "supervisord.conf"));
  const status = new ProgramStatus(() => machine.programs(), limits.statusCacheMs, now);
  const slots = new Slots({ display: config.DISPLAY_BASE }, machine.isSlotFree);
  const placeOf = (url: string) => placeProblem(url, machine.network, config.ALLOW_LOCAL_STREAMS);
  const reconciler = new Reconciler({
    ...{
      store,
      supervisor,
      status,
      slots,
      broker: machine.broker,
      paths,
      demand,
      placeProblem: placeOf,
      now,
    },
    addEvent: events.add,
  });
  const { pageAddress } = access;
  const pageNow = (stream: Stream): string => pages.rotation.pageNow(stream);
  const running = new RunningStreams({ store, reconciler, programs: status, pageNow, pageAddress });
  const isBusy = (id: StreamId) => reconciler.isBusy(id);
  const restarts = new Restarts();
  const programs: Programs = { supervisor, status, slots, reconciler, running, restarts, isBusy, viewers };
  const disk = new DiskWatch({
    folders: [{ name: "DATA_DIR", path: paths.streamsDir }, { name: "RUN_DIR", path: paths.runDir }],
    space: (path) => machine.space(path),
    reserve,
    limits,
  });
  const pages = buildPages(base, programs, {
    disk,
    plans,
    slates: channels.slates,
    timeZone,
    pageAddress,
    placeProblem: placeOf,
  });
  const { health, extensions, trial, covers, helperReports } = pages;
  const thumbnails = new Thumbnails({
    streamsDir: paths.streamsDir,
    streams: () => store.list(),
    spec: (id) => reconciler.spec(id),
    isBusy,
    isShown: (id) => pages.verdict.isShown(id),
    capture: ({ stream: { id, resolution } }, signal) => machine.broker.capture(id, resolution, signal),
    limits,
    now,
  });
  await thumbnails.load();
  const watches = buildWatches(base, programs, health);
  const { watchdog } = watches;
  const reports = await openReports(base, programs, {
    ...{ demand, plans, watchdog, health, thumbnails, disk, channels },
  });
  const { statuses, admission, feed, webhook, heartbeats, figures, metrics, system } = reports;
  const { login, accessTokens, accessGate, walls, wallGate, metricsToken } = access;
  const streams = new Streams({
    ...{ store, reconciler, admission, tokens, accessTokens, thumbnails, events, extensions },
    placeProblem: placeOf,
  });
  const parts: Part[] = [
    ...[reconciler, demand, plans, watchdog, thumbnails],
    ...[pages.dresser, pages.firstPages, trial, pages.watchdog, pages.rotation, covers, helperReports],
    ...[watches.encoders, watches.quota, watches.memory],
    ...[heartbeats, disk, channels.cache, vnc, webhook, feed, admission, reports.lag],
  ];

  return {
    ...{ config, machine, paths, templates, streams, reconciler, demand, plans, statuses, admission, feed },
    ...{ thumbnails, pages: pages.watchdog, extensions, trial, health, covers, events, webhook },
    ...{
      helperReports,
      heartbeats,
      figures,
      restarts,
      metrics,
      system,
      disk,
      hls: channels.hls,
      vnc,
      tokens,
    },
    ...{ accessTokens, accessGate, walls, wallGate, pageAddress, metricsToken, login },
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
