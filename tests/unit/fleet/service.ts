/** The streams and their reconciler on a real store, over a machine in memory. */
import { AccessTokens } from "../../../lib/auth/access_tokens.ts";
import { Demand } from "../../../lib/fleet/demand.ts";
import { StreamEvents } from "../../../lib/reports/events.ts";
import { Reconciler } from "../../../lib/fleet/reconciler.ts";
import { Slots } from "../../../lib/live/slots.ts";
import { Streams } from "../../../lib/fleet/streams.ts";
import { removeThumbnail } from "../../../lib/live/thumbnail/files.ts";
import { streamId } from "../../../lib/model/id.ts";
import { StreamStore } from "../../../lib/store/streams.ts";
import { Supervisor } from "../../../lib/supervisor/control.ts";
import { ProgramStatus } from "../../../lib/supervisor/status.ts";
import { setLogLevel } from "../../../lib/system/log.ts";
import { DEFAULT_TIMINGS } from "../../../lib/timings.ts";
import { VncTokens } from "../../../lib/vnc/tokens.ts";
import { testBroker } from "../../support/broker.ts";
import { makePaths, tempDir } from "../../support/fixture.ts";
import { type FakeSupervisord, fakeSupervisord } from "../../support/supervisord.ts";

setLogLevel("error");

export const url = "https://example.org/";

/** Again on the same folder: the web app's restart. */
export async function aService(dir: string, supervisord?: FakeSupervisord) {
  const paths = await makePaths(dir);
  const fake = supervisord ?? fakeSupervisord(paths);
  const store = await StreamStore.open(paths.streamsFile);
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  const tokens = new VncTokens(paths);
  const events = await StreamEvents.open({
    streamsDir: paths.streamsDir,
    isKnown: (id) => store.get(id) !== undefined,
    limits: DEFAULT_TIMINGS,
    now,
    elapsed: now,
  });
  const slates = { prepare() {}, begin() {}, end() {} };
  const demand = new Demand({
    stream: (id) => store.get(id),
    vncViewers: () => 0,
    reconcile: (id): Promise<void> => reconciler.retry(id),
    slates,
    isOff: () => false,
    addEvent: events.add,
    limits: DEFAULT_TIMINGS,
    elapsed: now,
  });
  const reconciler = new Reconciler({
    store,
    demand,
    supervisor: new Supervisor(fake.run, "/supervisord.conf"),
    status: new ProgramStatus(fake.programs, 3000, now),
    slots: new Slots({ display: 100 }, () => Promise.resolve(true)),
    broker: testBroker(paths),
    paths,
    placeProblem: () => Promise.resolve(null),
    addEvent: events.add,
    now,
    elapsed: now,
  });
  const thumbnails = { remove: removeThumbnail.bind(null, paths.streamsDir) };
  const accessTokens = await AccessTokens.open(paths.accessTokensFile, now);
  const streams = new Streams({
    store,
    reconciler,
    admission: {
      admit: () => Promise.resolve(null),
      arrived: () => {},
      admitList: () => Promise.resolve(new Map()),
    },
    tokens,
    accessTokens,
    thumbnails,
    events,
    extensions: { refuseUnknown: () => Promise.resolve() },
    placeProblem: () => Promise.resolve(null),
  });
  const background: Promise<void>[] = [];
  const inBackground = reconciler.reconcileInBackground.bind(reconciler);
  reconciler.reconcileInBackground = (id) => {
    const done = inBackground(id);
    background.push(done);
    return done;
  };
  /** Waits for what an import left to the background. */
  const settled = () => Promise.all(background);
  const desired = (id: string) => store.get(streamId(id))?.desiredState;
  return { paths, fake, store, clock, tokens, events, demand, reconciler, streams, desired, settled };
}

/** One test with a service of its own that goes away. */
export function withService(
  name: string,
  test: (service: Awaited<ReturnType<typeof aService>>, dir: string) => Promise<void>,
) {
  Deno.test(name, async () => {
    await using dir = await tempDir();
    await test(await aService(dir.path), dir.path);
  });
}
