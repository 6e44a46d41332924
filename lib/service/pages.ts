/** The pages in the streams' browsers: opened, looked at, brought back, covered while they are broken. */
import type { DiskWatch } from "../fleet/disk_watch.ts";
import { OwnExtensions } from "../fleet/extensions.ts";
import { FirstPages } from "../live/page/first_pages.ts";
import { HelperReports } from "../live/page/helper_reports.ts";
import { PageCovers } from "../live/page/covers.ts";
import { PageDresser } from "../live/page/dresser.ts";
import { PageHealth } from "../live/page/health.ts";
import { PageTrial } from "../fleet/page_trial.ts";
import { PageVerdict } from "../fleet/page_verdict.ts";
import { PageWatchdog } from "../live/page/watchdog.ts";
import { Rotation } from "../live/page/rotation.ts";
import { untilShown } from "../devtools/painted.ts";
import { slatePixels } from "../devtools/slate.ts";
import type { Slates } from "../media/slates.ts";
import { ownTimeZone } from "../model/local_time.ts";
import type { StreamId } from "../model/id.ts";
import type { Base } from "./base.ts";
import type { Programs } from "./programs.ts";

interface Around {
  disk: DiskWatch;
  slates: Slates;
  /** The address that a stream's browser opens. */
  pageAddress(stream: { id: string; url: string }): string;
}

export type Pages = ReturnType<typeof buildPages>;

export function buildPages(
  { config, paths, machine, store, events, limits, proxyLogin, now, elapsed }: Base,
  { plans, supervisor, status, slots, reconciler, running, isBusy, viewers, placeProblem }: Programs,
  { disk, slates, pageAddress }: Around,
) {
  const addEvent = events.add;
  const browser = (id: StreamId) => machine.browsers.of(id);
  const health = new PageHealth({ addEvent, now, elapsed });
  const covers = new PageCovers({
    stream: (id) => running.get(id),
    viewers,
    openCover: (display) => machine.openCover(display),
    drawSlate: ({ id, name }, size) => slatePixels(browser(id), name, size),
    lookSoon: (id) => watchdog.lookSoon(id),
    painted: (id) => untilShown(browser(id)),
  });
  const helperReports = new HelperReports({
    logsDir: paths.logsDir,
    streams: () => running.list().filter(({ hasLogin }) => hasLogin),
    add: addEvent,
    isLoggedOut: (id) => void covers.pageIs(id, false),
    hasLoggedIn: (id) => watchdog.signedIn(id),
    limits,
    now,
    elapsed,
  });
  const verdict = new PageVerdict({ health, logins: helperReports, disk, covers });
  const dresser = new PageDresser({
    browser,
    settings: (id) => reconciler.spec(id)?.stream ?? trial.stream(id),
    ...{ proxyLogin, viewers, elapsed },
    addEvent,
  });
  const dress = (id: StreamId, tab: { id: string }) => dresser.dress(id, tab);
  const watchdog = new PageWatchdog({
    running: () => running.list(),
    isKnown: (id) => store.get(id) !== undefined,
    isBusy,
    viewers,
    pageIs: (id, isGood) => verdict.pageIs(id, isGood),
    browser,
    isAhead: (id, tab) => rotation.isAhead(id, tab),
    dress,
    pressEscape: async (id) => {
      const stream = running.get(id);
      if (stream) await machine.pressEscape(stream.display);
    },
    restartBrowser: (id) => reconciler.restartPrograms(id, ["browser"]),
    oomKills: () => machine.oomKills(),
    health,
    addEvent,
    limits,
    elapsed,
  });
  const rotation = new Rotation({
    running: () => running.list(),
    stream: (id) => store.get(id),
    show: (stream) => plans.show(stream),
    timeZone: ownTimeZone(),
    isBusy,
    viewers,
    isBroken: (id) => health.isBroken(id),
    browser,
    dress,
    pageAddress,
    openCover: (display) => machine.openCover(display),
    proxyLogin,
    moved: (id) => watchdog.moved(id),
    addEvent,
    limits: limits.rotation,
    elapsed,
  });
  const extensions = new OwnExtensions({
    dir: paths.extensionsDir,
    policyDir: config.CHROMIUM_POLICY_DIR,
    addEvent,
  });
  const trial = new PageTrial({
    ...{ supervisor, status, slots, broker: machine.broker, paths, placeProblem, now, elapsed },
    stored: (id) => store.get(id),
    browser,
    limits: limits.trial,
  });
  const firstPages = new FirstPages({
    running: () => [
      ...running.list().map(({ id }) => {
        const { stream } = reconciler.spec(id)!;
        const login = { ...stream, url: pageAddress(stream), proxyLogin };
        const { pageSeconds } = stream;
        return { id, url: pageAddress({ id, url: rotation.pageNow(stream) }), pageSeconds, login };
      }),
      ...trial.running(),
    ],
    browsers: machine.browsers,
    viewers,
    dress,
    opened: (id) => {
      void untilShown(browser(id)).then(() => slates.shown(id));
      rotation.opened(id);
      const spec = reconciler.spec(id);
      if (spec) void extensions.tell(spec.stream);
    },
    limits,
    elapsed,
  });
  return {
    ...{ health, covers, helperReports, verdict, dresser, watchdog, rotation, extensions, trial },
    firstPages,
  };
}
