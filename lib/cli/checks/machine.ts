/** What the machine gives: room, memory and time; for `doctor`, and for each start. */
import { dirname } from "node:path";
import type { Config } from "../../config.ts";
import { spaceProblem } from "../../control/disk_watch.ts";
import type { Paths } from "../../paths.ts";
import { type Space, spaceAt } from "../../system/disk.ts";
import { machineLoad } from "../../system/machine_load.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** Megabytes with which Chromium's tabs crash (Docker gives 64), and with which it is slow. */
const LEAST_SHM_MB = 128, GOOD_SHM_MB = 500;

const MORE_SHM =
  "Docker: shm_size: 1gb. Else: mount -o remount,size=1G /dev/shm, and the same in /etc/fstab.";

/** Pure. */
export function shmFinding({ totalBytes, freeBytes }: Space): Finding {
  const [total, free] = [totalBytes, freeBytes].map((bytes) => Math.round(bytes / 1e6));
  const says = `/dev/shm has ${total} MB, ${free} MB of them free`;
  if (Math.min(total, free) < LEAST_SHM_MB) return problem(`${says}: pages crash`, MORE_SHM);
  return total < GOOD_SHM_MB ? warning(`${says}: browsers need more CPU, or crash`, MORE_SHM) : ok(says);
}

export async function checkShm(): Promise<Finding> {
  return shmFinding(await spaceAt("/dev/shm"));
}

/** The room of DATA_DIR and RUN_DIR, or of where they will be. */
export async function checkDisks({ TIMINGS }: Config, { streamsDir, runDir }: Paths): Promise<Finding> {
  const places = [["DATA_DIR", dirname(streamsDir)], ["RUN_DIR", runDir]] as const;
  const found = await Promise.all(places.map(async ([name, path]) => {
    const space = await spaceAt(await existing(path));
    return { name, freeBytes: space.freeBytes, problem: spaceProblem(name, space, TIMINGS) };
  }));
  const problems = found.flatMap(({ problem }) => problem ?? []);
  if (problems.length > 0) return problem(problems.join(" "));
  return ok(
    found.map(({ name, freeBytes }) => `${name}: ${(freeBytes / 1e9).toFixed(1)} GB free`).join(", "),
  );
}

/** The folder, or the first above it that is there. */
async function existing(path: string): Promise<string> {
  for (let at = path;; at = dirname(at)) {
    if (at === "/" || await Deno.stat(at).catch(() => null)) return at;
  }
}

/** For the service alone, and for a stream of a light page as well (docs/docker.md). */
const LEAST_MEMORY_MB = 300, GOOD_MEMORY_MB = 800;

export async function checkMemory(): Promise<Finding> {
  return memoryFinding((await machineLoad()).memory.availableBytes);
}

/** Pure. */
export function memoryFinding(availableBytes: number): Finding {
  const megabytes = Math.round(availableBytes / 1e6);
  const says = `${megabytes} MB can be used`;
  if (megabytes >= GOOD_MEMORY_MB) return ok(says);
  const find = megabytes < LEAST_MEMORY_MB ? problem : warning;
  return find(
    `${says}: the service needs 300 MB, and each stream of a light page 400 to 500 MB more`,
    "End other programs, give the machine or the container more memory, or stop streams.",
  );
}

export async function checkTime({ TZ }: Config): Promise<Finding> {
  // a clock that is behind what was last installed is behind all certificates that were made since
  const { mtime } = await Deno.stat("/var/lib/dpkg/status");
  return timeFinding(Date.now(), mtime?.getTime() ?? 0, TZ);
}

/** Pure. */
export function timeFinding(now: number, installedAt: number, zone: string): Finding {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone || undefined });
  } catch {
    return problem(`TZ=${zone} is no time zone`, "Example: TZ=Europe/Berlin");
  }
  const says = `the clock says ${new Date(now).toISOString()}`;
  if (now >= installedAt) return ok(`${says}${zone ? `, pages have ${zone}` : ""}`);
  return problem(
    `${says}, but packages were installed after that: certificates of https pages do not count yet`,
    "Set the clock: sudo date --set='2030-01-31 12:00', and let it be kept: sudo apt-get install systemd-timesyncd",
  );
}

/** What a start has to say of the machine: all that is not well, and what helps. A check that fails is left to `doctor`. */
export async function machineWarnings(config: Config, paths: Paths): Promise<string[]> {
  const checks = [checkShm(), checkMemory(), checkDisks(config, paths), checkTime(config)];
  const results = await Promise.allSettled(checks);
  const findings = results.flatMap((result) => result.status === "fulfilled" ? [result.value] : []);
  return findings.flatMap(warningText);
}

/** Pure. */
export function warningText({ state, says, remedy }: Finding): string[] {
  return state === "ok" || state === "skipped" ? [] : [[`WARNING: ${says}`, remedy ?? []].flat().join("\n")];
}
