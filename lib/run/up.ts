/** `up`: the whole service in the foreground. Checks, migrates, renders, runs supervisord, and leaves nothing behind. */
import { type Guard, GuardWatch } from "../machine/broker/guards.ts";
import { Repairs } from "../machine/broker/repairs.ts";
import { ResolverWatch } from "../machine/broker/resolver_watch.ts";
import { listenForRequests } from "../machine/broker/server.ts";
import type { Config } from "../config.ts";
import type { Paths } from "../paths.ts";
import { migrateStreamFile } from "../store/migrate.ts";
import { forbidCoreDumps, leaveSharedMemory } from "../machine/os/exec.ts";
import { KeptFolders } from "../machine/os/files.ts";
import { log } from "../machine/tools/log.ts";
import { killOrphans } from "../machine/os/orphans.ts";
import { portProblems } from "../machine/os/ports.ts";
import { Loop, sleep } from "../machine/tools/time.ts";
import { loadTemplates } from "../templates.ts";
import { portClaims } from "./checks/ports.ts";
import { Cleaning } from "./cleaning.ts";
import { dataFolders } from "./data_folders.ts";
import { preflight, type StartContext } from "./preflight.ts";
import { provision } from "./provision.ts";
import { keepSocketFolder, type RunContents, runFolders, SOCKET_FOLDER } from "./run_dir.ts";
import type { SelfCommand } from "./self.ts";
import { StartError } from "./start_error.ts";
import { supervise } from "./supervise.ts";

/** Milliseconds; a supervisord that ends sooner never worked. */
const QUICK_DEATH_MS = 3000;
/** Milliseconds after which the death of a supervisord has nothing to do with the death before. */
const SETTLED_MS = 60_000;
/** Milliseconds between two looks whether all that a run is made of is there. */
const CONTENTS_MS = 2000;
/** Milliseconds between two checks whether our launchers still live. */
const WANTED_MS = 1000;
/** Milliseconds in which the programs of a dead supervisord may end by themselves. */
const ORPHANS_MS = 1500;

/**
 * Runs the service until a signal to stop. Returns the exit code.
 * @param isWanted whether our launchers still live.
 * @throws {StartError | ConfigError | StreamFileError | AccessFileError | WallFileError} before any program starts.
 */
export async function up(given: Config, program: SelfCommand, isWanted: () => boolean): Promise<number> {
  const stop = stopSignal(isWanted);
  Deno.umask(0o022); // other users have to enter our folders
  forbidCoreDumps();
  const ownSharedMemory = leaveSharedMemory(); // for thumbnails: every user may read ffmpeg's segments
  const context = await preflight(given, program, ownSharedMemory, stop);
  const { config, paths, filter } = context;
  const resolvers = new ResolverWatch({
    file: "/etc/resolv.conf",
    allow: async (addresses) => await filter?.allowResolvers(addresses),
  });
  try {
    await migrate(paths);
    if (filter) resolvers.start();
    const templates = await loadTemplates(program.root);
    const repairs = new Repairs();
    let isWhole = true;
    for (let quickDeaths = 0, isFirst = true; !stop.aborted; isFirst = false) {
      const guards = new GuardWatch([...context.guards, foldersGuard(context)], repairs);
      const { supervisord, folders, clean, contents } = await provision(
        context,
        templates,
        program,
        repairs,
        () => guards.check(),
        !isFirst && isWhole,
      );
      const startedAt = performance.now();
      const broker = await listenForRequests(paths.brokerSocket, context.users.web, folders);
      const removals = () => folders.removals;
      const cleaning = new Cleaning({
        removals,
        clean,
        limits: config.TIMINGS.cleaning,
        elapsed: () => performance.now(),
      });
      cleaning.start();
      guards.start();
      const life = new Life(contents, stop);
      try {
        await supervise(supervisord, config, paths, repairs, life.over); // the new web app restores every desired state
      } finally {
        await Promise.all([broker.stop(), cleaning.stop(), guards.stop(), life.stop()]);
      }
      if (stop.aborted) break;
      const lost = await contents.lost();
      isWhole = lost === null;
      const livedMs = performance.now() - startedAt;
      if (isFirst && isWhole && livedMs < QUICK_DEATH_MS) {
        const problems = await portProblems(portClaims(config)); // another program may have taken a port meanwhile
        throw new StartError(
          problems.join("\n") || `supervisord ended at once; ${paths.logsDir}/supervisord.log says why`,
        );
      }
      if (isWhole) log("error", "supervisord ended unexpectedly; starting again");
      else log("error", "files of this run were removed; starting again", { path: lost });
      repairs.add("supervisord", isWhole ? "ended" : "removed");
      await killOrphans(paths.runDir, ORPHANS_MS);
      await context.records?.endAll();
      // nobody held the ports meanwhile; a program that has one keeps supervisord from starting
      for (const problem of await portProblems(portClaims(config))) {
        log("error", "a port is not free any more", { problem });
      }
      // the first restart at once: no stream has a picture now
      quickDeaths = livedMs < SETTLED_MS ? quickDeaths + 1 : 0;
      if (quickDeaths > 0) await sleep(Math.min(1000 * 2 ** Math.min(quickDeaths - 1, 5), 30_000), stop);
    }
    return 0;
  } finally {
    await resolvers.stop();
    await context.release();
  }
}

/** One life of supervisord, which is over when the service stops, or when something is gone that only a start makes. */
class Life {
  readonly #over = new AbortController();
  readonly #loop = new Loop("the files of this run are not watched");

  constructor(contents: RunContents, stop: AbortSignal) {
    if (stop.aborted) this.#over.abort();
    stop.addEventListener("abort", () => this.#over.abort(), { once: true });
    this.#loop.start(CONTENTS_MS, async () => {
      if (await contents.lost() !== null) this.#over.abort();
    });
  }

  get over(): AbortSignal {
    return this.#over.signal;
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }
}

async function migrate({ oldStreamsFile: from, streamsFile: to }: Paths): Promise<void> {
  if (await migrateStreamFile(from, to)) log("info", "stream list moved", { from, to });
}

/** The folders that are the same for all streams keep their owners and modes. */
function foldersGuard({ paths, users }: StartContext): Guard {
  const folders = new KeptFolders([...dataFolders(paths, users), ...runFolders(paths, users)]);
  const look = async () => {
    const areUndone = [await folders.look(), await keepSocketFolder(SOCKET_FOLDER)];
    return areUndone.includes(true);
  };
  return { name: "folders", look };
}

/** Aborts when we are asked to stop: Ctrl-C, SIGTERM, a closed terminal, or the end of our launchers. */
function stopSignal(isWanted: () => boolean): AbortSignal {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(name, () => stop.abort());
  }
  // until the process ends
  new Loop("the end of the parent process is not watched").start(WANTED_MS, () => {
    if (!isWanted()) stop.abort();
  });
  return stop.signal;
}
