/** What people and programs learn of the streams: states, figures, metrics, heartbeats, messages. */
import { proxyOf } from "../auth/proxy_login.ts";
import { Admission } from "../fleet/admission.ts";
import type { DiskWatch } from "../fleet/disk_watch.ts";
import { pictureRate } from "../media/picture_rate.ts";
import type { StreamId } from "../model/id.ts";
import { wayOutOf } from "../net/way_out.ts";
import { Feed } from "../reports/feed.ts";
import { Figures } from "../reports/figures.ts";
import { HeartbeatRecorder } from "../reports/heartbeats.ts";
import { Metrics } from "../reports/metrics.ts";
import { NOBODY, type OtherNodes, Statuses } from "../reports/statuses.ts";
import { System } from "../reports/system.ts";
import { Messages } from "../messages/messages.ts";
import { readReceiver } from "../messages/variables.ts";
import type { Receivers } from "../messages/receivers.ts";
import { LoopLag } from "../system/loop_lag.ts";
import type { Channels } from "./channels.ts";
import type { Streams } from "./streams.ts";

export type Reports = Awaited<ReturnType<typeof openReports>>;

export async function openReports(
  { ground, fleet }: Streams,
  { cache, audience, traffic, silent: { idleMs: silentMs } }: Channels,
  disk: DiskWatch,
  receivers: Receivers,
  others: OtherNodes = NOBODY,
) {
  const { config, paths, machine, store, addEvent, around: { proxyLogin, playlistAgeMs, isMine } } = ground;
  const { now, elapsed } = machine;
  const limits = config.TIMINGS;
  const streams = () => store.list();
  const ids = () => streams().map(({ id }) => id);
  const startedAt = now();
  const figures = new Figures({
    ids,
    programs: () => ground.supervision.status.programs(),
    machine,
    viewers: (id) => audience.count(id),
    push: (id) => fleet.find(id)?.push.report ?? null,
    // one that is not written any more is not asked for: the media server may hang, and the cache would wait for it
    pictureRate: async (id) => {
      const ageMs = playlistAgeMs(id);
      return ageMs !== null && ageMs < limits.playlistStaleMs ? await pictureRate(cache, id) : null;
    },
    ...{ limits, others },
  });
  const admission = new Admission({
    streams: () => streams().filter(({ id }) => isMine(id)),
    ...{ figures, machine, addEvent, limits: limits.admission },
    run: (id: StreamId) => fleet.runOf(id),
    maxStreams: config.MAX_STREAMS,
    runDir: config.CAPACITY_CHECK === "on" ? paths.runDir : null,
  });
  const system = new System({
    ...{ load: () => machine.load(), disk, figures, startedAt: elapsed(), elapsed },
    openIncidents: () => messages.incidents({ isOpen: true }).length,
    shortage: async () => others === NOBODY ? await admission.shortage() : null,
  });
  const report = new Statuses(fleet, ground.supervision.status, others);
  const statuses = () => report.all();
  const feed = new Feed({ statuses, version: () => store.version, silentMs, limits: limits.feed });
  const lag = new LoopLag(limits.loopLagMs);
  const channels = { audience, traffic };
  const metrics = new Metrics({ ground, fleet, statuses: report, figures, channels, disk, lag, startedAt });
  const ofVariables = await readReceiver(config);
  const all = () => [...ofVariables ? [ofVariables] : [], ...receivers.list()];
  const proxies = wayOutOf(config);
  const { webhookFile: path, heartbeatsFile: file, monthFile } = paths;
  const told = { streams, statuses, disks: () => disk.problems(), isOwn: others.isMine };
  const proxy = (url: URL) => proxyOf(url, proxies, proxyLogin);
  const messages = await Messages.open({ receivers: all, proxyOf: proxy, path, told, config, machine });
  const heartbeats = await HeartbeatRecorder.open({ file, monthFile, ids, statuses, limits, now, elapsed });
  return { figures, system, admission, statuses: report, feed, lag, metrics, messages, heartbeats };
}
