/** `doctor`: looks for all causes of a black picture, and says what to do. Changes nothing. */
import type { Config } from "../config.ts";
import { type Paths, pathsOf } from "../paths.ts";
import { errorText, printable, steady } from "../machine/tools/log.ts";
import { withTimeout } from "../machine/tools/time.ts";
import { versionText } from "../machine/tools/version.ts";
import { checkCluster } from "./checks/cluster.ts";
import { checkFilter } from "./checks/filter.ts";
import { type Finding, problem } from "./checks/finding.ts";
import { checkDisks, checkLimits, checkMemory, checkSession, checkShm, checkTime } from "./checks/machine.ts";
import { checkBrowser, checkDisplay, checkEncoder, checkMediaServer } from "./checks/picture.ts";
import { checkProxies } from "./checks/proxy.ts";
import { checkHealth, checkPorts, checkStreams, runningPid } from "./checks/running.ts";
import {
  checkExtensions,
  checkFonts,
  checkMemoryGroups,
  checkNamespaces,
  checkPackages,
  checkPolicies,
  checkUser,
} from "./checks/software.ts";
import { Trial } from "./checks/trial.ts";
import type { Words } from "./command/words.ts";
import { cleanWhenInterrupted, INTERRUPTED } from "./interrupt.ts";
import type { SelfCommand } from "./self.ts";

/** The subject of the checks. */
interface Patient {
  config: Config;
  paths: Paths;
  program: SelfCommand;
  /** The pid of the service with this DATA_DIR; null: it does not run. */
  pid: number | null;
  trial: Trial;
}

/** Milliseconds: longer than any check waits for a program. */
const LIMIT_MS = 60_000;

interface Check {
  /** The subject of the check, for docs/install.md. */
  about: string;
  run: (patient: Patient) => Finding | Promise<Finding>;
}

/** The checks by name, in their order. */
export const CHECKS: Readonly<Record<string, Check>> = {
  packages: { about: "Debian's packages, with the versions of the most important", run: checkPackages },
  user: {
    about: "Whether it can give each stream a user of its own, and `WEB_USER` is there",
    run: ({ config }) => checkUser(config),
  },
  "user namespaces": {
    about: "Whether the kernel allows Chromium's sandbox",
    run: ({ config }) => checkNamespaces(config),
  },
  "shared memory": { about: "The size of `/dev/shm`: with too little, pages crash", run: checkShm },
  memory: { about: "Free memory of the machine, and of the container's limit", run: checkMemory },
  "machine's share": {
    about: "The limits of a container or a unit: processors and their time, processes and threads",
    run: checkLimits,
  },
  "memory limits": {
    about: "Whether a stream's `memoryLimitMb` can be held",
    run: ({ config, pid }) => checkMemoryGroups(config, pid !== null),
  },
  "packet filter": { about: "Whether the kernel takes the rules for what streams reach", run: checkFilter },
  proxies: {
    about:
      "Whether the proxies of `HTTP_PROXY` and `HTTPS_PROXY` answer, and entries of `NO_PROXY` that are ignored",
    run: ({ config }) => checkProxies(config),
  },
  cluster: {
    about: "Whether the servers of `CLUSTER` answer, clocks agree, and nodes have one version",
    run: ({ config, pid }) => checkCluster(config, pid !== null),
  },
  disks: {
    about: "Room for `DATA_DIR` and `RUN_DIR`",
    run: ({ config, paths }) => checkDisks(config, paths),
  },
  session: {
    about: "Whether systemd removes what a normal user has in `/dev/shm` at the end of the session",
    run: ({ paths }) => checkSession(paths),
  },
  time: {
    about: "A clock that is behind, with which no https page opens; the time zone",
    run: ({ config }) => checkTime(config),
  },
  fonts: {
    about: "Letters of a desktop's scripts, signs, emoji, and fonts as wide as the fonts that pages name",
    run: checkFonts,
  },
  policies: {
    about: "Whether Chromium reads the service's policies, and certificates of `CA_DIR` that are left out",
    run: ({ config, program, pid }) => checkPolicies(config, program, pid !== null),
  },
  extensions: {
    about: "Own extensions that are left out, changed since the start, or blocked by policies",
    run: ({ config, pid }) => checkExtensions(config, pid !== null),
  },
  display: { about: "Starts Xvnc on a free display", run: ({ trial }) => checkDisplay(trial) },
  browser: {
    about:
      "Starts Chromium there as a user of its own, with its sandbox, and waits until ffmpeg sees its page",
    run: ({ trial, config }) => checkBrowser(trial, config),
  },
  encoder: {
    about: "ffmpeg's devices, protocols and encoders; encodes a second of H.264 and AAC",
    run: ({ trial }) => checkEncoder(trial),
  },
  "media server": {
    about: "Whether nginx takes its modules for RTMP and streams",
    run: ({ trial }) => checkMediaServer(trial),
  },
  ports: {
    about: "Free, or used by the service",
    run: ({ config, pid }) => checkPorts(config, pid !== null),
  },
  service: {
    about: "`/healthz` of the service with this `DATA_DIR`",
    run: ({ config, pid }) => checkHealth(config, pid),
  },
  streams: {
    about: "What is wrong with each stream that is not well",
    run: ({ config, pid }) => checkStreams(config, pid),
  },
};

/** Runs all checks and prints their findings; returns the exit code: 1 with a problem. */
export async function doctor(given: Config, words: Words, program: SelfCommand): Promise<number> {
  const isJson = words.options.json === true;
  const found: { name: string; finding: Finding }[] = [];
  if (!isJson) console.log(`${versionText()}, DATA_DIR=${given.DATA_DIR}\n`);
  const paths = pathsOf(given);
  {
    await using trial = await Trial.open(given);
    using _interrupt = cleanWhenInterrupted(() => trial[Symbol.asyncDispose]());
    const patient: Patient = { config: given, paths, program, pid: await runningPid(paths), trial };
    for (const [name, { run }] of Object.entries(CHECKS)) {
      const finding = await findingOf(() => run(patient));
      if (trial.isOver) return INTERRUPTED;
      found.push({ name, finding });
      if (!isJson) console.log(lineOf(name, finding));
    }
  }
  const problems = found.filter(({ finding }) => finding.state === "problem").length;
  if (isJson) {
    const checks = found.map(({ name, finding }) => ({ name, ...finding }));
    console.log(steady(JSON.stringify({ ok: problems === 0, version: versionText(), checks }, null, 2)));
  } else {
    const warnings = found.filter(({ finding }) => finding.state === "warning").length;
    console.log(
      `\n${problems} ${problems === 1 ? "problem" : "problems"}, ${warnings} ${
        warnings === 1 ? "warning" : "warnings"
      }.`,
    );
  }
  return problems === 0 ? 0 : 1;
}

/** The finding of a check; a check that throws or takes too long is a finding as well. */
export async function findingOf(
  check: () => Finding | Promise<Finding>,
  limitMs = LIMIT_MS,
): Promise<Finding> {
  try {
    return await withTimeout(limitMs, Promise.resolve(check()), `no result after ${limitMs / 1000} s`);
  } catch (error) {
    return problem(errorText(error), "The machine may be overloaded, or a Debian package may be damaged.");
  }
}

/** A check as lines for people: the finding, and the remedy below it. */
export function lineOf(name: string, { state, says, remedy }: Finding): string {
  const indent = "\n" + " ".repeat(26);
  const text = says.replaceAll("\n", " ");
  const what = remedy && state !== "ok" ? indent + remedy.replaceAll("\n", indent) : "";
  return printable(`${state.padEnd(9)}${name.padEnd(17)}${text}${what}`);
}
