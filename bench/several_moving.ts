/**
 * Several moving pages at once in the one capture program: its CPU, of which its one thread's, and how many pictures a second
 * each channel really has.
 *
 *     deno task build && deno run -A bench/several_moving.ts [STREAMS,STREAMS…] [RESOLUTION] [FPS]
 *
 * The pages, displays and encoders need far more of the machine than what is measured: where they use all of it, fewer
 * pictures are painted, and so captured.
 */
import { join } from "node:path";
import { withTimeout } from "../lib/system/time.ts";
import { startService, type TestService } from "../tests/support/service.ts";
import { pictureTimes } from "../tests/support/transport_stream.ts";
import { median } from "./figures.ts";
import { cpu, memory, threadSeconds } from "./processes.ts";
import { pause } from "../tests/support/within.ts";

const counts = (Deno.args[0] ?? "1,2,4").split(",").map(Number);
const resolution = Deno.args[1] ?? "1280x720";
const fps = Number(Deno.args[2] ?? 25);
const [SETTLE_MS, WINDOW_MS, STOP_MS] = [10_000, 8000, 30_000];
const WINDOWS = 3;
/** The media server keeps those of the list and some more; the newest is being written. */
const SEGMENTS = 6;

/** Pictures a second in the newest finished segments of a channel. */
async function picturesPerSecond(service: TestService, id: string): Promise<number> {
  const folder = join(service.runDir, "hls/live", id);
  const names = (await Array.fromAsync(Deno.readDir(folder), ({ name }) => name))
    .filter((name) => name.endsWith(".ts")).sort((a, b) => parseInt(a) - parseInt(b));
  const segments = await Promise.all(
    names.slice(-1 - SEGMENTS).map(async (name) => pictureTimes(await Deno.readFile(join(folder, name)))),
  );
  const [first, last] = [segments[0][0], segments.at(-1)![0]];
  return segments.slice(0, -1).reduce((sum, times) => sum + times.length, 0) / (last - first);
}

async function measure(service: TestService, ids: string[]): Promise<void> {
  for (const id of ids) await service.untilState(id, "running");
  await pause(SETTLE_MS);
  const [capture] = service.processes(/ capture$/);
  const pids: Record<string, number> = { capture };
  for (const id of ids) {
    for (const kind of ["encoder", "display", "browser"]) {
      pids[`${kind}-${id}`] = await service.programPid(`${kind}-${id}`);
    }
  }
  const windows: { all: Record<string, number>; thread: number; pictures: number[] }[] = [];
  for (let at = 0; at < WINDOWS; at++) {
    const [before, from] = [threadSeconds(capture, capture), performance.now()];
    const all = await cpu(pids, WINDOW_MS);
    const thread = (threadSeconds(capture, capture) - before) / (performance.now() - from) * 1e5;
    const pictures = await Promise.all(ids.map((id) => picturesPerSecond(service, id)));
    windows.push({ all, thread, pictures });
  }
  const sum = (kind: string) =>
    median(
      windows.map(({ all }) =>
        Object.entries(all).reduce((total, [name, value]) => name.startsWith(kind) ? total + value : total, 0)
      ),
    );
  const shown = (value: number) => value.toFixed(1).padStart(6);
  const pictures = windows.flatMap((window) => window.pictures);
  console.log(
    `${ids.length} of ${resolution} at ${fps}: capture ${shown(sum("capture"))} % ` +
      `(its thread ${shown(median(windows.map(({ thread }) => thread)))}), ` +
      `a stream ${shown(sum("capture") / ids.length)}; encoders ${shown(sum("encoder"))}, ` +
      `displays ${shown(sum("display"))}, browsers ${shown(sum("browser"))}; ` +
      `pictures a second ${median(pictures).toFixed(1)} (${Math.min(...pictures).toFixed(1)} to ` +
      `${Math.max(...pictures).toFixed(1)}); PSS ${memory(capture, "Pss").toFixed(0)} MiB; ` +
      `load ${Deno.loadavg()[0].toFixed(1)}`,
  );
}

const service = await startService();
try {
  const ids: string[] = [];
  for (const count of counts) {
    while (ids.length < count) {
      const stream = { url: `${service.pageUrl}moving.html`, resolution, scale: "1280x720", fps };
      ids.push((await service.create({ name: `Moving ${ids.length + 1}`, ...stream })).id);
    }
    await measure(service, ids);
  }
} catch (error) {
  console.error((error as Error).message);
} finally {
  await withTimeout(STOP_MS, service.stop(), "the service does not stop").catch((error) =>
    console.error(error.message)
  );
  Deno.exit();
}
