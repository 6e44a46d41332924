/** The streams and their fleet on a real store, over a machine in memory. */
import { AccessTokens } from "../../../lib/door/access/access_tokens.ts";
import { Fleet } from "../../../lib/fleet/fleet.ts";
import { Operations } from "../../../lib/fleet/operations.ts";
import { removeThumbnail } from "../../../lib/live/picture/files.ts";
import { streamId } from "../../../lib/model/id.ts";
import { StreamEvents } from "../../../lib/reports/events.ts";
import { FileStreamStore } from "../../../lib/store/file_streams.ts";
import { Supervisor } from "../../../lib/machine/supervisor/control.ts";
import { ProgramStatus } from "../../../lib/machine/supervisor/status.ts";
import { setLogLevel } from "../../../lib/machine/tools/log.ts";
import { DEFAULT_TIMINGS } from "../../../lib/timings.ts";
import { VncTokens } from "../../../lib/takeover/tokens.ts";
import { testBroker } from "../../support/broker.ts";
import { makePaths, tempDir } from "../../support/fixture.ts";
import { aGround } from "../../support/ground.ts";
import { type FakeSupervisord, fakeSupervisord } from "../../support/supervisord.ts";

setLogLevel("error");

export const url = "https://example.org/";

/** Again on the same folder: the web app's restart. */
export async function aService(dir: string, supervisord?: FakeSupervisord) {
  const paths = await makePaths(dir);
  const fake = supervisord ?? fakeSupervisord(paths);
  const store = await FileStreamStore.open(paths.streamsFile);
  /** Streams that another machine runs. */
  const elsewhere = new Set<string>();
  const isMine = (id: string) => !elsewhere.has(id);
  const { ground, clock, machine } = aGround({ store, dir, placement: { isMine } });
  machine.broker = testBroker(paths);
  const { now, elapsed } = machine;
  const events = await StreamEvents.open({
    streamsDir: paths.streamsDir,
    isKnown: (id) => store.get(id) !== undefined,
    limits: DEFAULT_TIMINGS,
    now,
    elapsed,
  });
  const own = { ...ground, paths: { ...ground.paths, ...paths }, addEvent: events.add };
  own.supervision = {
    ...ground.supervision,
    supervisor: new Supervisor(fake.run, "/supervisord.conf"),
    status: new ProgramStatus(fake.programs, 3000, elapsed),
  };
  const fleet = new Fleet(own);
  const tokens = new VncTokens(paths);
  const accessTokens = await AccessTokens.open(paths.accessTokensFile, now);
  const streams = new Operations({
    ground: own,
    fleet,
    admission: {
      admit: () => Promise.resolve(null),
      arrived: () => {},
      admitList: () => Promise.resolve(new Map()),
    },
    tokens,
    extensions: { refuseUnknown: () => Promise.resolve() },
    async removing(id) {
      await removeThumbnail(paths.streamsDir, id);
      await accessTokens.forgetStream(id);
    },
    removed: (id) => events.forget(id),
  });
  const work = (id: string) => fleet.get(streamId(id)).work;
  const spec = (id: string) => fleet.find(streamId(id))?.spec ?? undefined;
  const desired = (id: string) => store.get(streamId(id))?.desiredState;
  /** Waits for what an import left to the background. */
  const settled = () => own.supervision.background.settled();
  /** Resolves when nothing of the channels is made or written any more. */
  const atRest = async () => {
    await Promise.all(fleet.list().map(({ channel }) => channel.slate.settled()));
    await Promise.all([own.channels.breaks.settled(), own.channels.slates.settled()]);
  };
  const seen = { paths, fake, store, clock, tokens, events, elsewhere };
  return { ...seen, fleet, streams, work, spec, desired, settled, atRest };
}

/** One test with a service of its own that goes away. */
export function withService(
  name: string,
  test: (service: Awaited<ReturnType<typeof aService>>, dir: string) => Promise<void>,
) {
  Deno.test(name, async () => {
    await using dir = await tempDir();
    const service = await aService(dir.path);
    await test(service, dir.path);
    await service.atRest();
  });
}
