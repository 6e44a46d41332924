/** `up`: the whole service in the foreground. Checks, cleans, renders, runs supervisord, and leaves nothing behind. */
import { dirname, join } from "node:path";
import { installPolicies, policyFile, policyText, removePolicies } from "../pipeline/policy.ts";
import { newXauthority } from "../pipeline/xauth.ts";
import { mediaHosts, mediaListen } from "../media/listen.ts";
import type { StreamId } from "../streams/id.ts";
import { type Config, ConfigError } from "../config.ts";
import { instanceName, type Paths, pathsOf } from "../paths.ts";
import { migrateStreamFile } from "../streams/migrate.ts";
import { StreamStore } from "../streams/store.ts";
import { Supervisor } from "../supervisor/control.ts";
import { supervisorCommand, supervisorValue, writePrograms } from "../supervisor/program_files.ts";
import { ensureFolder, giveTo, readOrNull, removeTree, writeFileAtomic } from "../system/files.ts";
import type { Identity } from "../system/exec.ts";
import { killOrphans, processesOfRun, RUN_MARKER } from "../system/orphans.ts";
import { errorText, log } from "../system/log.ts";
import { installCommand, installPackages, missingPackages } from "../system/packages.ts";
import { portProblems } from "../system/ports.ts";
import { run } from "../system/process.ts";
import { canReach, pipelineUser } from "../system/users.ts";
import { loadTemplates, render, type Templates } from "../templates.ts";
import { VncTokens } from "../vnc/tokens.ts";
import type { SelfCommand } from "./self.ts";
import { claimRunDir, lockForUs, makeRunDir, removeStaleDisplays } from "./run_dir.ts";
import { StartError } from "./start_error.ts";

/** A stop must take less than 10 s; programs get 6 s to end by themselves. */
const STOP_ALL_MS = 6500;
const STOP_SUPERVISOR_MS = 1500;
/** A supervisord that ends sooner than this never worked. */
const QUICK_DEATH_MS = 3000;

async function ensurePackages(stop: AbortSignal): Promise<void> {
  const missing = await missingPackages();
  if (missing.length === 0) return;
  if (Deno.uid() !== 0) {
    throw new StartError(
      `These Debian packages are missing. Install them with:\n\n  ${installCommand(missing)}\n`,
    );
  }
  console.log(`Installing ${missing.length} Debian packages: ${missing.join(" ")}`);
  await installPackages(missing, stop).catch((error) => {
    throw new StartError(`${errorText(error)}. To try by hand:\n\n  ${installCommand(missing)}\n`);
  });
  const still = await missingPackages();
  if (still.length > 0) throw new StartError(`Still missing after the installation: ${still.join(" ")}`);
}

/** Where the pipeline's user can keep its files: below DATA_DIR unless it cannot get there (a checkout in /root). */
async function choosePipelineDir(config: Config, user: Identity): Promise<string> {
  if (config.PIPELINE_DIR) return config.PIPELINE_DIR;
  if (await canReach(user, config.DATA_DIR)) return config.DATA_DIR;
  const elsewhere = join("/var/lib/browser-stream", instanceName(config));
  console.log(`User ${user.name} cannot reach ${config.DATA_DIR}: browser profiles are kept in ${elsewhere}`);
  return elsewhere;
}

/** Whether the pipeline's user may make the namespaces that Chromium's sandbox needs. */
async function chooseSandbox(config: Config, user: Identity): Promise<"on" | "off"> {
  if (config.CHROMIUM_SANDBOX !== "auto") return config.CHROMIUM_SANDBOX;
  const become = Deno.uid() === 0
    ? ["setpriv", `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups", "--"]
    : [];
  // all that Chromium will ask for: a user namespace alone is allowed where AppArmor then forbids the rest
  const namespaces = ["unshare", "--user", "--map-root-user", "--pid", "--net", "--fork", "true"];
  const { code } = await run([...become, ...namespaces], { timeout: 5000, cwd: "/" });
  if (code === 0) return "on";
  console.warn(
    "WARNING: the kernel forbids user namespaces here, so Chromium runs without its sandbox and a hostile page\n" +
      "could act as the user of the pipeline. To fix it: sysctl -w kernel.unprivileged_userns_clone=1 (Debian),\n" +
      "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu), or in a container allow it with\n" +
      "--security-opt seccomp=unconfined or Chromium's seccomp profile.",
  );
  return "off";
}

/** Installs Chromium's policies; says so where a browser will run without them. */
async function restrictBrowsers(file: string, program: SelfCommand): Promise<void> {
  const folder = dirname(file);
  const byHand = join(folder, "browser-stream.json");
  if (await readOrNull(byHand).catch(() => null) === policyText()) return;
  const problem = Deno.uid() === 0
    ? await installPolicies(file).then(() => null, errorText)
    : "only root can write there";
  if (problem === null) return;
  console.warn(
    `WARNING: Chromium's policies are not installed in ${folder} (${problem}), so that a page, or a person\n` +
      "in a browser by VNC, can open local files and internal pages, download and print. To install them:\n" +
      `sudo mkdir -p ${folder} && ${program.executable.join(" ")} policies | sudo tee ${byHand} > /dev/null`,
  );
}

/** Makes the folders that stay. */
async function makeFolders(config: Config, paths: Paths, user: Identity): Promise<void> {
  await Deno.mkdir(config.PIPELINE_DIR, { recursive: true });
  for (const folder of [paths.streamsDir, paths.logsDir, paths.configDir, paths.programsDir]) {
    await ensureFolder(folder, 0o755);
  }
  for await (const { name } of Deno.readDir(paths.programsDir)) {
    if (name.endsWith(".conf")) await Deno.remove(join(paths.programsDir, name));
  }
  await ensureFolder(paths.profilesDir, 0o700, user);
}

/** Everything that is generated: made anew from the templates at every start. */
async function renderConfigs(
  config: Config,
  { paths, templates, program, user, ids }: {
    paths: Paths;
    templates: Templates;
    program: SelfCommand;
    user: Identity;
    ids: StreamId[];
  },
): Promise<string> {
  const supervisord = join(paths.configDir, "supervisord.conf");
  const values = {
    run: supervisorValue(paths.runDir),
    logs: supervisorValue(paths.logsDir),
    programs: supervisorValue(paths.programsDir),
    exe: supervisorCommand(program.executable),
    userLine: Deno.uid() === 0 ? "user=root" : "; runs as the user who started it",
  };
  await writeFileAtomic(supervisord, render(templates.supervisord, values));
  const sockets = { rtmpPort: config.RTMP_PORT, mediaListen: mediaListen(config) };
  const nginx = render(templates.nginx, { run: paths.runDir, hls: paths.hlsDir, ...sockets });
  await writeFileAtomic(join(paths.configDir, "nginx.conf"), nginx);
  await writeFileAtomic(join(paths.configDir, "openbox.xml"), templates.openbox);
  const files = { templates, executable: program.executable, ...paths };
  for (const id of ids) await writePrograms(files, id);
  await writeFileAtomic(paths.xauthority, newXauthority(), 0o600);
  await giveTo(user, paths.xauthority);
  await new VncTokens(paths, user).sync(ids);
  return supervisord;
}

/** The settings of this start, as the programs below get them: resolved, so that all agree. */
function settingsFor(config: Config): Record<string, string> {
  const settings = Object.entries(config).map(([name, value]) => [name, String(value)]);
  return Object.fromEntries(settings.filter(([, value]) => value !== ""));
}

function startSupervisor(supervisord: string, config: Config, paths: Paths): Deno.ChildProcess {
  // its own session: Ctrl-C reaches us alone, and we stop it in order. If we are killed, it gets SIGTERM.
  const args = ["--pdeathsig", "SIGTERM", "--", "setsid", "/usr/bin/supervisord", "-n", "-c", supervisord];
  return new Deno.Command("setpriv", {
    args,
    cwd: paths.runDir,
    clearEnv: true,
    env: {
      PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      LANG: "C.UTF-8",
      HOME: Deno.env.get("HOME") ?? "/",
      ...settingsFor(config),
      [RUN_MARKER]: paths.runDir,
    },
    stdin: "null",
    // a pipe: supervisord opens /dev/fd/1 for the web app, which a systemd socket would refuse
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Passes a child's output on; ours may be closed first when a terminal goes away. */
function passOn(from: ReadableStream<Uint8Array>, to: typeof Deno.stdout): void {
  (async () => {
    for await (const chunk of from) {
      for (let at = 0; at < chunk.length;) at += await to.write(chunk.subarray(at)).catch(() => chunk.length);
    }
  })().catch(() => {});
}

/** Waits until the web app answers. */
async function waitUntilServed(url: string, ended: () => boolean): Promise<boolean> {
  for (const end = Date.now() + 30_000; Date.now() < end && !ended();) {
    const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(1000) }).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok) return true;
    await new Promise((done) => setTimeout(done, 50));
  }
  return false;
}

/** Aborts when we are asked to stop: Ctrl-C, SIGTERM, a closed terminal, or the end of what started us. */
function stopSignal(isWanted: () => boolean): AbortSignal {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(name, () => stop.abort());
  }
  Deno.unrefTimer(setInterval(() => isWanted() || stop.abort(), 1000));
  return stop.signal;
}

/**
 * Runs the service until it is told to stop. Returns the exit code.
 * @throws {StartError | ConfigError | StreamFileError} when it cannot start; then nothing was started.
 */
export async function up(given: Config, program: SelfCommand, isWanted: () => boolean): Promise<number> {
  const stop = stopSignal(isWanted);
  Deno.umask(0o022); // the pipeline's user has to enter what we make
  await ensurePackages(stop);
  const user = await pipelineUser(given.PIPELINE_USER, true);
  const config: Config = { ...given, PIPELINE_DIR: await choosePipelineDir(given, user) };
  config.CHROMIUM_SANDBOX = await chooseSandbox(config, user);
  const paths = pathsOf(config);
  config.RUN_DIR = paths.runDir;
  if (/[\s"';{}%$\\]/.test(config.PIPELINE_DIR + config.DATA_DIR)) {
    throw new ConfigError(
      `DATA_DIR=${config.DATA_DIR} has a blank, quote or other special character. Choose another.`,
    );
  }
  await ensureFolder(paths.streamsDir, 0o755);
  using dataLock = await lockForUs(paths.streamsDir);
  await claimRunDir(config, paths);
  await Deno.writeTextFile(paths.upLock, "", { mode: 0o600 });
  using runLock = await lockForUs(paths.upLock);
  const policies = policyFile(config.CHROMIUM_POLICY_DIR, instanceName(config));
  try {
    const left = await killOrphans(paths.runDir, 3000);
    if (left > 0) log("warn", "ended processes of an earlier run", { count: left });
    const problems = await portProblems([
      { variable: "PORT", hostname: config.HOST, port: config.PORT },
      ...mediaHosts(config).map((hostname) => ({
        variable: "MEDIA_PORT",
        hostname,
        port: config.MEDIA_PORT,
      })),
      { variable: "RTMP_PORT", hostname: "127.0.0.1", port: config.RTMP_PORT },
      { variable: "VNC_PROXY_PORT", hostname: "127.0.0.1", port: config.VNC_PROXY_PORT },
    ]);
    if (problems.length > 0) throw new StartError(problems.join("\n"));
    if (await migrateStreamFile(paths.oldStreamsFile, paths.streamsFile)) {
      log("info", "stream list moved", { from: paths.oldStreamsFile, to: paths.streamsFile });
    }
    const templates = await loadTemplates(program.root);
    const isWildcard = config.HOST === "0.0.0.0" || config.HOST === "::";
    const address = (host: string) => `http://${host.includes(":") ? `[${host}]` : host}:${config.PORT}`;
    const shown = address(isWildcard ? "localhost" : config.HOST);
    // by number: a bare container may have no name "localhost"
    const asked = address(isWildcard ? "127.0.0.1" : config.HOST);
    await restrictBrowsers(policies, program);
    for (let deaths = 0; !stop.aborted; deaths++) {
      // first of all: an unreadable list stops the start, and nothing was touched
      const ids = (await StreamStore.open(paths.streamsFile)).list().map(({ id }) => id);
      await makeRunDir(paths, user);
      await makeFolders(config, paths, user);
      const supervisord = await renderConfigs(config, { paths, templates, program, user, ids });
      const from = Date.now();
      await superviseOnce(supervisord, config, paths, stop, { shown, asked });
      if (stop.aborted) break;
      if (deaths === 0 && Date.now() - from < QUICK_DEATH_MS) {
        throw new StartError(`supervisord ended at once; ${paths.logsDir}/supervisord.log says why`);
      }
      log("error", "supervisord ended unexpectedly; starting again");
      await killOrphans(paths.runDir, 1500);
      await sleep(Math.min(1000 * 2 ** Math.min(deaths, 5), 30_000), stop);
    }
    return 0;
  } finally {
    await runLock.unlock().catch(() => {});
    await removeStaleDisplays(paths).catch(() => {});
    await removePolicies(policies).catch(() => {});
    await removeTree(paths.runDir).catch(() => {});
    await dataLock.unlock().catch(() => {});
  }
}

/** Waits, at most until `stop` aborts. */
function sleep(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, ms);
    stop.addEventListener("abort", () => done(), { once: true });
  });
}

/** One life of supervisord; returns when it has ended and nothing of it is left. */
async function superviseOnce(
  supervisord: string,
  config: Config,
  paths: Paths,
  stop: AbortSignal,
  address: { shown: string; asked: string },
): Promise<void> {
  const child = startSupervisor(supervisord, config, paths);
  passOn(child.stdout, Deno.stdout);
  passOn(child.stderr, Deno.stderr);
  let hasEnded = false;
  const ended = child.status.then(() => {
    hasEnded = true;
  });
  const asked = new Promise<void>((done) => {
    if (stop.aborted) done();
    stop.addEventListener("abort", () => done(), { once: true });
  });
  waitUntilServed(address.asked, () => hasEnded || stop.aborted).then((isServed) => {
    if (isServed) console.log(`\n  Browser Stream is ready: ${address.shown}\n`);
    else if (!stop.aborted) log("error", "the web app does not answer", { address: address.asked });
  });
  await Promise.race([asked, ended]);
  if (!hasEnded) {
    const supervisor = new Supervisor(run, supervisord);
    await supervisor.stopAll(STOP_ALL_MS).catch((error) =>
      log("warn", "slow stop", { error: errorText(error) })
    );
    child.kill("SIGTERM");
    await Promise.race([ended, new Promise((done) => setTimeout(done, STOP_SUPERVISOR_MS))]);
  }
  if (processesOfRun(paths.runDir).length > 0) await killOrphans(paths.runDir, 500);
  await ended;
}
