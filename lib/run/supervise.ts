/** Runs supervisord once: starts supervisord, passes its output on, stops it in order. */
import type { Repairs } from "../machine/broker/repairs.ts";
import { type Config, environmentOf, isLoginOn } from "../config.ts";
import { SHARED_NAMES } from "../live/programs/shared_words.ts";
import { isEveryInterface, localHost } from "../machine/net/host.ts";
import type { Paths } from "../paths.ts";
import { askPrograms } from "../machine/supervisor/status.ts";
import { type Level, log, printable, say } from "../machine/tools/log.ts";
import { killOrphans, processesOfRun, RUN_MARKER } from "../machine/os/orphans.ts";
import { sleep } from "../machine/tools/time.ts";
import { writeAll } from "../machine/tools/write_all.ts";
import { endRun } from "./end_run.ts";
import { strangersPort } from "./checks/ports.ts";
import { EntryLines } from "./output.ts";
import { LifeWatch } from "./life_watch.ts";

/** Milliseconds in which the programs of a dead supervisord may end by themselves. */
const ORPHANS_MS = 500;
/** Milliseconds until the first answer of the web app; later it has failed to start. */
const READY_MS = 30_000;

/**
 * Runs supervisord until it ends or `stop` aborts, and leaves none of its processes.
 * @param supervisord the path of its configuration.
 */
export async function supervise(
  supervisord: string,
  config: Config,
  paths: Paths,
  repairs: Repairs,
  stop: AbortSignal,
): Promise<void> {
  const child = startSupervisor(supervisord, config, paths);
  const watch = new LifeWatch({
    supervisord: child.pid,
    shared: [...SHARED_NAMES.filter((name) => name !== "capture" || config.CAPTURE === "auto"), "web"],
    paths,
    repairs,
    limits: config.TIMINGS.life,
  });
  watch.start();
  passOn(child.stdout, Deno.stdout, config.LOG_FORMAT === "json" ? "info" : null);
  passOn(child.stderr, Deno.stderr, config.LOG_FORMAT === "json" ? "error" : null);
  const over = new AbortController(); // not AbortSignal.any: Deno 2.4 collects its signal during a wait
  let isDead = false;
  const ended = child.status.then(() => {
    isDead = true;
    over.abort();
  });
  stop.addEventListener("abort", () => over.abort(), { once: true });
  if (stop.aborted) over.abort();
  wake(paths.supervisorOwnSocket, over.signal);
  announceReady(config, paths, over.signal);
  await aborted(over.signal);
  const unwatched = watch.stop();
  if (!isDead) await endRun(child.pid, ended, paths);
  else if (processesOfRun(paths.runDir).length > 0) await killOrphans(paths.runDir, ORPHANS_MS);
  await Promise.all([ended, unwatched]);
}

function startSupervisor(supervisord: string, config: Config, paths: Paths): Deno.ChildProcess {
  // a session for supervisord: Ctrl-C reaches us alone, and we stop it in order. If we are killed, it gets SIGTERM.
  // not every user may read its logs: they hold texts of pages
  const umask = Deno.umask(0o027);
  const args = ["--pdeathsig", "SIGTERM", "--", "setsid", "/usr/bin/supervisord", "-n", "-c", supervisord];
  const child = new Deno.Command("setpriv", {
    args,
    cwd: paths.runDir,
    clearEnv: true,
    env: {
      ...programsEnv(config, paths),
      // for templates/supervisor_*.py; the poller keeps both variables from the programs
      PYTHONPATH: paths.pythonDir,
      PYTHONDONTWRITEBYTECODE: "1",
    },
    stdin: "null",
    // pipes: supervisord opens /dev/fd/1 for the web app, which fails where our output is systemd's socket
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  Deno.umask(umask);
  return child;
}

/** Sends a question: otherwise supervisord sleeps for a second before it starts its first programs. */
async function wake(socket: string, over: AbortSignal): Promise<void> {
  for (
    const limit = performance.now() + READY_MS;
    performance.now() < limit && !over.aborted;
    await sleep(20, over)
  ) {
    if (await askPrograms(socket).then(() => true, () => false)) return;
  }
}

/** The environment of supervisord, and of its children until they have become other programs. */
export function programsEnv(config: Config, paths: Paths): Record<string, string> {
  return {
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    LANG: "C.UTF-8",
    HOME: Deno.env.get("HOME") ?? "/",
    ...environmentOf(config),
    [RUN_MARKER]: paths.runDir,
  };
}

/**
 * Passes a child's output on; ours may be closed first when a terminal goes away.
 * @param level of lines that are no entries, where each line has to be an entry; null: all lines stay lines.
 */
function passOn(from: ReadableStream<Uint8Array>, to: typeof Deno.stdout, level: Level | null): void {
  const lines = level && new EntryLines(level);
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const passed = (bytes: Uint8Array) => {
    const text = decoder.decode(bytes, { stream: true });
    return encoder.encode(lines ? lines.add(text) : printable(text)); // of the web app, which is not root
  };
  (async () => {
    for await (const chunk of from) await writeAll(to, passed(chunk)).catch(() => {});
    if (lines) await writeAll(to, encoder.encode(lines.end()));
  })().catch(() => {});
}

/** Resolves when the signal aborts. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    signal.addEventListener("abort", () => done(), { once: true });
  });
}

/** Prints the service's address as soon as the web app answers there. */
async function announceReady(config: Config, paths: Paths, over: AbortSignal): Promise<void> {
  const address = (host: string) => `http://${host.includes(":") ? `[${host}]` : host}:${config.PORT}`;
  const localAddress = address(localHost(config.HOST));
  for (
    const limit = performance.now() + READY_MS;
    performance.now() < limit && !over.aborted;
    await sleep(50, over)
  ) {
    const answer = await fetch(`${localAddress}/healthz`, { signal: AbortSignal.timeout(1000) }).catch(() =>
      null
    );
    await answer?.body?.cancel();
    if (!answer?.ok) continue;
    const claim = await strangersPort(config, paths);
    if (claim) {
      return log("error", "another program has a port of the service", {
        variable: claim.variable,
        port: claim.port,
      });
    }
    return say(
      `\n  Browser Stream is ready: ${address(isEveryInterface(config.HOST) ? "localhost" : config.HOST)}\n` +
        (isLoginOn(config) ? "" : "  There is no login: everyone who reaches this address can use it. " +
          "AUTH_USER and AUTH_PASS set one.\n"),
    );
  }
  if (!over.aborted) log("error", "the web app does not answer", { address: localAddress });
}
