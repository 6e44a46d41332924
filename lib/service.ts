/** Composition: builds every part of the service, and starts and stops those that live long. It has no logic of its own. */
import { join } from "node:path";
import { type AccessGate, createAccessGate } from "./auth/access_gate.ts";
import { createWallGate, type WallGate } from "./auth/wall_gate.ts";
import { WallTokens } from "./auth/wall_tokens.ts";
import { AccessTokens } from "./auth/access_tokens.ts";
import { Login } from "./auth/login.ts";
import { MetricsToken, readMetricsToken } from "./auth/metrics_token.ts";
import type { Config } from "./config.ts";
import { Admission } from "./control/admission.ts";
import { Demand } from "./control/demand.ts";
import { DiskWatch } from "./control/disk_watch.ts";
import { StreamEvents } from "./control/events.ts";
import { Figures } from "./control/figures.ts";
import { OwnExtensions } from "./control/extensions.ts";
import { FirstPages } from "./control/first_pages.ts";
import { HelperReports } from "./control/helper_reports.ts";
import { PageCovers } from "./control/page_covers.ts";
import { HeartbeatRecorder } from "./control/heartbeats.ts";
import { MemoryWatch } from "./control/memory_watch.ts";
import { Metrics } from "./control/metrics.ts";
import { EncoderWatch } from "./control/encoder_watch.ts";
import { Feed } from "./control/feed.ts";
import { PageDresser } from "./control/page_dresser.ts";
import { PageTrial } from "./control/page_trial.ts";
import { PageHealth } from "./control/page_health.ts";
import { PageVerdict } from "./control/page_verdict.ts";
import { Plans } from "./control/plans.ts";
import { PageWatchdog } from "./control/page_watchdog.ts";
import { ProfileQuota } from "./control/profile_quota.ts";
import { ProgramProbes } from "./control/program_probes.ts";
import { ProgramWatchdog } from "./control/program_watchdog.ts";
import { Reconciler } from "./control/reconciler.ts";
import { RepairNews } from "./control/repair_news.ts";
import { Restarts } from "./control/restarts.ts";
import { Rotation } from "./control/rotation.ts";
import { RunningStreams } from "./control/running_streams.ts";
import { sharedQuestions } from "./control/shared_questions.ts";
import { SharedPrograms } from "./control/shared_programs.ts";
import { Slots } from "./control/slots.ts";
import { Statuses } from "./control/statuses.ts";
import { Streams } from "./control/streams.ts";
import { System } from "./control/system.ts";
import { takeoverEvents } from "./control/takeovers.ts";
import { Thumbnails } from "./control/thumbnails.ts";
import { Webhook } from "./control/webhook.ts";
import { readReceiver } from "./control/webhook_receiver.ts";
import type { Machine } from "./machine.ts";
import { mediaHeaders } from "./media/access.ts";
import { DiscontinuitySequences } from "./media/discontinuity_sequence.ts";
import { channelOf, channelOfFile, playlistAgeMs } from "./media/hls.ts";
import { HlsCache } from "./media/hls_cache.ts";
import { HlsProxy } from "./media/hls_proxy.ts";
import { pictureRate } from "./media/picture_rate.ts";
import { Slates } from "./media/slates.ts";
import { Traffic } from "./media/traffic.ts";
import { Viewers } from "./media/viewers.ts";
import { placeProblem } from "./net/reach.ts";
import { type Paths, pathsOf } from "./paths.ts";
import { displayQuestion } from "./pipeline/probe.ts";
import { ownTimeZone } from "./streams/local_time.ts";
import type { Stream } from "./streams/schema.ts";
import { isStreamId, type StreamId } from "./streams/id.ts";
import { slatePixels } from "./devtools/slate.ts";
import { untilShown } from "./devtools/painted.ts";
import { StreamLogs } from "./streams/logs.ts";
import { StreamStore } from "./streams/store.ts";
import { Walls } from "./streams/walls.ts";
import { Supervisor } from "./supervisor/control.ts";
import { ProgramStatus } from "./supervisor/status.ts";
import { DiskReserve } from "./system/disk.ts";
import { readOrNull } from "./system/files.ts";
import { LoopLag } from "./system/loop_lag.ts";
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
  const { now, run } = machine;
  const startedAt = now();
  const limits = config.TIMINGS;
  const placeOf = (url: string) => placeProblem(url, machine.network, config.ALLOW_LOCAL_STREAMS);
  const reserve = new DiskReserve(paths.reserveFile, RESERVE_BYTES);
  const store = await StreamStore.open(paths.streamsFile, reserve);
  const status = new ProgramStatus(() => machine.programs(), limits.statusCacheMs, now);
  const login = await Login.open(config, paths, now);
  const metricsSecret = await readMetricsToken(config);
  const metricsToken = metricsSecret === "" ? null : new MetricsToken(metricsSecret, now);
  const tokens = new VncTokens(paths);
  await tokens.load();
  await tokens.sync(store.list().map(({ id }) => id));
  const accessTokens = await AccessTokens.open(paths.accessTokensFile, now, reserve);
  const accessGate = createAccessGate(accessTokens, (id) => store.get(id)?.group, now);
  const walls = await Walls.open(paths.wallsFile, reserve);
  const wallTokens = await WallTokens.open(paths.wallSecretFile);
  const wallGate = createWallGate({
    tokens: wallTokens,
    stream: (id) => store.get(id),
    wall: (id) => walls.find(id),
    now,
  });
  const isKnown = (id: StreamId) => store.get(id) !== undefined;
  const events = await StreamEvents.open({ streamsDir: paths.streamsDir, isKnown, limits, now });
  const supervisor = new Supervisor(run, join(paths.configDir, "supervisord.conf"));
  const health = new PageHealth({ addEvent: events.add, now });
  const discontinuities = await DiscontinuitySequences.open(
    paths.discontinuitiesFile,
    (id) => isStreamId(id) && isKnown(id),
  );
  const slates = await Slates.open({
    file: paths.slatesFile,
    folder: paths.webDir,
    run: (argv, options) => machine.runBytes(argv, options),
    stream: (id) => store.get(id),
    nextSequence: (id) => discontinuities.next(id),
    numbered: (id, playlist) => discontinuities.numbered(id, playlist),
    limits,
    now,
  });
  const demand = new Demand({
    stream: (id) => store.get(id),
    vncViewers: (id) => vnc.viewers(id),
    reconcile: (id): Promise<void> => reconciler.retry(id),
    slates,
    isOff: (stream) => plans.isOff(stream),
    addEvent: events.add,
    limits,
    now,
  });
  const timeZone = ownTimeZone();
  const plans = new Plans({
    streams: () => store.list(),
    reconcile: (id): Promise<void> => reconciler.reconcileInBackground(id),
    addEvent: events.add,
    ...{ timeZone, limits, now },
  });
  const slots = new Slots({ display: config.DISPLAY_BASE }, machine.isSlotFree);
  const reconciler = new Reconciler({
    store,
    supervisor,
    status,
    slots,
    broker: machine.broker,
    paths,
    demand,
    placeProblem: placeOf,
    addEvent: events.add,
    now,
  });
  const pageAddress = (stream: { id: string; url: string }) => wallTokens.pageAddress(stream);
  const pageNow = (stream: Stream): string => rotation.pageNow(stream);
  const running = new RunningStreams({ store, reconciler, programs: status, pageNow, pageAddress });
  const isBusy = (id: StreamId) => reconciler.isBusy(id);
  const thumbnails = new Thumbnails({
    streamsDir: paths.streamsDir,
    streams: () => store.list(),
    spec: (id) => reconciler.spec(id),
    isBusy,
    isShown: (id) => verdict.isShown(id),
    capture: ({ stream: { id, resolution } }, signal) => machine.broker.capture(id, resolution, signal),
    limits,
    now,
  });
  await thumbnails.load();
  const hlsCache = new HlsCache(`http://127.0.0.1:${config.MEDIA_PORT}`, {
    headers: mediaHeaders(await readOrNull(paths.mediaKeyFile)),
    limits: limits.hls,
    rewritePlaylist: (path, playlist) => {
      const id = channelOf(path);
      return id === null ? playlist : discontinuities.numbered(id, slates.joined(id, playlist));
    },
  });
  const audience = new Viewers(now);
  const traffic = new Traffic();
  const hls = new HlsProxy(hlsCache, {
    onask(path) {
      const id = channelOf(path);
      if (id !== null) demand.watched(id);
    },
    onviewer(path, request, client) {
      const id = channelOf(path);
      if (id !== null) audience.note(id, client, request.headers.get("user-agent"));
    },
    onsend(path, bytes) {
      const id = channelOfFile(path);
      if (id !== null) traffic.note(id, bytes);
    },
  }, slates);
  const restarts = new Restarts();
  const countRestarts = restarts.count;
  const vnc = new VncGateway(
    tokens,
    config.VNC_PROXY_PORT,
    limits.vnc,
    takeoverEvents(events.add, (id) => demand.watched(id)),
  );
  const viewers = (id: StreamId) => vnc.viewers(id);
  const covers = new PageCovers({
    stream: (id) => running.get(id),
    viewers,
    openCover: (display) => machine.openCover(display),
    drawSlate: ({ id, name }, size) => slatePixels(machine.browsers.of(id), name, size),
    lookSoon: (id) => pages.lookSoon(id),
    painted: (id) => untilShown(machine.browsers.of(id)),
  });
  const helperReports = new HelperReports({
    logsDir: paths.logsDir,
    streams: () => running.list().filter(({ hasLogin }) => hasLogin),
    add: events.add,
    isLoggedOut: (id) => void covers.pageIs(id, false),
    limits,
    now,
  });
  const disk = new DiskWatch({
    folders: [{ name: "DATA_DIR", path: paths.streamsDir }, { name: "RUN_DIR", path: paths.runDir }],
    space: (path) => machine.space(path),
    reserve,
    limits,
  });
  const verdict = new PageVerdict({ health, logins: helperReports, disk, covers });
  const dresser = new PageDresser({
    browser: (id) => machine.browsers.of(id),
    settings: (id) => reconciler.spec(id)?.stream ?? trial.stream(id),
    addEvent: events.add,
  });
  const dress = (id: StreamId, tab: { id: string }) => dresser.dress(id, tab);
  const pages = new PageWatchdog({
    running: () => running.list(),
    isKnown,
    isBusy,
    viewers,
    pageIs: (id, isGood) => verdict.pageIs(id, isGood),
    browser: (id) => machine.browsers.of(id),
    isAhead: (id, tab) => rotation.isAhead(id, tab),
    dress,
    oomKills: () => machine.oomKills(),
    health,
    addEvent: events.add,
    limits,
    now,
  });
  const rotation = new Rotation({
    running: () => running.list(),
    stream: (id) => store.get(id),
    show: (stream) => plans.show(stream),
    timeZone,
    isBusy,
    viewers,
    isBroken: (id) => health.isBroken(id),
    browser: (id) => machine.browsers.of(id),
    dress,
    pageAddress,
    openCover: (display) => machine.openCover(display),
    moved: (id) => pages.moved(id),
    addEvent: events.add,
    limits: limits.rotation,
    now,
  });
  const extensions = new OwnExtensions({
    dir: paths.extensionsDir,
    policyDir: config.CHROMIUM_POLICY_DIR,
    addEvent: events.add,
  });
  const trial = new PageTrial({
    ...{ supervisor, status, slots, broker: machine.broker, paths, placeProblem: placeOf, now },
    stored: (id) => store.get(id),
    browser: (id) => machine.browsers.of(id),
    limits: limits.trial,
  });
  const firstPages = new FirstPages({
    running: () => [
      ...running.list().map(({ id }) => {
        const { stream } = reconciler.spec(id)!;
        const login = { ...stream, url: pageAddress(stream) };
        return { id, url: pageAddress({ id, url: pageNow(stream) }), login };
      }),
      ...trial.running(),
    ],
    browsers: machine.browsers,
    dress,
    opened: (id) => {
      void untilShown(machine.browsers.of(id)).then(() => slates.shown(id));
      rotation.opened(id);
      const spec = reconciler.spec(id);
      if (spec) void extensions.tell(spec.stream);
    },
    limits,
    now,
  });
  const encoders = new EncoderWatch({
    running: () => running.list(),
    programs: () => status.programs(),
    look: (pid) => machine.encoder(pid),
    health,
    isBusy,
    areChangesTaken: config.CAPTURE === "auto",
    restartEncoder: (id) => reconciler.restartPrograms(id, ["encoder"]),
    addEvent: events.add,
    countRestarts,
    limits,
    now,
  });
  const quota = new ProfileQuota({
    running: () => running.list(),
    isBusy,
    recreate: (id) => reconciler.recreate(id),
    maxBytes: config.PROFILE_LIMIT_MB * 1_000_000,
    measure: (id) => machine.broker.measure(id),
    addEvent: events.add,
    countRestarts,
    limits,
  });
  const memory = new MemoryWatch({
    browsers: () => running.browsers(),
    isBusy,
    viewers,
    measure: (pids) => machine.memory(pids),
    restartBrowser: (id) => reconciler.restartPrograms(id, ["browser"]),
    addEvent: events.add,
    countRestarts,
    limits,
    now,
  });
  const figures = new Figures({
    ids: () => store.list().map(({ id }) => id),
    programs: () => status.programs(),
    processorTimes: (pids) => machine.processorTimes(pids),
    memory: (pids) => machine.memory(pids),
    viewers: (id) => audience.count(id),
    // one that is not written any more is not asked for: the media server may hang, and the cache would wait for it
    pictureRate: async (id) => {
      const ageMs = playlistAgeMs(paths.hlsDir, id, now());
      return ageMs !== null && ageMs < limits.playlistStaleMs ? await pictureRate(hlsCache, id) : null;
    },
    limits,
    now,
  });
  const system = new System({ load: () => machine.load(), disk, figures, startedAt, now });
  const admission = new Admission({
    streams: () => store.list(),
    startedAt: (id) => reconciler.spec(id)?.startedAt,
    ...{ figures, addEvent: events.add, limits: limits.admission, now },
    load: () => machine.load(),
    cpuTimes: () => machine.cpuTimes(),
    maxStreams: config.MAX_STREAMS,
    isMeasured: config.CAPACITY_CHECK === "on",
  });
  const streams = new Streams({
    store,
    reconciler,
    admission,
    tokens,
    accessTokens,
    thumbnails,
    events,
    extensions,
    placeProblem: placeOf,
  });
  const news = new RepairNews((after) => machine.broker.repairs(after), now);
  const shared = new SharedPrograms({
    questions: sharedQuestions(config, paths),
    answers: machine.answers,
    kill: (name) => supervisor.kill([name]),
    news,
    tell: (text) => {
      for (const { id } of running.list()) events.add(id, "program", text, "warn");
    },
    countRestart: restarts.countShared,
    limits,
    now,
  });
  const probes = new ProgramProbes({
    ask: {
      display: async (id, limitMs) => {
        const spec = reconciler.spec(id);
        return spec !== undefined && await machine.answers(displayQuestion(spec.display), limitMs);
      },
      audio: (id) => machine.broker.hasSound(id),
      browser: (id, limitMs) => machine.browsers.of(id).answers(limitMs),
    },
    limits: limits.probe,
    now,
  });
  const watchdog = new ProgramWatchdog({
    ...{ store, status, reconciler, probes, shared, news, limits, now },
    addEvent: events.add,
    countRestarts,
    hlsDir: paths.hlsDir,
  });
  const statuses = new Statuses({
    store,
    programs: status,
    reconciler,
    demand,
    plans,
    watchdog,
    health,
    thumbnails,
    paths,
    limits,
    now,
  });
  const feed = new Feed({
    statuses: () => statuses.all(),
    version: () => store.version,
    limits: limits.feed,
  });
  const lag = new LoopLag(limits.loopLagMs);
  const metrics = new Metrics({
    ...{ statuses, figures, traffic, restarts, disk, lag, startedAt },
    streams: () => store.list(),
    frames: () => machine.frames(),
    display: (id) => reconciler.spec(id)?.display,
    // what an earlier viewer's encoder has left is no channel
    segmentAgeMs: (id) => reconciler.spec(id) ? playlistAgeMs(paths.hlsDir, id, now()) : null,
    viewers: (id) => audience.count(id),
    vncViewers: viewers,
  });
  const webhook = await Webhook.open({
    receiver: await readReceiver(config),
    path: paths.webhookFile,
    streams: () => store.list(),
    statuses: () => statuses.all(),
    publicUrl: config.PUBLIC_URL,
    afterSeconds: config.WEBHOOK_AFTER_SECONDS,
    limits: limits.webhook,
    now,
  });
  const heartbeats = await HeartbeatRecorder.open({
    file: paths.heartbeatsFile,
    ids: () => store.list().map(({ id }) => id),
    statuses: () => statuses.all(),
    limits,
    now,
  });
  const parts: Part[] = [
    reconciler,
    demand,
    plans,
    watchdog,
    thumbnails,
    dresser,
    firstPages,
    trial,
    pages,
    rotation,
    covers,
    helperReports,
    encoders,
    quota,
    memory,
    heartbeats,
    disk,
    hlsCache,
    vnc,
    webhook,
    feed,
    admission,
    lag,
  ];

  return {
    ...{
      config,
      machine,
      paths,
      templates,
      streams,
      reconciler,
      demand,
      plans,
      statuses,
      admission,
      feed,
      thumbnails,
      pages,
      extensions,
      trial,
      health,
      covers,
      events,
      webhook,
      helperReports,
      heartbeats,
      figures,
      restarts,
      metrics,
      system,
      disk,
      hls,
      vnc,
      tokens,
      accessTokens,
      accessGate,
      walls,
      wallGate,
      pageAddress,
      metricsToken,
      login,
    },
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
      await Promise.all([discontinuities.saved(), slates.settled(), accessTokens.settled(), events.stop()]);
    },
  };
}
