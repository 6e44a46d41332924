/**
 * A day in the life, in half an hour: four streams, every 20 s something of theirs is killed or stopped, now and then two
 * things at once. Two viewers watch. Nothing is lost, and afterwards everything is as it was.
 *
 * SEED repeats a day; DAY_MINUTES makes it shorter or longer.
 */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { type ProgramKind } from "../../lib/model/programs.ts";
import { processEntry } from "../../lib/machine/os/process_table.ts";
import { playlistUrl, untilPageShown } from "../support/channel.ts";
import { launchBrowser } from "../support/browser.ts";
import {
  describeFault,
  type Fault,
  hit,
  limitOf,
  listedSequence,
  PARTS,
  PlaylistWatch,
  programPids,
  SHARED,
  SIGNALS,
} from "../support/faults.ts";
import { residentMiB } from "../support/memory.ts";
import { PlayerPage } from "../support/player_page.ts";
import { commandLine } from "../support/proc.ts";
import { pause, within } from "../support/within.ts";
import { startService, type TestService } from "../support/service.ts";

const MINUTES = Number(Deno.env.get("DAY_MINUTES") ?? 30);
const SEED = Number(Deno.env.get("SEED") ?? Date.now() % 1e6);
const EVERY_MS = 20_000;
const NAMES = ["Ash", "Birch", "Cedar", "Dogwood"];
/** Of the streams' own; one fault in so many is of a shared program, one in so many comes with a second one. */
const KINDS: ProgramKind[] = ["display", "wm", "browser", "encoder", "audio", "autoreload"];
const SHARED_EVERY = 4;
const PAIR_EVERY = 3;
/** Growth that is none: a runtime's heap breathes. */
const MORE_MIB = 80;
const MORE_DESCRIPTORS = 20;

/** Numbers below `below`, the same ones for a seed. Source: mulberry32. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** What is done next. A browser's process is only stopped: Chromium starts a killed one again by itself. */
function nextFaults(roll: (below: number) => number, ids: readonly string[]): Fault[] {
  const one = (): Fault => {
    const signal = SIGNALS[roll(SIGNALS.length)];
    if (roll(SHARED_EVERY) === 0) return { what: SHARED[roll(SHARED.length)], stream: "", signal };
    const stream = ids[roll(ids.length)];
    const isPart = signal === "SIGSTOP" && roll(4) === 0;
    return { what: isPart ? PARTS[roll(PARTS.length)] : KINDS[roll(KINDS.length)], stream, signal };
  };
  const first = one();
  if (roll(PAIR_EVERY) !== 0) return [first];
  const second = one();
  const isSame = second.what === first.what && second.stream === first.stream;
  return isSame ? [first] : [first, second];
}

/** What the service has that could grow. */
async function counts(service: TestService) {
  const pids = service.processes(/./);
  const kinds = new Map<string, number>();
  for (const pid of pids) {
    const line = commandLine(pid);
    // Chromium has as many as its pages need
    const kind = /--type=|crashpad/.test(line) ? "" : /^[^ ]*\/(\w+)|^nginx: (\w+)/.exec(line)?.[0] ?? "";
    if (kind !== "") kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const residents = [...(await programPids(service))].filter(([name]) =>
    /^(web|media|vnc-proxy|front)$/.test(name)
  );
  const own = [service.pid, ...residents.map(([, pid]) => pid)];
  return {
    processes: Object.fromEntries([...kinds].sort()),
    stopped: pids.filter((pid) => processEntry(pid)?.state === "T").length,
    folders: ["slots", "vnc", "streams", "hls/live"].map((name) =>
      [...Deno.readDirSync(join(service.runDir, name))].length
    ),
    descriptors: own.reduce((sum, pid) => sum + [...Deno.readDirSync(`/proc/${pid}/fd`)].length, 0),
    memory: Math.round(own.reduce((sum, pid) => sum + residentMiB(pid), 0)),
  };
}

/** A viewer by ffmpeg, who comes again when it had to end. */
class FfmpegViewer implements AsyncDisposable {
  /** How often it saw the channel for a while, and then no more. */
  endings = 0;
  #isOver = false;
  #child: Deno.ChildProcess | null = null;
  #watching: Promise<void>;

  constructor(url: string) {
    this.#watching = this.#watch(url);
  }

  async #watch(url: string): Promise<void> {
    while (!this.#isOver) {
      const startedAt = performance.now();
      this.#child = new Deno.Command("/usr/bin/ffmpeg", {
        args: ["-v", "error", "-nostdin", "-i", url, "-c", "copy", "-f", "null", "-"],
        stdin: "null",
        stdout: "null",
        stderr: "null",
      }).spawn();
      await this.#child.status;
      if (performance.now() - startedAt > 3000) this.endings++;
      await pause(1000);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#child?.kill("SIGKILL");
    await this.#watching;
  }
}

interface Recovery {
  /** A program or a process of one, or "two at once". */
  what: string;
  signal: Fault["signal"];
  seconds: number;
}

const WORDS: Record<string, string> = {
  wm: "window manager",
  audio: "sound server",
  autoreload: "reload helper",
  media: "media server",
  front: "front door",
  web: "web app",
  "vnc-proxy": "VNC proxy",
  renderer: "page's process",
  "gpu-process": "browser's painter",
  zygote: "browser's process starter",
};

/** As docs/performance.md has it. */
function printTable(recoveries: readonly Recovery[], loads: readonly number[]): void {
  const row = (cells: string[]) => console.log(`| ${cells.join(" | ")} |`);
  const [least, most] = [Math.min(...loads), Math.max(...loads)].map((load) => load.toFixed(0));
  console.log(`\nDAY_MINUTES=${MINUTES} SEED=${SEED}, load ${least} to ${most}:\n`);
  row(["Hit", "Signal", "Times", "Median", "Worst"]);
  row(["---", "---", "---", "---", "---"]);
  const groups = Map.groupBy(recoveries, ({ what, signal }) => `${signal} ${WORDS[what] ?? what}`);
  const sorted = [...groups].sort(([one], [other]) => one < other ? -1 : 1);
  for (const [name, list] of [...sorted, ["", recoveries] as const]) {
    const seconds = list.map((one) => one.seconds).sort((a, b) => a - b);
    const figures = [seconds[Math.floor(seconds.length / 2)], seconds.at(-1)!].map((one) => one.toFixed(1));
    const [signal, ...words] = name.split(" ");
    row([words.join(" ") || "all", signal, String(list.length), ...figures]);
  }
}

/** Whether a viewer may miss a playlist: at the first one that it does not get, ffmpeg ends. */
function mayInterrupt({ what }: Fault): boolean {
  return /^(supervisord|web|front|media)/.test(what);
}

Deno.test(`${MINUTES} minutes in which something breaks every 20 s: nothing is lost, nothing grows`, async () => {
  console.log(`SEED=${SEED} DAY_MINUTES=${MINUTES}`);
  const roll = dice(SEED);
  const service = await startService();
  try {
    const ids: string[] = [];
    for (const name of NAMES) {
      ids.push((await service.create({ name, autoReload: true, autoReloadInterval: 600 })).id);
    }
    for (const id of ids) await untilPageShown(service, id, 0, { limitMs: 120_000 });
    const recoveries: Recovery[] = [];
    const late: string[] = [];
    await using browser = await launchBrowser();
    const player = new PlayerPage(await browser.newPage(), service.url);
    await player.open("minimal", ids[1]);
    await using viewer = new FfmpegViewer(playlistUrl(service, ids[0]));
    await pause(30_000);
    const before = await counts(service);
    const loads: number[] = [];
    let interruptions = 0;
    {
      await using watch = new PlaylistWatch(service, ids);
      for (const end = performance.now() + MINUTES * 60_000; performance.now() < end;) {
        const startedAt = performance.now();
        const faults = nextFaults(roll, ids);
        const text = faults.map(describeFault).join(" and ");
        if (faults.some(mayInterrupt)) interruptions++;
        loads.push(Deno.loadavg()[0]);
        // to look at the other channels takes from the processor what the hit ones need
        const isShared = faults.some(({ stream }) => stream === "");
        const watched = isShared ? ids : [...new Set(faults.map(({ stream }) => stream))];
        const seconds = await hit(service, faults, watched) / 1000;
        const [{ what, signal }] = faults;
        recoveries.push({ what: faults.length > 1 ? "two at once" : what, signal, seconds });
        const limitMs = limitOf(faults, ids.length);
        if (seconds * 1000 > limitMs) late.push(`${text}: ${seconds.toFixed(1)} s`);
        console.log(`${seconds.toFixed(1).padStart(6)} s  ${text}`);
        await pause(Math.max(0, EVERY_MS - (performance.now() - startedAt)));
      }
      assert.deepEqual(watch.problems, []);
    }
    printTable(recoveries, loads);
    for (const id of ids) await service.untilState(id, "running");
    const sequences = ids.map((id) => listedSequence(service, id));
    await within(
      "all channels to go on",
      10_000,
      () => ids.every((id, at) => listedSequence(service, id) > sequences[at] + 2),
    );
    const times: number[] = [];
    await within("the viewer by hls.js to see more", 120_000, async () => {
      // four streams and a viewer leave the viewer's browser little time to answer
      const video = await player.video().catch(() => null);
      if (video) times.push(video.time);
      return times.length > 1 && times.at(-1)! > times[0] + 2;
    });
    assert.ok(
      viewer.endings <= 2 * interruptions,
      `ffmpeg lost the channel ${viewer.endings} times, the faults that end it were ${interruptions}`,
    );
    let after = await counts(service);
    const isBack = () =>
      JSON.stringify([after.processes, after.stopped, after.folders]) ===
        JSON.stringify([before.processes, before.stopped, before.folders]) &&
      after.descriptors <= before.descriptors + MORE_DESCRIPTORS && after.memory <= before.memory + MORE_MIB;
    await within("the counts to return", 60_000, async () => {
      after = await counts(service);
      return isBack();
    }, 2000).catch(() => assert.deepEqual(after, before));
    console.log("before", JSON.stringify(before), "\nafter ", JSON.stringify(after));
    assert.deepEqual(late, [], "the picture came back late");
  } finally {
    await service.stop();
  }
});
