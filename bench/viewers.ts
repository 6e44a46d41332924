/**
 * 300 viewers who follow a running channel as a player does: through the service's port, then of the media server itself.
 */
import { playlistUrl } from "../tests/support/channel.ts";
import { residentMiB } from "../tests/support/memory.ts";
import { type Bench, progress, serviceIn, shortened } from "./bench.ts";
import { median, percentile } from "./figures.ts";
import { nothingWatched, watch, type Watched } from "./hls_viewers.ts";
import { cpu, serversOf } from "./processes.ts";
import type { Row } from "./table.ts";
import { pause } from "../tests/support/within.ts";

const VIEWERS = 300;
const WATCH_MS = shortened(45) * 1000;
/** The channel's list is full by then. */
const SETTLE_MS = 8000;

interface Crowd extends Watched {
  /** Per cent of a core that serving them took. */
  cpu: number;
}

/** @param servers those that serve them, by name: of each its processes. */
async function crowd(name: string, playlist: string, servers: Record<string, number>): Promise<Crowd> {
  const watched = nothingWatched();
  const end = performance.now() + WATCH_MS;
  const serving = cpu(servers, WATCH_MS);
  await Promise.all(Array.from({ length: VIEWERS }, async (_, at) => {
    await pause(at / VIEWERS * 1000); // they do not all ask at once
    await watch(playlist, end, watched);
  }));
  const { segments, bytes, late, errors, took, spare } = watched;
  progress(
    `${name}: ${segments} segments, ${(bytes / 2 ** 20 / WATCH_MS * 1000).toFixed(1)} MiB/s, ${late} late, ` +
      `${errors} errors; a segment took ${median(took).toFixed(1)} ms, 99 % ${
        percentile(took, 0.99).toFixed(1)
      }; ` +
      `least time to spare ${spare.reduce((least, one) => Math.min(least, one), Infinity).toFixed(0)} ms`,
  );
  const taken = await serving;
  progress(
    `% of a core: ${Object.entries(taken).map(([one, part]) => `${one} ${part.toFixed(1)}`).join(", ")}`,
  );
  return { ...watched, cpu: Object.values(taken).reduce((sum, part) => sum + part, 0) };
}

export const viewers: Bench = {
  name: "viewers",
  limitMs: 240_000,
  async run(scope) {
    const service = await serviceIn(scope, { env: { LOG_LEVEL: "info" } });
    const { id } = await service.create({ name: "Crowd", url: `${service.pageUrl}moving.html` });
    await service.untilState(id, "running");
    await pause(SETTLE_MS);
    const servers = serversOf(service);
    const before = residentMiB(servers.web);
    const ours = await crowd("through the service", playlistUrl(service, id), servers);
    progress(`memory of the web app, MiB: ${before.toFixed(0)}, then ${residentMiB(servers.web).toFixed(0)}`);
    const { media } = servers;
    const direct = await crowd("media server", `${service.mediaUrl}/live/${id}/index.m3u8`, { media });
    const row = (name: string, unit: string, of: (crowd: Crowd) => number): Row => ({
      name: `HLS, ${VIEWERS} viewers, ${name}`,
      ours: of(ours),
      baseline: of(direct),
      unit,
      beside: "the media server asked directly",
      better: "less",
    });
    return [
      row("99 % of segments within", "ms", ({ took }) => percentile(took, 0.99)),
      row("CPU of those who serve them", "% of a core", ({ cpu }) => cpu),
      row("late or lost", "segments", ({ late, errors }) => late + errors),
    ];
  },
};
