/**
 * How far sound and picture are apart on a channel: a still page flashes and beeps at once every few seconds
 * (tests/fixtures/flash.html); ffmpeg decodes the channel and says when each begins.
 *
 *     deno task build && deno run -A bench/sync.ts [MINUTES]
 *     CAPTURE=x11grab deno run -A bench/sync.ts
 */
import { run } from "../lib/os/process.ts";
import { withTimeout } from "../lib/system/time.ts";
import { playlistUrl } from "../tests/support/channel.ts";
import { startService } from "../tests/support/service.ts";
import { median } from "./figures.ts";
import { within } from "../tests/support/within.ts";

/** A minute is decoded at a time: over many of them a drift would be seen. */
const WINDOW_S = 55;
const minutes = Number(Deno.args[0] ?? 1);
/** A flash and its beep are nearer to each other than to any other. */
const NEAR_S = 1;

/** When a value first gets above a limit after it was below, in seconds. */
function beginnings(text: string, key: string, limit: number): number[] {
  const found: number[] = [];
  let [time, isAbove] = [NaN, true];
  for (const line of text.split("\n")) {
    time = Number(/pts_time:([\d.]+)/.exec(line)?.[1] ?? time);
    const value = Number(new RegExp(`${key}=(.+)`).exec(line)?.[1] ?? NaN);
    if (Number.isNaN(value)) continue;
    if (value > limit && !isAbove) found.push(time);
    isAbove = value > limit;
  }
  return found;
}

/** Milliseconds that each beep is behind its flash: less than 0 is early. */
async function offsets(url: string, folder: string): Promise<number[]> {
  const [brightness, loudness] = ["lavfi.signalstats.YAVG", "lavfi.astats.Overall.RMS_level"];
  const printed = (key: string, name: string) => `metadata=print:key=${key}:file=${folder}/${name}`;
  const { code, stderr } = await run([
    ...["/usr/bin/ffmpeg", "-v", "error", "-nostdin", "-y", "-i", url, "-t", String(WINDOW_S)],
    ...[
      "-filter_complex",
      `[0:v]scale=16:16,signalstats,${printed(brightness, "video")}[v];` +
      `[0:a]asetnsamples=480,astats=metadata=1:reset=1,a${printed(loudness, "audio")}[a]`,
    ],
    ...["-map", "[v]", "-map", "[a]", "-fps_mode", "passthrough", "-f", "null", "-"],
  ], { timeoutMs: (WINDOW_S + 30) * 1000 });
  if (code !== 0) throw new Error(stderr);
  const flashes = beginnings(Deno.readTextFileSync(`${folder}/video`), brightness, 120);
  const beeps = beginnings(Deno.readTextFileSync(`${folder}/audio`), loudness, -40);
  return flashes.flatMap((flash) => {
    const [nearest] = beeps.toSorted((a, b) => Math.abs(a - flash) - Math.abs(b - flash));
    return nearest !== undefined && Math.abs(nearest - flash) < NEAR_S ? [(nearest - flash) * 1000] : [];
  });
}

const CAPTURE = Deno.env.get("CAPTURE") ?? "auto";
const service = await startService({ env: { CAPTURE } });
const folder = await Deno.makeTempDir({ prefix: "bs-sync-" });
try {
  const { id } = await service.create({ name: "Flash", url: `${service.pageUrl}flash.html`, fps: 25 });
  await within("the stream to run", 30_000, async () => (await service.status(id)).state === "running");
  await new Promise((done) => setTimeout(done, 10_000));
  for (let minute = 0; minute < minutes; minute++) {
    const found = await offsets(playlistUrl(service, id), folder);
    const shown = (ms: number) => `${ms.toFixed(0)} ms`;
    console.log(
      `${CAPTURE}, minute ${minute + 1}: the sound is behind by ${shown(median(found))} (${
        shown(Math.min(...found))
      } to ${shown(Math.max(...found))}) of ${found.length}; load ${Deno.loadavg()[0].toFixed(1)}`,
    );
  }
} finally {
  await withTimeout(30_000, service.stop(), "the service does not stop").catch((error) =>
    console.error(error.message)
  );
  await Deno.remove(folder, { recursive: true });
  Deno.exit();
}
