/** What the machine gives: packages, room, memory, fonts and time. */
import { dirname } from "node:path";
import { type Config, uidRangeOf } from "../../config.ts";
import { spaceProblem } from "../../control/disk_watch.ts";
import { instanceName, type Paths, pathsOf } from "../../paths.ts";
import { readAuthorities } from "../../pipeline/authorities.ts";
import { policyFile, policyText } from "../../pipeline/policy.ts";
import { type Space, spaceAt } from "../../system/disk.ts";
import { isRoot } from "../../system/exec.ts";
import { readOrNull } from "../../system/files.ts";
import { MemoryGroups } from "../../system/memory_group.ts";
import { installCommand, missingPackages, SERVICE_PACKAGES } from "../../system/packages.ts";
import { run } from "../../system/process.ts";
import type { SelfCommand } from "../self.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";
import { policiesByHand, policiesProblem } from "./policies.ts";
import { canMakeNamespaces, SANDBOX_OFF } from "./sandbox.ts";

/** What people ask for the versions of. */
const SHOWN = ["chromium", "tigervnc-standalone-server", "ffmpeg", "nginx-light", "supervisor"];

export async function checkPackages(): Promise<Finding> {
  const missing = await missingPackages();
  if (missing.length > 0) return problem(`missing: ${missing.join(" ")}`, installCommand(missing));
  const query = ["/usr/bin/dpkg-query", "--show", "--showformat=${Package} ${Version}\\n", ...SHOWN];
  const { stdout } = await run(query, { timeoutMs: 10_000 });
  const versions = stdout.trim().split("\n").join(", ");
  return ok(`all ${SERVICE_PACKAGES.length} are there${versions ? `: ${versions}` : ""}`);
}

export function checkUser(config: Config): Finding {
  const { first, last } = uidRangeOf(config);
  if (isRoot()) return ok(`root, which gives each stream a user of ${first}-${last}`);
  return warning(
    "a normal user: all streams are that user, and a page that breaks out of its browser reaches all of them",
    "Start the service, and this command, as root.",
  );
}

export async function checkNamespaces(config: Config): Promise<Finding> {
  if (await canMakeNamespaces(config)) return ok("the kernel allows Chromium's sandbox its user namespaces");
  if (config.CHROMIUM_SANDBOX === "setuid") {
    return ok("forbidden, and not needed with CHROMIUM_SANDBOX=setuid");
  }
  return warning(SANDBOX_OFF.says, SANDBOX_OFF.remedy);
}

export async function checkPolicies(
  config: Config,
  program: SelfCommand,
  isRunning: boolean,
): Promise<Finding> {
  const file = policyFile(config.CHROMIUM_POLICY_DIR, instanceName(config));
  const { certificates, problems } = await readAuthorities(pathsOf(config).caDir);
  if (problems.length > 0) {
    return warning(
      `a certificate in CA_DIR is left out: ${problems.join("; ")}`,
      "Replace it, or remove it.",
    );
  }
  const text = policyText(certificates);
  if (await policiesByHand(file, text) || await readOrNull(file).catch(() => null) === text) {
    return ok("installed");
  }
  if (isRoot() && !isRunning) return ok("the start will install them");
  const { says, remedy } = policiesProblem(
    file,
    isRunning ? "the service runs without" : "not as a normal user",
    program,
  );
  return warning(says, remedy);
}

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

/** For the service and a stream of a light page (docs/docker.md). */
const LEAST_MEMORY_MB = 800;

export async function checkMemory(): Promise<Finding> {
  const free = /^MemAvailable:\s+(\d+) kB/m.exec(await Deno.readTextFile("/proc/meminfo"))?.[1];
  const limits = await Promise.all(
    ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"].map((file) =>
      readOrNull(file).catch(() => null)
    ),
  );
  // "max", or a number near 2^63, where there is no limit
  const limit = Math.min(...limits.map((text) => Number(text?.trim() || NaN)).filter((bytes) => bytes > 0));
  return memoryFinding(Number(free) * 1024, limit);
}

/** @param limitBytes of the container; Infinity without one. Pure. */
export function memoryFinding(freeBytes: number, limitBytes: number): Finding {
  const megabytes = Math.round(Math.min(freeBytes, limitBytes) / 1e6);
  const says = `${megabytes} MB can be used`;
  if (megabytes >= LEAST_MEMORY_MB) return ok(says);
  return problem(
    `${says}: the service needs 300 MB, and each stream of a light page 400 to 500 MB`,
    "End other programs, give the machine or the container more memory, or stop streams.",
  );
}

export async function checkMemoryGroups(config: Config, isRunning: boolean): Promise<Finding> {
  const name = instanceName(config);
  // a group of its own is tried; where the service runs, its groups are looked for
  const groups = isRunning ? await MemoryGroups.find(name) : await MemoryGroups.make(`${name}-doctor`);
  if (!isRunning) await groups?.removeAll();
  if (groups) return ok("memoryLimitMb of a stream is held by the kernel");
  return warning(
    "cgroups cannot be written: memoryLimitMb has no effect, and one page can take all memory",
    "Start as root, outside of a container, or give the container as a whole a limit.",
  );
}

/** By languages whose pages are empty boxes without a font of theirs. */
const FONTS = {
  "Latin letters": ":lang=en",
  "Chinese, Japanese, Korean": ":lang=ja",
  emoji: ":lang=und-zsye",
};

export async function checkFonts(): Promise<Finding> {
  const lacking: string[] = [];
  for (const [name, pattern] of Object.entries(FONTS)) {
    const { stdout } = await run(["fc-list", pattern, "family"], { timeoutMs: 20_000 });
    if (stdout.trim() === "") lacking.push(name);
  }
  if (lacking.length === 0) return ok(`there are fonts for ${Object.keys(FONTS).join("; ")}`);
  return warning(
    `no font for ${lacking.join("; ")}: such text is empty boxes`,
    installCommand(SERVICE_PACKAGES.map(([name]) => name).filter((name) => name.startsWith("fonts-"))),
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
