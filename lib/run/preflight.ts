/** The preparations of `up` before it starts a program: packages, user, folders, ports, the browsers' restrictions. */
import { readClusterAccess } from "../door/access/cluster_access.ts";
import { readCredentials } from "../door/access/credentials.ts";
import { readMetricsToken } from "../door/access/metrics_token.ts";
import { readProxyLogin } from "../door/access/proxy_login.ts";
import { loginText, openOwners } from "../door/access/secret_file.ts";
import { parseProxy, proxyText } from "../reach/proxy_server.ts";
import type { Guard, GuardName } from "../machine/broker/guards.ts";
import type { SharedUsers } from "../machine/broker/stream_folders.ts";
import { type Config, ConfigError, isLoginOn } from "../config.ts";
import { readReceiver } from "../messages/variables.ts";
import { filterTable, instanceName, type Paths, pathsOf } from "../paths.ts";
import { readAuthorities } from "../browser/authorities.ts";
import { unpackedProblem } from "../reach/extension_policy.ts";
import { Policies, policyFile, policyText, removePolicies } from "../reach/policy.ts";
import { isRoot } from "../machine/os/exec.ts";
import { errorText, log, say } from "../machine/tools/log.ts";
import { CAPTURE_GROUP, MemoryGroups } from "../machine/os/memory_group.ts";
import { killOrphans } from "../machine/os/orphans.ts";
import { PacketFilter } from "../machine/os/packet_filter.ts";
import type { Promises } from "../machine/os/promises.ts";
import { shortText } from "../machine/os/regular_file.ts";
import { parseUsersFile } from "../store/users_file.ts";
import { installCommand, installPackages, missingPackages } from "../machine/os/packages.ts";
import { portProblems } from "../machine/os/ports.ts";
import { UserRecords } from "../machine/os/user_records.ts";
import { keepWithoutWebRtc } from "../reach/without_webrtc.ts";
import { sleep } from "../machine/tools/time.ts";
import { machineWarnings, warningText } from "./checks/machine.ts";
import { policiesProblem } from "./checks/policies.ts";
import { portClaims } from "./checks/ports.ts";
import { directFinding } from "./checks/proxy.ts";
import { filterBusy, filterFinding } from "./checks/filter.ts";
import { findSandbox, SANDBOX_OFF } from "./checks/sandbox.ts";
import { claimFolders, openDataDir } from "./claims.ts";
import { choosePipelineDir } from "./pipeline_dir.ts";
import type { SelfCommand } from "./self.ts";
import { chooseSharedUsers } from "./shared_users.ts";
import { StartError } from "./start_error.ts";

/** Milliseconds that processes of a killed run get to end by themselves. */
const ORPHANS_MS = 3000;

/** The context of every step of a start. */
export interface StartContext {
  /** The given configuration, with all open settings decided. */
  config: Config;
  paths: Paths;
  /** The web app's secrets by the path of its file for them, which the config names: no environment has them. */
  secretFiles: Record<string, string>;
  /** The certificates of the operator's own issuers, in base64 of DER. */
  issuers: readonly string[];
  users: SharedUsers;
  /** Null: a normal user runs the service, and has no numbers for other users. */
  records: UserRecords | null;
  /** Null: the kernel's rules for the streams' network cannot be set. */
  filter: PacketFilter | null;
  /** Null: the streams' memory cannot be limited. */
  memory: MemoryGroups | null;
  /** What programs of streams find, or do not start. */
  promises: Promises;
  /** What of this is looked after while the service runs. */
  guards: Guard[];
  /** Claims the run directory anew if somebody has removed it. @throws {StartError} */
  renewRunDir(): Promise<void>;
  /** Removes everything that this run made outside of its data directory, and gives up its claims. */
  release(): Promise<void>;
}

/**
 * Checks and prepares the machine.
 * @param ownSharedMemory whether this process could leave the shared memory of all users, so that streams can, too.
 * @throws {StartError | ConfigError} when the service cannot start here; then nothing is claimed.
 */
export async function preflight(
  given: Config,
  program: SelfCommand,
  ownSharedMemory: boolean,
  stop: AbortSignal,
): Promise<StartContext> {
  await openDataDir(given);
  const secrets = await readSecrets(given);
  await ensurePackages(stop);
  const config = { ...await resolveConfig(given), ...secrets.config };
  const paths = pathsOf(config);
  const claims = await claimFolders(config, paths);
  const policiesPath = policyFile(config.CHROMIUM_POLICY_DIR, instanceName(config));
  let memory: MemoryGroups | null = null;
  let filter: PacketFilter | null = null;
  const records = isRoot() ? new UserRecords({ ...paths, filterTable: filterTable(config) }) : null;
  const endUsers = async () => {
    await records?.endAll();
    await records?.forgetAll();
  };
  const release = async () => {
    await endUsers();
    await filter?.remove();
    await memory?.removeAll().catch(() => {});
    await removePolicies(policiesPath).catch(() => {});
    await claims.release();
  };
  try {
    const count = await killOrphans(paths.runDir, ORPHANS_MS);
    await endUsers();
    await records?.clearKilled();
    if (count > 0) log("warn", "ended processes of an earlier run", { count });
    const skipped = directFinding(config);
    const warnings = [...await machineWarnings(config, paths), ...skipped ? warningText(skipped) : []];
    for (const warning of warnings) say(warning, "warn");
    await checkPorts(config);
    const issuers = await ownIssuers(paths);
    const users = await chooseSharedUsers(config, records);
    filter = isRoot() ? await makeFilter(config, paths, users) : null;
    const withoutWebRtc = filter === null;
    const policies = await restrictBrowsers(policiesPath, program, policyText(issuers));
    await tellOfExtensions(config, withoutWebRtc);
    memory = await MemoryGroups.make(instanceName(config));
    await memory?.limit(CAPTURE_GROUP, Math.ceil(Deno.systemMemoryInfo().total / 2 / 1024 ** 2));
    sayWhatIsShared(memory !== null);
    const kept: [GuardName, Pick<Guard, "look"> | null][] = [
      ["packet-filter", filter],
      ["policies", policies],
      ["without-webrtc", { look: () => keepWithoutWebRtc(paths.withoutWebRtcDir) }],
      ["memory-limits", memory],
      ["users", records],
    ];
    const guards = kept.flatMap(([name, one]) => one ? [{ name, look: () => one.look() }] : []);
    return {
      config,
      paths,
      issuers,
      secretFiles: secrets.files,
      users,
      records,
      filter,
      memory,
      guards,
      release,
      renewRunDir: claims.renewRunDir,
      promises: {
        packetFilter: filter !== null,
        memoryLimits: memory !== null,
        ownSharedMemory,
        policies: policies?.promised ?? null,
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Tries to make the kernel's rules, and the milliseconds between them: a machine may be busy as it starts. */
const [FILTER_TRIES, FILTER_PAUSE_MS] = [3, 1000];

/**
 * Makes the kernel's rules for the streams' network; prints a text where the kernel takes none.
 * @throws {StartError} where it takes some, and did not take these: the streams would do without.
 */
async function makeFilter(
  config: Config,
  { networkRulesDir: folder }: Paths,
  { web }: SharedUsers,
): Promise<PacketFilter | null> {
  const insiders = [0, web.uid];
  const options = { table: filterTable(config), folder, publishPort: config.RTMP_PORT, insiders };
  for (let tries = 1;; tries++) {
    try {
      return await PacketFilter.make(options, (problem) => {
        const { says, remedy } = filterFinding(problem);
        say(`${says}\n${remedy}`);
      });
    } catch (error) {
      if (tries < FILTER_TRIES) await sleep(FILTER_PAUSE_MS);
      else throw new StartError(filterBusy(errorText(error)));
    }
  }
}

/** Prints the separations that this start lacks, as information. */
function sayWhatIsShared(hasMemoryLimits: boolean): void {
  if (!isRoot()) {
    say(
      "The service was started as a normal user. The web app and all streams run as that user: a page that breaks\n" +
        "out of its browser reaches all of them. Started as root, the service gives each stream a user of its own.",
    );
  }
  if (!hasMemoryLimits) {
    say(
      "Memory cannot be limited here (the kernel's cgroups cannot be written), so memoryLimitMb has no effect.",
    );
  }
}

/** Installs the missing Debian packages as root; other users get the command for it. */
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
    CHROMIUM_SANDBOX: await findSandbox(given),
    RUN_DIR: pathsOf(given).runDir,
  };
  if (given.PIPELINE_DIR === "" && config.PIPELINE_DIR !== config.DATA_DIR) {
    say(`Only root can reach ${config.DATA_DIR}: browser profiles are kept in ${config.PIPELINE_DIR}`);
  }
  if (given.CHROMIUM_SANDBOX !== "off" && config.CHROMIUM_SANDBOX === "off") {
    say(`WARNING: ${SANDBOX_OFF.says}\n${SANDBOX_OFF.remedy}`, "warn");
  }
  if (/[\s"';{}%$\\]/.test(config.PIPELINE_DIR + config.DATA_DIR)) {
    throw new ConfigError(
      `DATA_DIR=${config.DATA_DIR} has a blank, quote or other special character. Choose another.`,
    );
  }
  return config;
}

/**
 * The web app's secrets, and the config with the run's files for them: every child program has the same environment.
 * @throws {ConfigError}
 */
async function readSecrets(
  given: Config,
): Promise<{ config: Partial<Config>; files: Record<string, string> }> {
  const paths = pathsOf(given);
  const { authUserFile, authPassFile, webhookUrlFile, webhookSecretFile, metricsTokenFile, proxyLoginFile } =
    paths;
  const config: Partial<Config> = {};
  const files: Record<string, string> = {};
  const credentials = await readCredentials(given);
  if (hasUsers(paths.usersFile)) config.LOGIN = "on";
  if ((isLoginOn(given) || config.LOGIN === "on") && given.MEDIA_HOST !== "127.0.0.1") {
    say(
      `MEDIA_HOST=${given.MEDIA_HOST} is ignored: with a login, the media server listens on loopback only.`,
      "warn",
    );
  }
  if (credentials) {
    Object.assign(config, { AUTH_USER: "", AUTH_USER_FILE: authUserFile });
    Object.assign(config, { AUTH_PASS: "", AUTH_PASS_FILE: authPassFile });
    Object.assign(files, { [authUserFile]: credentials.user, [authPassFile]: credentials.pass });
  }
  const receiver = await readReceiver(given);
  if (receiver) {
    Object.assign(config, { WEBHOOK_URL: "", WEBHOOK_URL_FILE: webhookUrlFile });
    files[webhookUrlFile] = receiver.address;
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
  const proxyLogin = await readProxyLogin(given);
  if (proxyLogin) {
    const [HTTP_PROXY, HTTPS_PROXY] = [given.HTTP_PROXY, given.HTTPS_PROXY]
      .map((text) => text && proxyText(parseProxy(text)!));
    Object.assign(config, { HTTP_PROXY, HTTPS_PROXY, PROXY_LOGIN_FILE: proxyLoginFile });
    files[proxyLoginFile] = loginText(proxyLogin);
  }
  const cluster = await readClusterAccess(given);
  if (cluster) {
    config.CLUSTER_SECRET_FILE = paths.clusterSecretFile;
    files[paths.clusterSecretFile] = cluster.secret;
  }
  if (cluster?.login) {
    config.CLUSTER_LOGIN_FILE = paths.clusterLoginFile;
    files[paths.clusterLoginFile] = loginText(cluster.login);
  }
  return { config, files };
}

/** Far more than the most users have. */
const MAX_USERS_BYTES = 4 * 1024 * 1024;

/**
 * Whether there are users: then people log in. A file that cannot be read is taken for users; the web app's start names its
 * problem.
 */
function hasUsers(file: string): boolean {
  try {
    using opened = openOwners(file);
    if (!opened) return false;
    const text = shortText(opened, MAX_USERS_BYTES);
    return text === null || parseUsersFile(text, file).users.length > 0;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound);
  }
}

/** @throws {StartError} naming every port that is taken. */
async function checkPorts(config: Config): Promise<void> {
  const problems = await portProblems(portClaims(config));
  if (problems.length > 0) throw new StartError(problems.join("\n"));
}

/** The operator's own issuers; prints the left-out ones. */
async function ownIssuers({ caDir }: Paths): Promise<string[]> {
  const { certificates, problems } = await readAuthorities(caDir);
  for (const problem of problems) say(`WARNING: an issuer's certificate is not used: ${problem}`, "warn");
  return certificates;
}

/** Prints what pages do for want of the extensions of ours, which Chromium may refuse. */
async function tellOfExtensions(config: Config, withoutWebRtc: boolean): Promise<void> {
  const isSplit = pathsOf(config).withoutWebRtcDir.includes(","); // Chromium gets folders with commas between them
  const problem = isSplit
    ? "a folder with a comma in its name cannot be given to Chromium"
    : await unpackedProblem(config.CHROMIUM_POLICY_DIR);
  if (problem === null) return;
  say(`WARNING: Pages in turn are heard some seconds before they are seen: ${problem}.`, "warn");
  if (withoutWebRtc) say(`WARNING: Pages can still use WebRTC over TCP: ${problem}.`, "warn");
}

/**
 * Installs Chromium's policies; prints a text where a browser will run without them.
 * @returns the policies to keep; null: there is no place for them. @throws {StartError} where there is one, and it has no room.
 */
async function restrictBrowsers(file: string, program: SelfCommand, text: string): Promise<Policies | null> {
  const policies = new Policies(file, text);
  if (await policies.areThere()) return policies;
  const problem = isRoot()
    ? await policies.look().then(() => null, placeProblem)
    : "only root can write there";
  if (problem === null) return policies;
  const { says, remedy } = policiesProblem(file, problem, program);
  say(`WARNING: ${says}\n${remedy}`, "warn");
  return null;
}

/** Why nobody can write policies there. @throws {StartError} for what makes them impossible just now. */
function placeProblem(error: unknown): string {
  const problem = errorText(error);
  if (error instanceof Deno.errors.PermissionDenied || /read-only|os error 30/i.test(problem)) return problem;
  throw new StartError(`Chromium's policies cannot be written: ${problem}`);
}
