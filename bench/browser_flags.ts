/**
 * What Chromium's flags save, one by one: the CPU of its start, its memory, and how often it wakes on a still page, with our
 * flags, without each one of ours that is there for that, and with others that one could add.
 *
 *     deno task build && deno run -A bench/browser_flags.ts [ROUNDS]
 *
 * Each round starts every kind once, so that all have the same minutes.
 */
import { join } from "node:path";
import { browserCommand, SAVING_FLAGS, UNUSED_FEATURES } from "../lib/pipeline/browser.ts";
import type { StreamSpec } from "../lib/pipeline/spec.ts";
import { startDisplay } from "../tests/support/x_display.ts";
import { median } from "./figures.ts";
import { startOther } from "./peer.ts";
import { memory, tree } from "./processes.ts";
import { pause } from "../tests/support/within.ts";

const rounds = Number(Deno.args[0] ?? 3);
const SIZE = { width: 1280, height: 720 };
const [START_MS, WINDOW_MS] = [8000, 8000];
const TICKS = 100; // a second
const PAGE = new URL("../tests/fixtures/still.html", import.meta.url).href;
const COOKIE = new Uint8Array(16).fill(7);

/** A way to start Chromium: what is left out of our flags, and what is added. */
interface Kind {
  name: string;
  without?: string;
  withoutFeature?: string;
  more?: string[];
}

const CANDIDATES: string[][] = [
  ["--disable-extensions"],
  ["--disable-component-extensions-with-background-pages"],
  ["--disable-breakpad"],
  ["--disable-default-apps"],
  ["--disable-domain-reliability"],
  ["--renderer-process-limit=1"],
  ["--in-process-gpu"],
  ["--no-pings"],
];

const KINDS: Kind[] = [
  { name: "ours" },
  ...SAVING_FLAGS.map((flag) => ({ name: `without ${flag}`, without: flag })),
  ...UNUSED_FEATURES.map((feature) => ({ name: `with the feature ${feature}`, withoutFeature: feature })),
  ...CANDIDATES.map((more) => ({ name: `and ${more}`, more })),
];

interface Use {
  startSeconds: number;
  pssMiB: number;
  wakesASecond: number;
}

function argvOf({ without, withoutFeature, more = [] }: Kind, profile: string): string[] {
  const stream = { resolution: "1280x720", zoom: 100, gpu: false };
  const reach = {
    walls: null,
    local: [],
    ownNames: [],
    ownAddresses: [],
    isLan: true,
    way: null,
    proxies: [],
  };
  const argv = browserCommand({ stream } as unknown as StreamSpec, profile, false, reach);
  const end = argv.indexOf("--");
  const flags = argv.slice(0, end)
    // nobody is at the pipe's other end; and the page is a file of this machine
    .filter((flag) => !/^--(remote-debugging-pipe|host-resolver-rules)/.test(flag) && flag !== without)
    .map((flag) =>
      flag.startsWith("--disable-features=")
        ? `--disable-features=${
          flag.slice("--disable-features=".length).split(",").filter((one) => one !== withoutFeature)
        }`
        : flag
    );
  return [...flags, ...more, "--", PAGE];
}

/** CPU seconds of all that a process has started, also of what has ended. */
function cpuSeconds(pid: number): number {
  const ticks = tree(pid).map((one) => {
    try {
      const fields = Deno.readTextFileSync(`/proc/${one}/stat`).replace(/^.*\) /s, "").split(" ");
      return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    } catch {
      return 0;
    }
  });
  return ticks.reduce((sum, one) => sum + one, 0) / TICKS;
}

/** Voluntary context switches of all threads so far. */
function wakes(pid: number): number {
  let sum = 0;
  for (const one of tree(pid)) {
    try {
      for (const { name } of Deno.readDirSync(`/proc/${one}/task`)) {
        const status = Deno.readTextFileSync(`/proc/${one}/task/${name}/status`);
        sum += Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0);
      }
    } catch {
      // it has ended meanwhile
    }
  }
  return sum;
}

async function measure(kind: Kind): Promise<Use> {
  await using display = await startDisplay(SIZE, COOKIE);
  const profile = join(display.folder, "profile");
  const env = { DISPLAY: `:${display.display}`, XAUTHORITY: display.key, HOME: display.folder };
  await using browser = startOther(argvOf(kind, profile), env, "SIGTERM");
  await pause(START_MS);
  const startSeconds = cpuSeconds(browser.pid);
  const before = wakes(browser.pid);
  await pause(WINDOW_MS);
  const wakesASecond = (wakes(browser.pid) - before) / (WINDOW_MS / 1000);
  return { startSeconds, pssMiB: memory(browser.pid, "Pss"), wakesASecond };
}

const uses = new Map<string, Use[]>(KINDS.map(({ name }) => [name, []]));
for (let round = 0; round < rounds; round++) {
  for (const kind of KINDS) uses.get(kind.name)!.push(await measure(kind));
  console.log(`round ${round + 1} of ${rounds}, load ${Deno.loadavg()[0].toFixed(1)}`);
}
console.log("\n| Flags | CPU s of the start | PSS, MiB | Wakes a second |\n| --- | ---: | ---: | ---: |");
for (const [name, all] of uses) {
  const shown = (of: (use: Use) => number, digits: number) => {
    const values = all.map(of);
    const range = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(digits));
    return `${median(values).toFixed(digits)} (${range.join(" to ")})`;
  };
  const cells = [
    shown(({ startSeconds }) => startSeconds, 2),
    shown(({ pssMiB }) => pssMiB, 0),
    shown(({ wakesASecond }) => wakesASecond, 1),
  ];
  console.log(`| ${name} | ${cells.join(" | ")} |`);
}
Deno.exit();
