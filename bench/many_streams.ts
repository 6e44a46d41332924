/**
 * How many streams a machine carries: so many of 720p at 25 pictures a second, with sound, every other a still page and a
 * page with a clock; all channels looked at for some minutes, five of them watched as a player does.
 *
 *     deno task build && deno run -A bench/many_streams.ts STREAMS MINUTES
 *
 * It says whether a segment was late, and what of the machine was used: processors, and memory counted twice, as what the
 * service's processes have (PSS, with the segments' tmpfs) and as what the machine has less.
 */
import { join } from "node:path";
import { processesOfRun } from "../lib/os/orphans.ts";
import { withTimeout } from "../lib/system/time.ts";
import { playlistUrl } from "../tests/support/channel.ts";
import { listedSequence } from "../tests/support/faults.ts";
import { commandLine } from "../tests/support/proc.ts";
import { startService, type TestService } from "../tests/support/service.ts";
import { nothingWatched, watch } from "./hls_viewers.ts";
import { median } from "./figures.ts";
import { pause, within } from "../tests/support/within.ts";

const streams = Number(Deno.args[0] ?? 10);
const minutes = Number(Deno.args[1] ?? 5);
const VIEWERS = 5;
/** All streams that are started at once need so long each, and all of them so long more to come to rest. */
const [START_MS, REST_MS] = [15_000, 30_000];
/** A segment of one second is late when the one before it is this old: whoever is a target duration behind has nothing left. */
const LATE_MS = 2000;
const STOP_MS = 60_000;

const PROGRAMS: [name: string, command: RegExp][] = [
  ["browsers", /chromium/],
  ["displays", /^\/usr\/bin\/Xvnc/],
  ["encoders", /^\/usr\/bin\/ffmpeg/],
  ["sound servers", /^\/usr\/bin\/pulseaudio/],
  ["window managers", /^\/usr\/bin\/openbox/],
  ["capture program", / capture$/],
  ["the rest", /./],
];

/** Pixels, segments and keys in a tmpfs: MiB. */
function folderMiB(path: string): number {
  let bytes = 0;
  for (const { name, isDirectory, isFile } of Deno.readDirSync(path)) {
    if (isDirectory) bytes += folderMiB(join(path, name)) * 2 ** 20;
    else if (isFile) bytes += Deno.statSync(join(path, name)).blocks! * 512;
  }
  return bytes / 2 ** 20;
}

function kernelNumber(file: string, name: string): number {
  try {
    return Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(Deno.readTextFileSync(file))?.[1] ?? 0);
  } catch {
    return 0; // the process has ended
  }
}

const availableMiB = () => kernelNumber("/proc/meminfo", "MemAvailable") / 1024;

/** Processors' time since the machine's start: idle, and all, in ticks. */
function machineTicks(): { idle: number; all: number } {
  const [line] = Deno.readTextFileSync("/proc/stat").split("\n");
  const ticks = line.split(/\s+/).slice(1, 9).map(Number);
  return { idle: ticks[3] + ticks[4], all: ticks.reduce((sum, one) => sum + one, 0) };
}

/** The browsers' processes have overwritten their environment, so they are found below the others. */
function processesBelow(pids: number[]): number[] {
  const parents = new Map<number, number>();
  for (const { name } of Deno.readDirSync("/proc")) {
    if (/^\d+$/.test(name)) parents.set(Number(name), kernelNumber(`/proc/${name}/status`, "PPid"));
  }
  const known = new Set(pids);
  for (let size = 0; size !== known.size;) {
    size = known.size;
    for (const [pid, parent] of parents) if (known.has(parent)) known.add(pid);
  }
  return [...known];
}

/** What each kind of program has of CPU time (s, since its start), memory (MiB) and how often it has slept (times). */
function usage(service: TestService) {
  const used = new Map(PROGRAMS.map(([name]) => [name, { seconds: 0, pss: 0, sleeps: 0 }]));
  for (const pid of processesBelow([service.pid, ...processesOfRun(service.runDir)])) {
    const line = commandLine(pid);
    const [name] = PROGRAMS.find(([, command]) => command.test(line)) ?? PROGRAMS.at(-1)!;
    const sum = used.get(name)!;
    sum.pss += kernelNumber(`/proc/${pid}/smaps_rollup`, "Pss") / 1024;
    try {
      const stat = Deno.readTextFileSync(`/proc/${pid}/stat`).replace(/^.*\) /, "").split(" ");
      sum.seconds += (Number(stat[11]) + Number(stat[12])) / 100;
      for (const { name: thread } of Deno.readDirSync(`/proc/${pid}/task`)) {
        sum.sleeps += kernelNumber(`/proc/${pid}/task/${thread}/status`, "voluntary_ctxt_switches");
      }
    } catch {
      // it has ended meanwhile
    }
  }
  return used;
}

/** Looks at all channels until the end: the times between two segments, in ms. */
async function gaps(service: TestService, ids: string[], end: number): Promise<number[]> {
  const last = new Map(
    ids.map((id) => [id, { sequence: listedSequence(service, id), at: performance.now() }]),
  );
  const all: number[] = [];
  while (performance.now() < end) {
    await pause(100);
    for (const [id, before] of last) {
      const sequence = listedSequence(service, id);
      const now = performance.now();
      if (sequence === before.sequence && now < end) continue;
      all.push(now - before.at);
      last.set(id, { sequence, at: now });
    }
  }
  return all;
}

async function measure(service: TestService, ids: string[]): Promise<void> {
  const end = performance.now() + minutes * 60_000;
  const before = { machine: machineTicks(), used: usage(service), at: performance.now() };
  const watched = nothingWatched();
  const step = Math.max(1, Math.floor(ids.length / VIEWERS));
  const viewed = ids.filter((_, at) => at % step === 0).slice(0, VIEWERS);
  let [least, deepest] = [Infinity, 0];
  const looks = setInterval(() => {
    least = Math.min(least, availableMiB());
    deepest = Math.max(deepest, Deno.loadavg()[0]);
  }, 5000);
  const [between] = await Promise.all([
    gaps(service, ids, end),
    ...viewed.map((id) => watch(playlistUrl(service, id), end, watched)),
  ]);
  clearInterval(looks);
  const machine = machineTicks();
  const idle = (machine.idle - before.machine.idle) / (machine.all - before.machine.all);
  const seconds = (performance.now() - before.at) / 1000;
  const late = between.filter((gap) => gap > LATE_MS).length;
  console.log(
    `channels: ${between.length} segments in ${minutes} min, ${late} late (over ${LATE_MS / 1000} s), ` +
      `median ${median(between).toFixed(0)} ms, worst ${Math.max(...between).toFixed(0)} ms`,
  );
  console.log(
    `viewers: ${viewed.length}, ${watched.segments} segments, ${watched.late} late, ${watched.errors} errors, ` +
      `least spare ${Math.min(...watched.spare).toFixed(0)} ms`,
  );
  const cores = navigator.hardwareConcurrency;
  console.log(
    `machine: ${((1 - idle) * 100).toFixed(0)} % of ${cores} cores busy, load ${deepest.toFixed(1)} at most`,
  );
  let [pss, cpu] = [0, 0];
  for (const [name, after] of usage(service)) {
    const was = before.used.get(name)!;
    const own = (after.seconds - was.seconds) / seconds * 100;
    const sleeps = (after.sleeps - was.sleeps) / seconds;
    console.log(
      `  ${name.padEnd(16)} ${own.toFixed(1).padStart(6)} % of a core, ${
        after.pss.toFixed(0).padStart(6)
      } MiB PSS, ` +
        `${sleeps.toFixed(0).padStart(6)} times awake a second`,
    );
    pss += after.pss;
    cpu += own;
  }
  const files = folderMiB(service.runDir);
  console.log(
    `  ${"together".padEnd(16)} ${cpu.toFixed(1).padStart(6)} % of a core, ${
      pss.toFixed(0).padStart(6)
    } MiB PSS and ` +
      `${files.toFixed(0)} MiB of files in memory; the machine had ${
        (availableBefore - least).toFixed(0)
      } MiB less`,
  );
}

const availableBefore = availableMiB();
// a test's displays are too few
const service = await startService({ env: { DISPLAY_BASE: "3000" } });
try {
  const ids: string[] = [];
  for (let at = 0; at < streams; at++) {
    const page = at % 2 === 0 ? "still" : "static";
    const { id } = await service.create({
      name: `Number ${at + 1}`,
      url: `${service.pageUrl}${page}.html`,
      fps: 25,
    });
    ids.push(id);
  }
  const startedAt = performance.now();
  for (const id of ids) {
    await within(
      `${id} to run`,
      streams * START_MS,
      async () => (await service.status(id)).state === "running",
      500,
    );
  }
  console.log(`${streams} streams run after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  await pause(REST_MS);
  const last = ids.map((id) =>
    Deno.readTextFileSync(join(service.dataDir, "logs", id, "encoder.log")).split("\n")
      .findLast((line) => /takes every picture|pictures are taken/.test(line))
  );
  const grabbing = last.filter((line) => !line?.includes("are taken"));
  console.log(`${grabbing.length} of them grab every picture`);
  await measure(service, ids);
} catch (error) {
  console.error((error as Error).message, "\n" + service.output().slice(-3000));
} finally {
  await withTimeout(STOP_MS, service.stop(), "the service does not stop").catch((error) =>
    console.error(error.message)
  );
  Deno.exit();
}
