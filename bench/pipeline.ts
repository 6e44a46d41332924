/**
 * The capture pipeline: time to the first segment, CPU and memory of each program, and what a picture costs beside another
 * project's command line (docs/pipeline.md), and beside our own encoder without the capture program: all on the same
 * display at the same time.
 *
 *     deno task build && deno run -A bench/pipeline.ts [PAGE,PAGE…] [FORMAT,FORMAT…]
 */
import { join } from "node:path";
import { parseConfig } from "../lib/config.ts";
import { pathsOf, slotPaths } from "../lib/paths.ts";
import { parseSpec } from "../lib/pipeline/spec.ts";
import { withTimeout } from "../lib/system/time.ts";
import { fetchPlaylist } from "../tests/support/media.ts";
import { playlistUrl } from "../tests/support/channel.ts";
import { startService, type TestService, until } from "../tests/support/service.ts";
import { grabbingCommand, peerCommand, startOther } from "./peer.ts";
import { cpu, median, memory } from "./processes.ts";

const ROUNDS = 5;
const WINDOW_MS = 8000;
const WINDOWS = 3;
/** From the start of what is compared to the first window. */
const SETTLE_MS = 8000;
/** For one page in one format, with its start; and for the service's end. */
const [ROW_MS, STOP_MS] = [120_000, 30_000];
const KINDS = ["display", "wm", "browser", "encoder"] as const;

/** By what changes on them: nothing, a line of text once a second, 32 x 32 pixels always, everything always. */
const PAGES = { still: "still", clock: "static", spinner: "spinner", moving: "moving" };

const FORMATS = {
  "720p25": { resolution: "1280x720", scale: "1280x720", fps: 25 },
  "1080p30": {
    ...{ resolution: "1920x1080", scale: "1920x1080", fps: 30 },
    ...{ bitrate: "4000k", bufsize: "4000k" },
  },
  "1080p to 720p30": { resolution: "1920x1080", scale: "1280x720", fps: 30 },
  // the peer's own settings, for its own job
  "same job": { resolution: "1920x1080", scale: "1280x720", fps: 30, preset: "ultrafast", bufsize: "3000k" },
};

const load = () => Deno.loadavg()[0].toFixed(1);
const number = (value: number) => value.toFixed(1).padStart(6);

async function firstSegment(service: TestService): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const from = performance.now();
    const created = service.create({ name: "First" });
    const url = playlistUrl(service, "first");
    await until("a segment", 20_000, async () => (await fetchPlaylist(url))?.segments.length);
    times.push((performance.now() - from) / 1000);
    await created;
    await service.api("DELETE", "/api/streams/first");
  }
  console.log(
    `create -> first playable segment: median ${median(times).toFixed(2)} s of ${ROUNDS} (` +
      `${times.map((time) => time.toFixed(2)).join(", ")}), load ${load()}`,
  );
}

async function compare(
  service: TestService,
  page: keyof typeof PAGES,
  format: keyof typeof FORMATS,
): Promise<void> {
  const url = `${service.pageUrl}${PAGES[page]}.html`;
  await using stream = await service.temporaryStream({ name: "Load", url, ...FORMATS[format] });
  const { id } = stream;
  await until("the stream to run", 30_000, async () => (await service.status(id)).state === "running");
  const paths = pathsOf(parseConfig(service.env));
  const spec = parseSpec(await Deno.readTextFile(join(paths.specsDir, `${id}.json`)));
  const slot = slotPaths(paths, spec.display);
  const env = { XAUTHORITY: slot.xauthority, PULSE_SERVER: `unix:${join(slot.pulseDir, "native")}` };
  await using peer = startOther(peerCommand(spec), env);
  await using grabbing = startOther(grabbingCommand(spec), env);
  await new Promise((done) => setTimeout(done, SETTLE_MS));
  const pids: Record<string, number> = { peer: peer.pid, grabbing: grabbing.pid };
  for (const kind of KINDS) pids[kind] = await service.programPid(`${kind}-${id}`);
  const capture = service.processes(/ capture$/).at(0);
  if (capture !== undefined) pids.capture = capture;
  const windows: Record<string, number>[] = [];
  for (let at = 0; at < WINDOWS; at++) windows.push(await cpu(pids, WINDOW_MS));
  const of = (kind: string) => median(windows.map((window) => window[kind] ?? 0));
  const ours = of("capture") + of("encoder");
  const list = (value: (kind: string) => number) =>
    ["display", "wm", "browser", "capture", "encoder"].map((kind) => number(value(kind))).join(" ");
  console.log(
    `${page.padEnd(8)} ${format.padEnd(16)} CPU % ${list(of)}; peer ${number(of("peer"))}, ` +
      `grabbing ${number(of("grabbing"))}: ${(ours / of("peer")).toFixed(2)} of the peer's, ` +
      `${(ours / of("grabbing")).toFixed(2)} of grabbing; load ${load()}`,
  );
  const pss = (kind: string) => pids[kind] ? memory(pids[kind], "Pss") : 0;
  const rss = (kind: string) => pids[kind] ? memory(pids[kind], "Rss") : 0;
  console.log(`${"".padEnd(25)} PSS M ${list(pss)}\n${"".padEnd(25)} RSS M ${list(rss)}`);
}

function chosen<T extends string>(all: Record<T, unknown>, argument: string | undefined): T[] {
  const names = Object.keys(all) as T[];
  return argument === undefined ? names : names.filter((name) => argument.split(",").includes(name));
}

const pages = chosen(PAGES, Deno.args[0]);
const formats = chosen(FORMATS, Deno.args[1]);
const service = await startService();
try {
  if (Deno.args.length === 0) await firstSegment(service);
  console.log(`${"".padEnd(31)} ${"display     wm browser capture encoder".padStart(34)}`);
  for (const format of formats) {
    for (const page of pages) {
      await withTimeout(ROW_MS, compare(service, page, format), "took too long").catch((error) =>
        console.log(`${page} ${format}: ${error.message}`)
      );
    }
  }
} finally {
  await withTimeout(STOP_MS, service.stop(), "the service does not stop").catch((error) =>
    console.error(error.message)
  );
  // whatever took too long may wait for something still
  Deno.exit();
}
