/**
 * How often each process wakes for still streams: voluntary context switches a second of all its threads (one that goes to
 * sleep has woken before), and CPU; with one stream, and with four.
 *
 *     deno task build && deno run -A bench/wake_ups.ts [SECONDS]
 *
 * With `THREADS=1` it shows the threads one by one.
 */
import { processesOfRun } from "../lib/os/orphans.ts";
import { withTimeout } from "../lib/system/time.ts";
import { commandLine } from "../tests/support/proc.ts";
import { startService, type TestService } from "../tests/support/service.ts";
import { tree } from "./processes.ts";
import { pause } from "../tests/support/within.ts";

const seconds = Number(Deno.args[0] ?? 60);
const areThreadsShown = Deno.env.get("THREADS") === "1";
const COUNTS = [1, 4];
/** After a start it takes so long until nothing is new any more. */
const REST_MS = 30_000;
const STOP_MS = 30_000;
const TICKS = 100; // a second

const PROCESSES: [name: string, command: RegExp][] = [
  ["up", / up$/],
  ["web app", / serve$/],
  ["capture program", / capture$/],
  ["pipe's reader", /^(\/usr)?(\/bin\/)?cat /],
  ["encoder", /^\/usr\/bin\/ffmpeg/],
  ["sound server", /^\/usr\/bin\/pulseaudio/],
  ["display", /^\/usr\/bin\/Xvnc/],
  ["window manager", /^\/usr\/bin\/openbox/],
  ["browser", /chromium/],
  ["supervisord", /supervisord/],
  ["nginx, both", /nginx/],
  ["VNC proxy", /websockify/],
];

interface Use {
  sleeps: number;
  ticks: number;
}

interface Thread extends Use {
  process: string;
  name: string;
}

/** All threads of the service, by their ids. */
function threads(service: TestService): Map<string, Thread> {
  const all = new Map<string, Thread>();
  const pids = new Set([service.pid, ...processesOfRun(service.runDir)].flatMap((pid) => tree(pid)));
  for (const pid of pids) {
    const line = commandLine(pid);
    const process = PROCESSES.find(([, command]) => command.test(line))?.[0] ?? "others";
    try {
      for (const { name: id } of Deno.readDirSync(`/proc/${pid}/task`)) {
        const folder = `/proc/${pid}/task/${id}`;
        const status = Deno.readTextFileSync(`${folder}/status`);
        const stat = Deno.readTextFileSync(`${folder}/stat`).replace(/^.*\) /s, "").split(" ");
        all.set(id, {
          process,
          name: Deno.readTextFileSync(`${folder}/comm`).trim(),
          sleeps: Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0),
          ticks: Number(stat[11]) + Number(stat[12]),
        });
      }
    } catch {
      // it has ended meanwhile
    }
  }
  return all;
}

/** What the threads did in a window. */
async function window(service: TestService): Promise<Map<string, Thread>> {
  const before = threads(service);
  await pause(seconds * 1000);
  const after = threads(service);
  for (const [id, thread] of after) {
    const was = before.get(id);
    thread.sleeps = (thread.sleeps - (was?.sleeps ?? 0)) / seconds;
    thread.ticks = (thread.ticks - (was?.ticks ?? 0)) / seconds;
  }
  return after;
}

function sums(used: Map<string, Thread>): Map<string, Use> {
  const all = new Map<string, Use>(PROCESSES.map(([name]) => [name, { sleeps: 0, ticks: 0 }]));
  for (const { process, sleeps, ticks } of used.values()) {
    const sum = all.get(process) ?? { sleeps: 0, ticks: 0 };
    all.set(process, { sleeps: sum.sleeps + sleeps, ticks: sum.ticks + ticks });
  }
  return all;
}

const service = await startService();
try {
  const ids: string[] = [];
  const windows: Map<string, Use>[] = [];
  for (const count of COUNTS) {
    while (ids.length < count) {
      const stream = { name: `Still ${ids.length + 1}`, url: `${service.pageUrl}still.html`, fps: 25 };
      ids.push((await service.create(stream)).id);
    }
    for (const id of ids) await service.untilState(id, "running");
    await pause(REST_MS);
    const used = await window(service);
    windows.push(sums(used));
    console.log(`${count} streams, ${seconds} s, load ${Deno.loadavg()[0].toFixed(1)}`);
    if (!areThreadsShown) continue;
    for (const [id, thread] of [...used].sort(([, a], [, b]) => b.sleeps - a.sleeps)) {
      if (thread.sleeps > 0.2) {
        console.log(`  ${thread.sleeps.toFixed(1)} ${thread.process}, ${thread.name} ${id}`);
      }
    }
  }
  const [one, more] = windows;
  const further = COUNTS[1] - COUNTS[0];
  const shown = (value: number, digits = 1) => value.toFixed(digits).padStart(9);
  console.log(
    `${"".padEnd(20)} wakes/s: with one, each further stream; CPU %: with one, each further stream`,
  );
  for (const [name, { sleeps, ticks }] of one) {
    const then = more.get(name) ?? { sleeps: 0, ticks: 0 };
    console.log(
      `${name.padEnd(20)} ${shown(sleeps)} ${shown((then.sleeps - sleeps) / further)} ` +
        `${shown(ticks * 100 / TICKS, 2)} ${shown((then.ticks - ticks) / further * 100 / TICKS, 2)}`,
    );
  }
} finally {
  await withTimeout(STOP_MS, service.stop(), "the service does not stop").catch((error) =>
    console.error(error.message)
  );
  Deno.exit();
}
