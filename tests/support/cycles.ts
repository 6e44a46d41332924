/** Streams that come and go, and what they leave. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { processesOfRun } from "../../lib/machine/os/orphans.ts";
import { until } from "./same.ts";
import { startService, type TestService } from "./service.ts";
import { displayOfFile } from "./slot.ts";

/** The media server's own cleaner takes up to half a minute for what came after a stop. */
export const CLEANED_MS = 40_000;

/** Creates and deletes streams, and fails if processes, descriptors, files or X locks are more than before. */
export async function checkCycles(cycles: number): Promise<void> {
  const service = await startService();
  try {
    // one that lives long enough for logs and settings that stay to be made
    await service.create({ name: "First" });
    await service.untilState("first", "running");
    await service.api("DELETE", "/api/streams/first");
    await until("the first to be gone", () => !isAnyProgramLeft(service));
    const before = count(service);
    for (let number = 1; number <= cycles; number++) {
      const { id } = await service.create({ name: `Cycle ${number}`, fps: 5 });
      assert.equal((await service.api("DELETE", `/api/streams/${id}`)).status, 204);
    }
    await untilBack(service, before);
  } finally {
    await service.stop();
  }
}

/** Waits until there is no more than there was. @throws {AssertionError} saying what is. */
export async function untilBack(
  service: TestService,
  before: Counts,
  isCounted: (file: string) => boolean = () => true,
): Promise<void> {
  const isBack = (now: Counts) =>
    now.processes <= before.processes && now.descriptors <= before.descriptors + 4 &&
    now.files.length <= before.files.length + 1 && now.locks <= before.locks;
  const now = () => count(service, isCounted);
  await until("the counts to return", () => isBack(now())).catch(() => {
    assert.deepEqual(now(), before);
  });
}

export function isAnyProgramLeft(service: TestService): boolean {
  return service.processes(/Xvnc|chromium|ffmpeg|openbox/).length > 0;
}

export type Counts = ReturnType<typeof count>;

/** What a service has, of which streams that are gone must leave nothing. */
export function count(service: TestService, isCounted: (file: string) => boolean = () => true) {
  const pids = processesOfRun(service.runDir);
  return {
    processes: pids.length,
    descriptors: pids.reduce((sum, pid) => sum + descriptorsOf(pid), 0),
    // Chromium may leave a crash dump when its display ends before it does; dumps go with the run directory
    files: [...filesIn(service.dataDir), ...filesIn(service.runDir)]
      .filter((file) => !file.includes("/Crash Reports/") && isCounted(file)),
    locks: ["/tmp", "/tmp/.X11-unix"].flatMap((folder) => [...Deno.readDirSync(folder)])
      .filter(({ name }) => isOwn(service, name)).length,
  };
}

/** Whether it is a lock, a socket or a keyboard map of one of the service's displays. */
function isOwn({ env }: TestService, name: string): boolean {
  const display = displayOfFile(name) - Number(env.DISPLAY_BASE);
  return display > 0 && display <= 20;
}

function descriptorsOf(pid: number): number {
  try {
    return [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
  } catch {
    return 0; // a process that has just ended
  }
}

/** fontconfig and the like keep caches in the pipeline's home, shared by all streams; they fill up at their own pace. */
function filesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].filter(({ name }) => name !== ".cache").flatMap((
    { name, isDirectory },
  ) => isDirectory ? filesIn(join(folder, name)) : [join(folder, name)]);
}
