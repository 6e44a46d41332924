/** What looks after the programs that run: hung ones, slow encoders, browsers and profiles that grow. */
import { EncoderWatch } from "../live/programs/encoder_watch.ts";
import { MemoryWatch } from "../live/programs/memory_watch.ts";
import type { PageHealth } from "../live/page/health.ts";
import { ProfileQuota } from "../live/programs/profile_quota.ts";
import { ProgramProbes } from "../live/programs/probes.ts";
import { ProgramWatchdog } from "../fleet/program_watchdog.ts";
import { RepairNews } from "../live/programs/repair_news.ts";
import { SharedPrograms } from "../live/programs/shared_programs.ts";
import { sharedQuestions } from "../live/programs/shared_questions.ts";
import { displayQuestion } from "../pipeline/probe.ts";
import type { Base } from "./base.ts";
import type { Programs } from "./programs.ts";

export function buildWatches(
  { config, paths, machine, store, events, limits, playlistAgeMs, elapsed }: Base,
  { supervisor, status, reconciler, running, restarts, isBusy, viewers }: Programs,
  health: PageHealth,
) {
  const addEvent = events.add;
  const countRestarts = restarts.count;
  const encoders = new EncoderWatch({
    running: () => running.list(),
    programs: () => status.programs(),
    look: (pid) => machine.encoder(pid),
    health,
    isBusy,
    areChangesTaken: config.CAPTURE === "auto",
    restartEncoder: (id) => reconciler.restartPrograms(id, ["encoder"]),
    addEvent,
    countRestarts,
    limits,
    elapsed,
  });
  const quota = new ProfileQuota({
    running: () => running.list(),
    isBusy,
    recreate: (id) => reconciler.recreate(id),
    maxBytes: config.PROFILE_LIMIT_MB * 1_000_000,
    measure: (id) => machine.broker.measure(id),
    addEvent,
    countRestarts,
    limits,
  });
  const memory = new MemoryWatch({
    browsers: () => running.browsers(),
    isBusy,
    viewers,
    measure: (pids) => machine.memory(pids),
    restartBrowser: (id) => reconciler.restartPrograms(id, ["browser"]),
    addEvent,
    countRestarts,
    limits,
    elapsed,
  });
  const news = new RepairNews((after) => machine.broker.repairs(after), elapsed);
  const shared = new SharedPrograms({
    questions: sharedQuestions(config, paths),
    answers: machine.answers,
    kill: (name) => supervisor.kill([name]),
    news,
    tell: (text) => {
      for (const { id } of running.list()) addEvent(id, "program", text, "warn");
    },
    countRestart: restarts.countShared,
    limits,
    elapsed,
  });
  const probes = new ProgramProbes({
    ask: {
      display: async (id, limitMs) => {
        const spec = reconciler.spec(id);
        return spec !== undefined && await machine.answers(displayQuestion(spec.display), limitMs);
      },
      audio: (id) => machine.broker.hasSound(id),
      browser: (id, limitMs) => machine.browsers.of(id).answers(limitMs),
    },
    isDisplayTaken: (display) => machine.isDisplayTaken(display),
    limits: limits.probe,
    elapsed,
  });
  const watchdog = new ProgramWatchdog({
    ...{ store, status, reconciler, probes, shared, news, limits, elapsed },
    addEvent,
    countRestarts,
    playlistAgeMs,
  });
  return { encoders, quota, memory, watchdog };
}
