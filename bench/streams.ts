/**
 * What streams cost, and how many a machine carries: so many of 720p at 25 pictures a second, with sound, every other a
 * still page and a page with a clock; all channels are looked at for some minutes, five of them watched as a player does.
 *
 *     deno task build && deno run -A bench/streams.ts STREAMS MINUTES [still]
 *
 * With `still` all pages are. For each kind of program: CPU, memory (PSS) and how often its threads wake (voluntary context
 * switches; one that goes to sleep has woken before); for the channels: whether a segment was late.
 */
import { processesOfRun } from "../lib/machine/os/orphans.ts";
import { withTimeout } from "../lib/machine/tools/time.ts";
import { playlistUrl } from "../tests/support/channel.ts";
import { listedSequence } from "../tests/support/faults.ts";
import { commandLine, cpuSeconds, procFile } from "../tests/support/proc.ts";
import { startService } from "../tests/support/service.ts";
import { pause } from "../tests/support/within.ts";
import { median } from "./figures.ts";
import { nothingWatched, watch } from "./hls_viewers.ts";
import { looked, memory, tree } from "./processes.ts";

const [streams, minutes] = [Number(Deno.args[0] ?? 10), Number(Deno.args[1] ?? 5)];
const isStill = Deno.args[2] === "still";
const VIEWERS = 5;
const REST_MS = 30_000;
/** A segment of one second is late when the one before it is this old: whoever is a target duration behind has nothing left. */
const LATE_MS = 2000;
const STOP_MS = 60_000;

const PROGRAMS: [name: string, command: RegExp][] = [
  ["up", / up$/],
  ["web app", / serve$/],
  ["capture program", / capture$/],
  ["pipes' readers", /^(\/usr)?(\/bin\/)?cat /],
  ["encoders", /^\/usr\/bin\/ffmpeg/],
  ["sound servers", /^\/usr\/bin\/pulseaudio/],
  ["displays", /^\/usr\/bin\/Xvnc/],
  ["window managers", /^\/usr\/bin\/openbox/],
  ["browsers", /chromium/],
  ["supervisord", /supervisord/],
  ["nginx, both", /nginx/],
  ["VNC proxy", /websockify/],
  ["others", /./],
];

/** Each kind's seconds of a processor and wakes so far, and its MiB now. */
function usage(): Map<string, { seconds: number; wakes: number; mib: number }> {
  const used = new Map(PROGRAMS.map(([name]) => [name, { seconds: 0, wakes: 0, mib: 0 }]));
  const pids = new Set([service.pid, ...processesOfRun(service.runDir)].flatMap((pid) => tree(pid)));
  for (const pid of pids) {
    const line = commandLine(pid);
    const sum = used.get(PROGRAMS.find(([, command]) => command.test(line))?.[0] ?? "others")!;
    const threads = looked([], () => Array.from(Deno.readDirSync(`/proc/${pid}/task`), ({ name }) => name));
    for (const thread of threads) {
      const status = procFile(pid, `task/${thread}/status`);
      sum.wakes += Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0);
    }
    sum.seconds += looked(0, () => cpuSeconds(pid));
    sum.mib += memory(pid, "Pss", [pid]);
  }
  return used;
}

/** Looks at all channels until the end: the times between two segments, in ms. */
async function gaps(ids: readonly string[], end: number): Promise<number[]> {
  const last = new Map(
    ids.map((id) => [id, { sequence: listedSequence(service, id), at: performance.now() }]),
  );
  const all: number[] = [];
  for (; performance.now() < end; await pause(100)) {
    for (const [id, before] of last) {
      const [sequence, now] = [listedSequence(service, id), performance.now()];
      if (sequence === before.sequence) continue;
      all.push(now - before.at);
      last.set(id, { sequence, at: now });
    }
  }
  return all;
}

// a test's displays are too few
const service = await startService({ env: { DISPLAY_BASE: "3000" } });
try {
  const ids: string[] = [];
  for (let at = 0; at < streams; at++) {
    const page = isStill || at % 2 === 0 ? "still" : "static";
    const fields = { name: `Number ${at + 1}`, url: `${service.pageUrl}${page}.html`, fps: 25 };
    ids.push((await service.create(fields)).id);
  }
  for (const id of ids) await service.untilState(id, "running");
  await pause(REST_MS);
  const [seconds, before] = [minutes * 60, usage()];
  const end = performance.now() + seconds * 1000;
  const watched = nothingWatched();
  const between = gaps(ids, end);
  const viewed = isStill ? [] : ids.filter((_, at) => at % Math.ceil(ids.length / VIEWERS) === 0);
  await Promise.all(viewed.map((id) => watch(playlistUrl(service, id), end, watched)));
  const all = await between;
  console.log(
    `${streams} streams, ${minutes} min, load ${Deno.loadavg()[0].toFixed(1)}: ${all.length} segments, ` +
      `${all.filter((ms) => ms > LATE_MS).length} late (over ${LATE_MS / 1000} s), ` +
      `median ${median(all).toFixed(0)} ms, worst ${Math.max(...all).toFixed(0)} ms; ` +
      `${viewed.length} viewers: ${watched.segments} segments, ${watched.late} late, ${watched.errors} errors`,
  );
  const rows = Array.from(usage(), ([program, { seconds: taken, wakes, mib }]) => {
    const was = before.get(program)!;
    return { program, cpu: (taken - was.seconds) / seconds * 100, mib, wakes: (wakes - was.wakes) / seconds };
  });
  const sum = (of: "cpu" | "mib" | "wakes") => rows.reduce((all, row) => all + row[of], 0);
  rows.push({ program: "together", cpu: sum("cpu"), mib: sum("mib"), wakes: sum("wakes") });
  // of a core, and a second
  for (const { program, cpu, mib, wakes } of rows) {
    console.log(
      `${program.padEnd(16)} ${cpu.toFixed(2)} %, ${mib.toFixed(0)} MiB, ${wakes.toFixed(1)} wakes`,
    );
  }
} finally {
  await withTimeout(STOP_MS, service.stop(), "the service does not stop").catch((error) =>
    console.error(error.message)
  );
  Deno.exit();
}
