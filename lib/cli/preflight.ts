/** What `up` makes sure of before it starts anything: packages, user, folders, ports and the browsers' restrictions. */
import { dirname, join } from "node:path";
import { readCredentials } from "../auth/credentials.ts";
import { readMetricsToken } from "../auth/metrics_token.ts";
import type { SharedUsers } from "../broker/stream_folders.ts";
import { type Config, ConfigError, uidRangeOf } from "../config.ts";
import { readReceiver } from "../control/webhook_receiver.ts";
import { mediaHosts } from "../media/listen.ts";
import { instanceName, type Paths, pathsOf } from "../paths.ts";
import { readAuthorities } from "../pipeline/authorities.ts";
import { installPolicies, policyFile, policyText, removePolicies } from "../pipeline/policy.ts";
import { type Identity, isRoot } from "../system/exec.ts";
import { readOrNull } from "../system/files.ts";
import { errorText, log, say } from "../system/log.ts";
import { MemoryGroups } from "../system/memory_group.ts";
import { killOrphans } from "../system/orphans.ts";
import { installCommand, installPackages, missingPackages } from "../system/packages.ts";
import { portProblems } from "../system/ports.ts";
import { run } from "../system/process.ts";
import { canReach, commandAs, numberedUser } from "../system/users.ts";
import { claimFolders } from "./claims.ts";
import type { SelfCommand } from "./self.ts";
import { chooseSharedUsers } from "./shared_users.ts";
import { StartError } from "./start_error.ts";

/** Milliseconds that processes of a killed run get to end by themselves. */
const ORPHANS_MS = 3000;

/** What every step of a start works with. */
export interface StartContext {
  /** The given one with everything decided that it left open. */
  config: Config;
  paths: Paths;
  /** The web app's secrets by the path of its file for them, which the config names: no environment has them. */
  secretFiles: Record<string, string>;
  users: SharedUsers;
  /** Null where the streams' memory cannot be limited. */
  memory: MemoryGroups | null;
  /** Removes what this run made outside of its data directory, and gives up its claims. */
  release(): Promise<void>;
}

/**
 * Checks and prepares the machine.
 * @throws {StartError | ConfigError} when the service cannot start here; then nothing is claimed.
 */
export async function preflight(
  given: Config,
  program: SelfCommand,
  stop: AbortSignal,
): Promise<StartContext> {
  const secrets = await readSecrets(given);
  await ensurePackages(stop);
  const config = { ...await resolveConfig(given), ...secrets.config };
  const paths = pathsOf(config);
  const releaseFolders = await claimFolders(config, paths);
  const policies = policyFile(config.CHROMIUM_POLICY_DIR, instanceName(config));
  let memory: MemoryGroups | null = null;
  const release = async () => {
    await memory?.removeAll().catch(() => {});
    await removePolicies(policies).catch(() => {});
    await releaseFolders();
  };
  try {
    const count = await killOrphans(paths.runDir, ORPHANS_MS);
    if (count > 0) log("warn", "ended processes of an earlier run", { count });
    await checkPorts(config);
    await restrictBrowsers(policies, program, await policiesOf(paths));
    memory = await MemoryGroups.make(instanceName(config));
    sayWhatIsShared(memory !== null);
    const users = await chooseSharedUsers(config);
    return { config, paths, secretFiles: secrets.files, users, memory, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Says calmly what this start cannot keep apart. */
function sayWhatIsShared(hasMemoryLimits: boolean): void {
  if (!isRoot()) {
    say(
      "Started as a normal user: the web app and all streams are that user, so that a page which breaks out of its\n" +
        "browser reaches all of them. Started as root, each stream gets a user of its own.",
    );
  }
  if (!hasMemoryLimits) {
    say(
      "Memory cannot be limited here (the kernel's cgroups cannot be written), so memoryLimitMb has no effect.",
    );
  }
}

/** Installs the Debian packages that are missing, as root; else says how to. */
async function ensurePackages(stop: AbortSignal): Promise<void> {
  const missing = await missingPackages();
  if (missing.length === 0) return;
  if (!isRoot()) {
    throw new StartError(
      `These Debian packages are missing. Install them with:\n\n  ${installCommand(missing)}\n`,
    );
  }
  say(`Installing ${missing.length} Debian packages: ${missing.join(" ")}`);
  await installPackages(missing, stop).catch((error) => {
    throw new StartError(`${errorText(error)}. To try by hand:\n\n  ${installCommand(missing)}\n`);
  });
  const still = await missingPackages();
  if (still.length > 0) throw new StartError(`Still missing after the installation: ${still.join(" ")}`);
}

/** The configuration of this start, resolved so that `up` and all programs below it agree. */
async function resolveConfig(given: Config): Promise<Config> {
  const config = {
    ...given,
    PIPELINE_DIR: await choosePipelineDir(given),
    CHROMIUM_SANDBOX: await chooseSandbox(given),
    RUN_DIR: pathsOf(given).runDir,
  };
  if (/[\s"';{}%$\\]/.test(config.PIPELINE_DIR + config.DATA_DIR)) {
    throw new ConfigError(
      `DATA_DIR=${config.DATA_DIR} has a blank, quote or other special character. Choose another.`,
    );
  }
  return config;
}

/**
 * The web app's secrets, and the config that has files of its own for them: every program below has the same environment.
 * @throws {ConfigError}
 */
async function readSecrets(
  given: Config,
): Promise<{ config: Partial<Config>; files: Record<string, string> }> {
  const { authUserFile, authPassFile, webhookUrlFile, webhookSecretFile, metricsTokenFile } = pathsOf(given);
  const config: Partial<Config> = {};
  const files: Record<string, string> = {};
  const credentials = await readCredentials(given);
  if (credentials) {
    Object.assign(config, { AUTH_USER: "", AUTH_USER_FILE: authUserFile });
    Object.assign(config, { AUTH_PASS: "", AUTH_PASS_FILE: authPassFile });
    Object.assign(files, { [authUserFile]: credentials.user, [authPassFile]: credentials.pass });
    if (given.MEDIA_HOST !== "127.0.0.1") {
      say(
        `MEDIA_HOST=${given.MEDIA_HOST} does not count: with a login, the media server is on loopback alone.`,
        "warn",
      );
    }
  }
  const receiver = await readReceiver(given);
  if (receiver) {
    Object.assign(config, { WEBHOOK_URL: "", WEBHOOK_URL_FILE: webhookUrlFile });
    files[webhookUrlFile] = receiver.url.href;
  }
  if (receiver?.secret) {
    Object.assign(config, { WEBHOOK_SECRET: "", WEBHOOK_SECRET_FILE: webhookSecretFile });
    files[webhookSecretFile] = receiver.secret;
  }
  const metricsToken = await readMetricsToken(given);
  if (metricsToken !== "") {
    Object.assign(config, { METRICS_TOKEN: "", METRICS_TOKEN_FILE: metricsTokenFile });
    files[metricsTokenFile] = metricsToken;
  }
  return { config, files };
}

/** Where the streams' users can have their files: below DATA_DIR unless they cannot get there (a checkout in /root). */
async function choosePipelineDir(config: Config): Promise<string> {
  if (config.PIPELINE_DIR) return config.PIPELINE_DIR;
  if (!isRoot() || await canReach(anyOf(config), config.DATA_DIR)) return config.DATA_DIR;
  const elsewhere = join("/var/lib/browser-stream", instanceName(config));
  say(`Only root can reach ${config.DATA_DIR}: browser profiles are kept in ${elsewhere}`);
  return elsewhere;
}

/** One of the users that streams get. */
function anyOf(config: Config): Identity {
  return numberedUser(uidRangeOf(config).first);
}

/** Whether a stream's user may make the namespaces that Chromium's sandbox needs. */
async function chooseSandbox(config: Config): Promise<Config["CHROMIUM_SANDBOX"]> {
  const wanted = config.CHROMIUM_SANDBOX;
  if (wanted === "off" || wanted === "setuid") return wanted;
  // all that Chromium will ask for: a user namespace alone is allowed where AppArmor then forbids the rest
  const namespaces = ["unshare", "--user", "--map-root-user", "--pid", "--net", "--fork", "true"];
  const { code } = await run(commandAs(anyOf(config), namespaces), { timeoutMs: 5000, cwd: "/" });
  if (code === 0) return "on";
  // without namespaces it can only be Debian's setuid program that makes the sandbox
  if (wanted === "on") return "setuid";
  say(
    "WARNING: the kernel forbids user namespaces here, so Chromium runs without its sandbox and a hostile page\n" +
      "could act as the user of its stream. To fix it: sysctl -w kernel.unprivileged_userns_clone=1 (Debian),\n" +
      "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu), or in a container allow it with\n" +
      "--security-opt seccomp=docker/seccomp.json (the profile of this project).",
    "warn",
  );
  return "off";
}

/** @throws {StartError} naming every port that is taken. */
async function checkPorts(config: Config): Promise<void> {
  const problems = await portProblems([
    { variable: "PORT", hostname: config.HOST, port: config.PORT },
    ...mediaHosts(config).map((hostname) => ({ variable: "MEDIA_PORT", hostname, port: config.MEDIA_PORT })),
    { variable: "RTMP_PORT", hostname: "127.0.0.1", port: config.RTMP_PORT },
    { variable: "VNC_PROXY_PORT", hostname: "127.0.0.1", port: config.VNC_PROXY_PORT },
  ]);
  if (problems.length > 0) throw new StartError(problems.join("\n"));
}

/** The policies, with the operator's own issuers; says which of these are left out. */
async function policiesOf({ caDir }: Paths): Promise<string> {
  const { certificates, problems } = await readAuthorities(caDir);
  for (const problem of problems) say(`WARNING: an issuer's certificate is left out: ${problem}`, "warn");
  return policyText(certificates);
}

/** Installs Chromium's policies; says so where a browser will run without them. */
async function restrictBrowsers(file: string, program: SelfCommand, text: string): Promise<void> {
  const folder = dirname(file);
  const byHand = join(folder, "browser-stream.json");
  if (await readOrNull(byHand).catch(() => null) === text) return;
  const problem = isRoot()
    ? await installPolicies(file, text).then(() => null, errorText)
    : "only root can write there";
  if (problem === null) return;
  say(
    `WARNING: Chromium's policies are not installed in ${folder} (${problem}), so that a page, or a person\n` +
      "in a browser by VNC, can open local files and internal pages, download and print; and that certificates in\n" +
      "CA_DIR are not trusted. To install them:\n" +
      `sudo mkdir -p ${folder} && ${program.executable.join(" ")} policies | sudo tee ${byHand} > /dev/null`,
    "warn",
  );
}
