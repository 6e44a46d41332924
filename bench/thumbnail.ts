/**
 * A thumbnail's cost: CPU (user and system, from the kernel's account of ended children) and time of one capture at two
 * display sizes, and what that is of a core on the schedule.
 *
 *     deno task build && deno run -A bench/thumbnail.ts
 */
import { grabScreen } from "../lib/pipeline/thumbnail_capture.ts";
import { readSpec } from "../lib/pipeline/spec.ts";
import { parseConfig } from "../lib/config.ts";
import { pathsOf, slotPaths } from "../lib/paths.ts";
import { DEFAULT_TIMINGS } from "../lib/timings.ts";
import { runBytes } from "../lib/os/process.ts";
import { numberedUser, ownerOf } from "../lib/os/users.ts";
import { startService, type TestService } from "../tests/support/service.ts";
import { median } from "./figures.ts";
import { within } from "../tests/support/within.ts";

const ROUNDS = 9;
/** The kernel's account has steps of 10 ms, so several captures are counted together. */
const CAPTURES = 10;
const CLOCK_TICKS = 100; // per second, sysconf(_SC_CLK_TCK) on Linux

/** CPU seconds of this process and of its children that have ended. Source: proc_pid_stat(5), fields 14 to 17. */
function cpuSeconds(): number {
  const text = Deno.readTextFileSync("/proc/self/stat");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ").slice(11, 15);
  return fields.reduce((sum, ticks) => sum + Number(ticks), 0) / CLOCK_TICKS;
}

async function measure(service: TestService, page: string, resolution: string): Promise<void> {
  const { id } = await service.create({ name: "Thumb", url: `${service.pageUrl}${page}.html`, resolution });
  await within("the stream to run", 20_000, async () => (await service.status(id)).state === "running");
  await new Promise((done) => setTimeout(done, 4000));
  const paths = pathsOf(parseConfig(service.env));
  const { display } = (await readSpec(paths.specsDir, id))!;
  const slot = slotPaths(paths, display);
  const grabber = { run: runBytes, user: numberedUser((await ownerOf(slot.folder))!), ...paths, ...slot };
  const { signal } = new AbortController();
  const cpu: number[] = [], time: number[] = [];
  let size = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const [cpuFrom, from] = [cpuSeconds(), performance.now()];
    for (let at = 0; at < CAPTURES; at++) {
      size = (await grabScreen(grabber, { display, resolution }, signal)).length;
    }
    cpu.push((cpuSeconds() - cpuFrom) / CAPTURES * 1000);
    time.push((performance.now() - from) / CAPTURES);
  }
  console.log(
    `${page} ${resolution}`.padEnd(18) +
      ` CPU ${median(cpu).toFixed(0).padStart(4)} ms (${Math.min(...cpu).toFixed(0)} to ${
        Math.max(...cpu).toFixed(0)
      }), ` +
      `time ${median(time).toFixed(0)} ms, ${(size / 1024).toFixed(1)} KiB; every ${
        DEFAULT_TIMINGS.thumbnailIntervalMs / 1000
      } s that is ` +
      `${(median(cpu) / DEFAULT_TIMINGS.thumbnailIntervalMs * 100).toFixed(2)} % of a core`,
  );
  await (await service.api("DELETE", `/api/streams/${id}`)).body?.cancel();
}

const service = await startService();
try {
  for (const resolution of ["1280x720", "1920x1080"]) {
    for (const page of ["static", "moving"]) await measure(service, page, resolution);
  }
} finally {
  await service.stop();
}
