/** What people and programs learn of the streams: states, figures, metrics, heartbeats, messages. */
import { proxyOf } from "../door/access/proxy_login.ts";
import { Admission } from "../fleet/admission.ts";
import type { DiskWatch } from "../fleet/disk_watch.ts";
import { type StreamId, streamId } from "../model/id.ts";
import { wayOutOf } from "../reach/way_out.ts";
import { Feed } from "../reports/feed.ts";
import { Figures } from "../reports/figures.ts";
import { HeartbeatRecorder } from "../reports/heartbeats.ts";
import { Metrics } from "../reports/metrics.ts";
import { Statuses } from "../reports/statuses.ts";
import { System } from "../reports/system.ts";
import { Messages } from "../messages/messages.ts";
import { readReceiver } from "../messages/variables.ts";
import type { Receivers } from "../messages/receivers.ts";
import { LoopLag } from "../machine/tools/loop_lag.ts";
import type { Streams } from "./streams.ts";

export type Reports = Awaited<ReturnType<typeof openReports>>;

export async function openReports(
  { ground, fleet }: Streams,
  disk: DiskWatch,
  receivers: Receivers,
) {
  const { config, paths, machine, store, placement, around: { proxyLogin } } = ground;
  const { now, elapsed } = machine;
  const limits = config.TIMINGS;
  const streams = () => store.list();
  const ids = () => streams().map(({ id }) => id);
  const startedAt = now();
  const figures = new Figures({
    ids,
    programs: () => ground.supervision.status.programs(),
    machine,
    viewers: (id) => fleet.find(id)?.channel.viewers.count ?? 0,
    push: (id) => fleet.find(id)?.push.report ?? null,
    // one that is not written any more is not asked for: the media server may hang, and the cache would wait for it
    pictureRate: async (id) => {
      const channel = fleet.find(id)?.channel;
      const ageMs = channel?.ageMs ?? null;
      return channel && ageMs !== null && ageMs < limits.playlistStaleMs ? await channel.pictureRate() : null;
    },
    limits,
    placement,
  });
  const admission = new Admission({
    ground,
    places: fleet.places,
    figures,
    machine,
    limits: limits.admission,
    runDir: config.CAPACITY_CHECK === "on" ? paths.runDir : null,
  });
  const report = new Statuses(fleet, ground.supervision.status, placement);
  const statuses = () => report.all();
  const { idleMs: silentMs } = ground.channels.silent;
  const feed = new Feed({ statuses, version: () => store.version, silentMs, limits: limits.feed });
  const lag = new LoopLag(limits.loopLagMs);
  const metrics = new Metrics({ ground, fleet, statuses: report, figures, disk, lag, startedAt });
  const ofVariables = await readReceiver(config);
  const all = () => [...ofVariables ? [ofVariables] : [], ...receivers.list()];
  const proxies = wayOutOf(config);
  const proxy = (url: URL) => proxyOf(url, proxies, proxyLogin);
  const { webhookFile: path, heartbeatsFile: file, monthFile } = paths;
  const told = {
    streams,
    statuses,
    disks: () => disk.problems(),
    isOwn: (id: StreamId) => placement.tells(id),
  };
  const messages = await Messages.open({ receivers: all, proxyOf: proxy, path, told, config, machine });
  for (const { stream, kind, from } of messages.incidents({ isOpen: true })) {
    if (stream !== null && kind !== "certificate") fleet.find(streamId(stream))?.stateTime.goesOn(from);
  }
  const system = new System({
    load: () => machine.load(),
    disk,
    figures,
    startedAt: elapsed(),
    elapsed,
    openIncidents: () => messages.incidents({ isOpen: true }).length,
    shortage: () => admission.shortage(),
  });
  const heartbeats = await HeartbeatRecorder.open({ file, monthFile, ids, statuses, limits, now, elapsed });
  return { figures, system, admission, statuses: report, feed, lag, metrics, messages, heartbeats };
}
