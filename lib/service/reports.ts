/** What is told of the streams: states, figures, metrics, heartbeats, and who is told by itself. */
import { Admission } from "../fleet/admission.ts";
import type { DiskWatch } from "../fleet/disk_watch.ts";
import { Feed } from "../reports/feed.ts";
import { Figures } from "../reports/figures.ts";
import { HeartbeatRecorder } from "../reports/heartbeats.ts";
import { Metrics } from "../reports/metrics.ts";
import type { PageHealth } from "../live/page/health.ts";
import type { ProgramWatchdog } from "../fleet/program_watchdog.ts";
import { Statuses } from "../reports/statuses.ts";
import { System } from "../reports/system.ts";
import type { Thumbnails } from "../live/thumbnail/thumbnails.ts";
import { Webhook } from "../reports/webhook/webhook.ts";
import { proxyOf } from "../auth/proxy_login.ts";
import { wayOutOf } from "../net/way_out.ts";
import { readReceiver } from "../reports/webhook/receiver.ts";
import type { HlsCache } from "../media/hls_cache.ts";
import { pictureRate } from "../media/picture_rate.ts";
import type { Traffic } from "../media/traffic.ts";
import type { Viewers } from "../media/viewers.ts";
import { LoopLag } from "../system/loop_lag.ts";
import type { Base } from "./base.ts";
import type { Programs } from "./programs.ts";

interface Told {
  watchdog: ProgramWatchdog;
  health: PageHealth;
  thumbnails: Thumbnails;
  disk: DiskWatch;
  channels: { cache: HlsCache; audience: Viewers; traffic: Traffic };
}

export type Reports = Awaited<ReturnType<typeof openReports>>;

export async function openReports(
  { config, paths, machine, store, events, limits, playlistAgeMs, proxyLogin, now, elapsed }: Base,
  { demand, plans, status, reconciler, restarts, viewers }: Programs,
  { watchdog, health, thumbnails, disk, channels: { cache, audience, traffic } }: Told,
) {
  const startedAt = now();
  const figures = new Figures({
    ids: () => store.list().map(({ id }) => id),
    programs: () => status.programs(),
    processorTimes: (pids) => machine.processorTimes(pids),
    memory: (pids) => machine.memory(pids),
    viewers: (id) => audience.count(id),
    // one that is not written any more is not asked for: the media server may hang, and the cache would wait for it
    pictureRate: async (id) => {
      const ageMs = playlistAgeMs(id);
      return ageMs !== null && ageMs < limits.playlistStaleMs ? await pictureRate(cache, id) : null;
    },
    limits,
    elapsed,
  });
  const system = new System({ load: () => machine.load(), disk, figures, startedAt: elapsed(), elapsed });
  const admission = new Admission({
    streams: () => store.list(),
    startedAt: (id) => reconciler.startedAt(id),
    ...{ figures, addEvent: events.add, limits: limits.admission, elapsed },
    load: () => machine.load(),
    cpuTimes: () => machine.cpuTimes(),
    maxStreams: config.MAX_STREAMS,
    isMeasured: config.CAPACITY_CHECK === "on",
  });
  const statuses = new Statuses({
    ...{
      store,
      programs: status,
      reconciler,
      demand,
      plans,
      watchdog,
      health,
      thumbnails,
      playlistAgeMs,
      limits,
      elapsed,
    },
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
    segmentAgeMs: (id) => reconciler.spec(id) ? playlistAgeMs(id) : null,
    viewers: (id) => audience.count(id),
    vncViewers: viewers,
  });
  const receiver = await readReceiver(config);
  const webhook = await Webhook.open({
    receiver,
    proxy: receiver && proxyOf(receiver.url, wayOutOf(config), proxyLogin),
    path: paths.webhookFile,
    streams: () => store.list(),
    statuses: () => statuses.all(),
    publicUrl: config.PUBLIC_URL,
    afterSeconds: config.WEBHOOK_AFTER_SECONDS,
    limits: limits.webhook,
    now,
    elapsed,
  });
  const heartbeats = await HeartbeatRecorder.open({
    file: paths.heartbeatsFile,
    ids: () => store.list().map(({ id }) => id),
    statuses: () => statuses.all(),
    limits,
    now,
    elapsed,
  });
  return { figures, system, admission, statuses, feed, lag, metrics, webhook, heartbeats };
}
