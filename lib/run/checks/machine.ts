/** Checks of the machine: room, memory and time; for `doctor`, and for each start. */
import { dirname, join } from "node:path";
import type { Config } from "../../config.ts";
import { spaceProblem } from "../../fleet/disk_watch.ts";
import type { Paths } from "../../paths.ts";
import { coresText } from "../../model/answers/system.ts";
import { type Space, spaceAt } from "../../machine/os/disk.ts";
import { isRoot } from "../../machine/os/exec.ts";
import { type MachineLoad, machineLoad } from "../../machine/os/machine_load.ts";
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

/** Checks the room of DATA_DIR and RUN_DIR, or of their future places. */
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

/** The folder, or the nearest existing folder above it. */
async function existing(path: string): Promise<string> {
  for (let at = path;; at = dirname(at)) {
    if (at === "/" || await Deno.stat(at).catch(() => null)) return at;
  }
}

/** Megabytes for the service alone, and for a stream of a light page as well (docs/docker.md). */
const LEAST_MEMORY_MB = 300, GOOD_MEMORY_MB = 800;

export async function checkMemory(): Promise<Finding> {
  const { memory: { availableBytes, totalBytes }, machineBytes } = await machineLoad();
  return memoryFinding(availableBytes, totalBytes < machineBytes);
}

/** Pure. @param isLimited whether a container has less than the machine. */
export function memoryFinding(availableBytes: number, isLimited = false): Finding {
  const megabytes = Math.round(availableBytes / 1e6);
  const says = `${megabytes} MB can be used${isLimited ? " (memory.max)" : ""}`;
  if (megabytes >= GOOD_MEMORY_MB) return ok(says);
  const find = megabytes < LEAST_MEMORY_MB ? problem : warning;
  return find(
    `${says}: the service needs 300 MB, and each stream of a light page 400 to 500 MB more`,
    "End other programs, give the machine or the container more memory, or stop streams.",
  );
}

/** Processes and threads of the service, and of a stream. */
const SERVICE_TASKS = 150, STREAM_TASKS = 250;

export async function checkLimits(): Promise<Finding> {
  return limitsFinding(await machineLoad());
}

/** Checks the limits of a container or of a service's unit. Pure. */
export function limitsFinding(
  { cores, processors, machineCores, tasks }: Pick<
    MachineLoad,
    "cores" | "processors" | "machineCores" | "tasks"
  >,
): Finding {
  const free = tasks === null ? Infinity : tasks.most - tasks.used;
  const limits = [
    ...(cores < processors ? ["cpu.max"] : []),
    ...(processors < machineCores ? ["cpuset.cpus"] : []),
  ];
  const says = [
    limits.length > 0
      ? `${coresText(cores)} of ${machineCores} may be used (${limits.join(", ")})`
      : `${coresText(cores)}, not limited`,
    ...(tasks === null ? [] : [`${free} more processes and threads may be started (pids.max)`]),
  ].join("; ");
  if (free < SERVICE_TASKS + STREAM_TASKS) {
    return warning(
      `${says}: the service has ${SERVICE_TASKS}, and each stream up to ${STREAM_TASKS}`,
      "Raise the limit: docker run --pids-limit=-1, TasksMax= in a unit.",
    );
  }
  return cores < 1
    ? warning(
      `${says}: a stream's start takes a whole core`,
      "Raise the limit: docker run --cpus, CPUQuota= in a unit.",
    )
    : ok(says);
}

/** Facts that decide whether systemd-logind removes a user's files after the last session. Source: logind.conf(5) */
export interface SessionFacts {
  uid: number;
  runDir: string;
  /** Whether logind knows the user now. */
  hasSession: boolean;
  /** Whether the user's processes stay without a session: loginctl enable-linger. */
  lingers: boolean;
  /** The texts of logind.conf and of its drop-in files, in their order. */
  settings: readonly string[];
}

/** The first uid of people; RemoveIPC concerns people only. Source: SYS_UID_MAX of Debian's login.defs */
const FIRST_PERSON = 1000;

export async function checkSession({ runDir }: Pick<Paths, "runDir">): Promise<Finding> {
  const uid = Deno.uid()!;
  const isThere = (path: string) => Deno.lstat(path).then(() => true, () => false);
  const record = await Deno.readTextFile(`/run/systemd/users/${uid}`).catch(() => null);
  const name = /^NAME=(.+)$/m.exec(record ?? "")?.[1];
  return sessionFinding({
    uid: isRoot() ? 0 : uid,
    runDir,
    hasSession: record !== null,
    lingers: name !== undefined && await isThere(`/var/lib/systemd/linger/${name}`),
    settings: await logindSettings(),
  });
}

async function logindSettings(): Promise<string[]> {
  const added = new Map<string, string>();
  for (const folder of ["/usr/lib", "/run", "/etc"].map((top) => `${top}/systemd/logind.conf.d`)) {
    const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name).catch(() => []);
    for (const name of names) if (name.endsWith(".conf")) added.set(name, join(folder, name));
  }
  const files = ["/etc/systemd/logind.conf", ...[...added].sort().map(([, path]) => path)];
  return await Promise.all(files.map((path) => Deno.readTextFile(path).catch(() => "")));
}

/** Pure. */
export function sessionFinding({ uid, runDir, hasSession, lingers, settings }: SessionFacts): Finding {
  const isRemoved =
    settings.flatMap((text) => [...text.matchAll(/^RemoveIPC=(\S*)/gm)].map(([, value]) => value))
      .at(-1)?.match(/^(no|false|off|0)$/i) == null;
  const isInMemory = runDir === "/dev/shm" || runDir.startsWith("/dev/shm/");
  if (uid < FIRST_PERSON || !isInMemory || !hasSession || lingers || !isRemoved) {
    return ok("the service's files in /dev/shm stay when its user logs out");
  }
  return warning(
    `${runDir} is removed when this user logs out (RemoveIPC of systemd-logind), and all channels are interrupted`,
    "Run loginctl enable-linger, or start the service as root or by systemd (browser-stream install), or set RUN_DIR.",
  );
}

export async function checkTime({ TZ }: Config): Promise<Finding> {
  // a clock that is behind the last installation is behind all later certificates
  const { mtime } = await Deno.stat("/var/lib/dpkg/status");
  return timeFinding(Date.now(), mtime?.getTime() ?? 0, TZ);
}

/** Pure. */
export function timeFinding(now: number, installedAt: number, zone: string): Finding {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone || undefined });
  } catch {
    return problem(`TZ=${zone} is not a time zone`, "Example: TZ=Europe/Berlin");
  }
  const says = `the clock says ${new Date(now).toISOString()}`;
  if (now >= installedAt) return ok(`${says}${zone ? `, pages have ${zone}` : ""}`);
  return problem(
    `${says}, but packages were installed after that: certificates of https pages are not valid yet`,
    "Set the clock: sudo date --set='2030-01-31 12:00', and keep it right: sudo apt-get install systemd-timesyncd",
  );
}

/** The warnings of a start: each problem of the machine, and its remedy. A check that throws is left to `doctor`. */
export async function machineWarnings(config: Config, paths: Paths): Promise<string[]> {
  const checks = [
    checkShm(),
    checkMemory(),
    checkDisks(config, paths),
    checkTime(config),
    checkSession(paths),
  ];
  const results = await Promise.allSettled(checks);
  const findings = results.flatMap((result) => result.status === "fulfilled" ? [result.value] : []);
  return findings.flatMap(warningText);
}

/** Pure. */
export function warningText({ state, says, remedy }: Finding): string[] {
  return state === "ok" || state === "skipped" ? [] : [[`WARNING: ${says}`, remedy ?? []].flat().join("\n")];
}
