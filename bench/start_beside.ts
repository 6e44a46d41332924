/**
 * What streams that start cost those that run: how regular the segments of eight running streams are while six more start at
 * once, with browsers that give way (lib/cli/programs/browser.ts), and beside it with browsers that do not.
 *
 *     deno task build && deno run -A bench/start_beside.ts [ROUNDS]
 */
import { join } from "node:path";
import { changedProgram } from "../tests/support/changed_bundle.ts";
import { startService } from "../tests/support/service.ts";
import { median, percentile } from "./figures.ts";
import { pause } from "../tests/support/within.ts";

const rounds = Number(Deno.args[0] ?? 2);
const [RUNNING, STARTING] = [8, 6];
const [REST_MS, WATCH_MS] = [20_000, 30_000];
const LOOK_MS = 20;
/** A segment of one second is late when the one before it is this old: whoever is a target duration behind has nothing left. */
const LATE_MS = 2000;
const GIVES_WAY = "giveWay(NICENESS)";

const names = (count: number, start: string) =>
  Array.from({ length: count }, (_, at) => `${start}-${at + 1}`);

/** Milliseconds between the segments of running streams while others start. */
async function measure(program?: string[]): Promise<number[]> {
  const service = await startService({ program });
  try {
    const create = (name: string) => service.create({ name, url: `${service.pageUrl}static.html`, fps: 25 });
    const running = names(RUNNING, "runs");
    for (const name of running) {
      await create(name);
      await service.untilState(name, "running");
    }
    await pause(REST_MS);
    const gaps: number[] = [];
    const last = new Map<string, number>();
    const starting = Promise.all(names(STARTING, "starts").map(create));
    for (const end = Date.now() + WATCH_MS; Date.now() < end; await pause(LOOK_MS)) {
      for (const id of running) {
        const written = Deno.statSync(join(service.runDir, "hls/live", id, "index.m3u8")).mtime!.getTime();
        const before = last.get(id);
        if (before !== undefined && written !== before) gaps.push(written - before);
        last.set(id, written);
      }
    }
    await starting;
    return gaps;
  } finally {
    await service.stop();
  }
}

const folder = Deno.makeTempDirSync({ prefix: "bs-bench-" });
Deno.chmodSync(folder, 0o755);
try {
  // browsers that have the same rights to the processors as all else
  const other = await changedProgram(folder, GIVES_WAY, "void 0");
  const all = { "that give way": [] as number[], "that do not": [] as number[] };
  for (let round = 0; round < rounds; round++) {
    all["that give way"].push(...await measure());
    all["that do not"].push(...await measure(other));
  }
  console.log(
    `${RUNNING} streams while ${STARTING} start, ${rounds} rounds, load ${Deno.loadavg()[0].toFixed(1)}`,
  );
  for (const [name, gaps] of Object.entries(all)) {
    const late = gaps.filter((ms) => ms > LATE_MS).length;
    console.log(
      `browsers ${name}: ${gaps.length} segments, ${late} late; after ${median(gaps)} ms, ` +
        `99 % ${percentile(gaps, 0.99)}, worst ${Math.max(...gaps)}`,
    );
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}
Deno.exit();
