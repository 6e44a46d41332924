/** What viewers of a transport stream cost those who serve them: one, and each of ten more; beside viewers by HLS. */
import { playlistUrl } from "../tests/support/channel.ts";
import { pause } from "../tests/support/within.ts";
import { type Bench, progress, serviceIn, shortened } from "./bench.ts";
import { nothingWatched, watch } from "./hls_viewers.ts";
import { cpu, serversOf } from "./processes.ts";
import type { Row } from "./table.ts";

const MORE = 10;
const WATCH_MS = shortened(20) * 1000;
const SETTLE_MS = 3000;

export const transport: Bench = {
  name: "transport",
  limitMs: 300_000,
  async run(scope) {
    const service = await serviceIn(scope);
    const { id } = await service.create({ name: "Watched", url: `${service.pageUrl}clock.html` });
    await service.untilState(id, "running");
    await pause(8000);
    /** Per cent of a core while so many viewers watch. */
    const cost = async (name: string, viewers: number, view: (end: AbortSignal) => Promise<unknown>) => {
      const leaving = new AbortController();
      const watching = Array.from({ length: viewers }, () => view(leaving.signal).catch(() => {}));
      await pause(SETTLE_MS);
      const parts = Object.values(await cpu(serversOf(service), WATCH_MS));
      const taken = parts.reduce((sum, one) => sum + one, 0);
      leaving.abort();
      await Promise.all(watching);
      progress(`${name}, ${viewers}: ${taken.toFixed(2)} % of a core`);
      return taken;
    };
    const read = async (signal: AbortSignal) => {
      const reader = (await fetch(`${service.url}/api/ts/${id}`)).body!.getReader();
      signal.addEventListener("abort", () => void reader.cancel());
      while (!(await reader.read()).done);
    };
    const follow = (_: AbortSignal) =>
      watch(playlistUrl(service, id), performance.now() + SETTLE_MS + WATCH_MS, nothingWatched());
    const nobody = await cost("nobody", 0, read);
    const ts = [await cost("transport stream", 1, read), await cost("transport stream", 1 + MORE, read)];
    const hls = [await cost("HLS", 1, follow), await cost("HLS", 1 + MORE, follow)];
    const row = (name: string, of: (one: number[]) => number): Row => ({
      name: `transport stream, ${name}`,
      ours: of(ts),
      baseline: of(hls),
      unit: "% of a core",
      beside: "a viewer of the same channel by HLS",
      better: "less",
    });
    return [
      row("one viewer", ([one]) => one - nobody),
      row("each further viewer", ([one, eleven]) => (eleven - one) / MORE),
    ];
  },
};
