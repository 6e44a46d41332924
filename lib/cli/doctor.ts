/** `doctor`: looks for all causes of a black picture, and says what to do. Changes nothing. */
import type { Config } from "../config.ts";
import { type Paths, pathsOf } from "../paths.ts";
import { errorText, printable, steady } from "../system/log.ts";
import { withTimeout } from "../system/time.ts";
import { versionText } from "../system/version.ts";
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

const CHECKS: Record<string, (patient: Patient) => Finding | Promise<Finding>> = {
  packages: checkPackages,
  user: ({ config }) => checkUser(config),
  "user namespaces": ({ config }) => checkNamespaces(config),
  "shared memory": checkShm,
  memory: checkMemory,
  "machine's share": checkLimits,
  "memory limits": ({ config, pid }) => checkMemoryGroups(config, pid !== null),
  "packet filter": checkFilter,
  proxies: ({ config }) => checkProxies(config),
  cluster: ({ config, pid }) => checkCluster(config, pid !== null),
  disks: ({ config, paths }) => checkDisks(config, paths),
  session: ({ paths }) => checkSession(paths),
  time: ({ config }) => checkTime(config),
  fonts: checkFonts,
  policies: ({ config, program, pid }) => checkPolicies(config, program, pid !== null),
  extensions: ({ config, pid }) => checkExtensions(config, pid !== null),
  display: ({ trial }) => checkDisplay(trial),
  browser: ({ trial, config }) => checkBrowser(trial, config),
  encoder: ({ trial }) => checkEncoder(trial),
  "media server": ({ trial }) => checkMediaServer(trial),
  ports: ({ config, pid }) => checkPorts(config, pid !== null),
  service: ({ config, pid }) => checkHealth(config, pid),
  streams: ({ config, pid }) => checkStreams(config, pid),
};

/** The checks by name, in their order. */
export const CHECK_NAMES = Object.keys(CHECKS);

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
    for (const [name, check] of Object.entries(CHECKS)) {
      const finding = await findingOf(() => check(patient));
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
