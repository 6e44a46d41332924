/** The live streams, with what goes round over all of them. */
import { join } from "node:path";
import type { DiskWatch } from "../fleet/disk_watch.ts";
import { OwnExtensions } from "../fleet/extensions.ts";
import { FirstPages } from "../fleet/first_pages.ts";
import { Fleet } from "../fleet/fleet.ts";
import { Measurements } from "../fleet/measurements.ts";
import { PageTrial } from "../fleet/page_trial.ts";
import { ProgramRounds } from "../fleet/program_rounds.ts";
import { ThumbnailRounds } from "../fleet/thumbnail_rounds.ts";
import type { Around, Ground, Supervision } from "../live/ground.ts";
import { RepairNews } from "../live/programs/repair_news.ts";
import { Restarts } from "../live/programs/restarts.ts";
import { SharedPrograms } from "../live/programs/shared_programs.ts";
import { sharedQuestions } from "../live/programs/shared_questions.ts";
import type { ChannelGround } from "../channel/ground.ts";
import type { AddEvent } from "../model/answers/events.ts";
import { PROGRAM_KINDS } from "../model/programs.ts";
import { ownTimeZone } from "../model/plan/local_time.ts";
import { placeProblem } from "../reach/reach.ts";
import { Displays } from "../display/displays.ts";
import { Supervisor } from "../machine/supervisor/control.ts";
import { ProgramStatus } from "../machine/supervisor/status.ts";
import { BackgroundQueue, Semaphore } from "../machine/tools/concurrency.ts";
import type { Base } from "./access.ts";

type Outside =
  & Pick<Around, "proxyLogin" | "bridges" | "pageAddress">
  & { addEvent: AddEvent; disk: DiskWatch; channels: ChannelGround };

export type Streams = Awaited<ReturnType<typeof buildStreams>>;

/** How many streams are brought up at once: Chromium's start takes a whole core for 2 s, and half of a start is waiting. */
const STARTS = 3;
/** How many thumbnails are captured at once. */
const CAPTURES = 2;

export async function buildStreams({ config, paths, machine, store, placement }: Base, outside: Outside) {
  const { elapsed } = machine, { addEvent, disk, channels, ...known } = outside;
  const supervision: Supervision = {
    supervisor: new Supervisor(machine.run, join(paths.configDir, "supervisord.conf")),
    status: new ProgramStatus(() => machine.programs(), config.TIMINGS.statusCacheMs, elapsed),
    displays: new Displays(config.DISPLAY_BASE, machine.isDisplayFree),
    restarts: new Restarts(),
    background: new BackgroundQueue(STARTS),
    captures: new Semaphore(CAPTURES),
  };
  const { extensionsDir: dir } = paths;
  const extensions = new OwnExtensions({ dir, policyDir: config.CHROMIUM_POLICY_DIR, addEvent });
  const ground: Ground = {
    config,
    paths,
    machine,
    store,
    placement,
    addEvent,
    timeZone: ownTimeZone(),
    supervision,
    channels,
    kinds: PROGRAM_KINDS,
    around: {
      ...known,
      placeProblem: (url) => placeProblem(url, machine.network, config.ALLOW_LOCAL_STREAMS),
      isDiskLow: () => disk.isLow("RUN_DIR"),
      opened: (stream) => void extensions.tell(stream),
    },
  };
  const fleet = new Fleet(ground);
  const trial = new PageTrial(ground);
  const news = new RepairNews((after) => machine.broker.repairs(after), elapsed);
  const shared = new SharedPrograms({
    questions: sharedQuestions(config, paths),
    answers: machine.answers,
    news,
    kill: (name) => supervision.supervisor.kill([name]),
    tell: (text) => fleet.running().forEach((live) => live.tell("program", text, "warn")),
    countRestart: (name, cause) => supervision.restarts.count(name, cause),
    limits: config.TIMINGS,
    elapsed,
  });
  const thumbnails = new ThumbnailRounds(ground, fleet);
  await thumbnails.load();
  const firstPages = new FirstPages({
    running: () => [...fleet.running().flatMap(({ page }) => page?.first ?? []), ...trial.running()],
    browsers: machine.browsers,
    viewers: (id) => ground.around.bridges.viewers(id),
    limits: config.TIMINGS,
    elapsed,
  });
  const rounds = new ProgramRounds(ground, fleet, shared, news);
  const measurements = new Measurements(ground, fleet);
  return {
    ground,
    fleet,
    trial,
    extensions,
    thumbnails,
    restarts: supervision.restarts,
    parts: [fleet, rounds, thumbnails, firstPages, trial, measurements],
  };
}
