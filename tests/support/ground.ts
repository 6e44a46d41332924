/** What live streams stand on, in memory and by a clock of the test: for tests of what a stream owns. */
import { type Config, parseConfig } from "../../lib/config.ts";
import { ALONE, type Placement } from "../../lib/cluster/placement.ts";
import type { Around, Ground } from "../../lib/live/ground.ts";
import type { KeptStream } from "../../lib/live/kept_stream.ts";
import { PlanClock } from "../../lib/live/plan_clock.ts";
import { LoginReports } from "../../lib/signin/reports.ts";
import { Restarts } from "../../lib/live/programs/restarts.ts";
import { streamId } from "../../lib/model/id.ts";
import { PROGRAM_KINDS } from "../../lib/model/programs.ts";
import type { Stream } from "../../lib/model/schema.ts";
import type { ChannelGround } from "../../lib/channel/ground.ts";
import { HlsCache } from "../../lib/channel/hls_cache.ts";
import { SilentClients } from "../../lib/machine/net/silent_clients.ts";
import { type Paths, pathsOf } from "../../lib/paths.ts";
import { Displays } from "../../lib/display/displays.ts";
import type { StreamStore } from "../../lib/store/stream_store.ts";
import { Supervisor } from "../../lib/machine/supervisor/control.ts";
import { EntriesFile } from "../../lib/store/entries_file.ts";
import { ProgramStatus } from "../../lib/machine/supervisor/status.ts";
import { BackgroundQueue, Semaphore } from "../../lib/machine/tools/concurrency.ts";
import { FileStreamStore } from "../../lib/store/file_streams.ts";
import { Fleet } from "../../lib/fleet/fleet.ts";
import { aStream, makePaths, tempDir } from "./fixture.ts";
import { type FakeMachine, fakeMachine } from "./machine.ts";

export interface TestGround {
  ground: Ground;
  machine: FakeMachine;
  /** Milliseconds, of both clocks; `setBy` moves the machine's alone. */
  clock: { now: number; setBy: number };
  /** "stream kind level: text"; emptied by reading. */
  events(): string[];
  /** People in browsers by VNC. */
  people: { vnc: number };
  config: Config;
}

/** @param store where the streams are; it need not have all that a real one has. */
export function aGround(
  {
    store = { get: () => undefined, list: () => [] } as unknown as StreamStore,
    around = {},
    placement = {},
    env = {},
    dir = "/nowhere",
  }: {
    store?: StreamStore;
    around?: Partial<Around>;
    /** What is otherwise than at a machine that is alone. */
    placement?: Partial<Placement>;
    env?: Record<string, string>;
    /** Of the data and what runs. */
    dir?: string;
  } = {},
): TestGround {
  const config = { ...parseConfig(env), DATA_DIR: `${dir}/data`, RUN_DIR: `${dir}/run` };
  const paths = pathsOf(config);
  const machine = fakeMachine(paths);
  const clock = { now: 1_000_000, setBy: 0 };
  machine.now = () => clock.now + clock.setBy;
  machine.elapsed = () => clock.now;
  const told: string[] = [];
  const people = { vnc: 0 };
  const ground: Ground = {
    config,
    paths,
    machine,
    store,
    addEvent: (id, kind, text, level = "info") => void told.push(`${id} ${kind} ${level}: ${text}`),
    timeZone: "UTC",
    kinds: PROGRAM_KINDS,
    supervision: {
      supervisor: new Supervisor(machine.run, "/supervisord.conf"),
      status: new ProgramStatus(() => machine.programs(), 3000, machine.elapsed),
      displays: new Displays(100, (display) => machine.isDisplayFree(display)),
      restarts: new Restarts(),
      background: new BackgroundQueue(3),
      captures: new Semaphore(2),
    },
    channels: aChannelGround(machine, paths, config),
    placement: { ...ALONE, ...placement },
    around: {
      bridges: { viewers: () => people.vnc },
      pageAddress: ({ url }) => url,
      placeProblem: () => Promise.resolve(null),
      proxyLogin: null,
      isDiskLow: () => false,
      opened: () => {},
      ...around,
    },
  };
  return { ground, machine, clock, events: () => told.splice(0), people, config };
}

export interface TestFleet extends TestGround, AsyncDisposable {
  fleet: Fleet;
  store: FileStreamStore;
}

/** A fleet on its ground, with a list of its own: the streams that are wanted run, and their pages are good. */
export async function aFleet(
  streams: readonly Stream[],
  options: { placement?: Partial<Placement> } = {},
): Promise<TestFleet> {
  const dir = await tempDir("/dev/shm"); // no disk, no waiting for it
  const { streamsFile } = await makePaths(dir.path);
  const store = await FileStreamStore.open(streamsFile);
  await store.change(() => [...streams]);
  const world = aGround({ ...options, store, dir: dir.path });
  const fleet = new Fleet(world.ground);
  await fleet.restore();
  await Promise.all(fleet.list().map(({ page }) => page?.pageIs(true)));
  const { breaks, slates } = world.ground.channels;
  const end = async () => {
    await fleet.stop();
    await Promise.all([breaks.settled(), slates.settled()]);
    await dir[Symbol.asyncDispose]();
  };
  return { ...world, fleet, store, [Symbol.asyncDispose]: end };
}

/** What channels stand on. Nobody answers in the media server's place. */
export function aChannelGround(
  machine: FakeMachine,
  { hlsDir, webDir, discontinuitiesFile, slatesFile }: Paths,
  { TIMINGS: limits }: Config,
): ChannelGround {
  const elapsed = () => machine.elapsed();
  return {
    machine,
    limits,
    hlsDir,
    webDir,
    files: new HlsCache("http://127.0.0.1:9", { now: elapsed }),
    breaks: new EntriesFile(discontinuitiesFile),
    slates: new EntriesFile(slatesFile),
    making: new Semaphore(1),
    silent: new SilentClients(() => [], elapsed),
  };
}

export interface TestStream extends KeptStream {
  stream: Stream | undefined;
  isBusy: boolean;
  channel: { ageMs: number | null; slate: { shown(): void } };
  spec: NonNullable<KeptStream["spec"]> | null;
  work: KeptStream["work"] & { operations: number };
  /** What was done with it: "restart browser"; emptied by reading. */
  done(): string[];
}

/** A live stream that only notes what is done with it. It was started at the clock's beginning, on display 101. */
export function aKeptStream({ ground, people }: TestGround, fields: Partial<Stream> = {}): TestStream {
  const stream = aStream({ desiredState: "running", ...fields });
  const done: string[] = [];
  const note = (what: string) => {
    done.push(what);
    return Promise.resolve();
  };
  const { machine, paths: { logsDir } } = ground;
  const { now } = machine;
  const live: TestStream = {
    id: streamId(stream.id),
    stream,
    spec: { stream, display: 101, startedAt: machine.now(), steadyStart: machine.elapsed() },
    isBusy: false,
    recording: { hold: () => Promise.resolve() },
    channel: { ageMs: null, slate: { shown() {} } },
    get viewers() {
      return people.vnc;
    },
    work: {
      operations: 0,
      restartPrograms: (kinds) => note(`restart ${kinds}`),
      command: (how, kinds) => note(`${how} ${kinds}`),
      restartAll: () => note("restart all"),
      recreate: () => note("recreate"),
    },
    plan: new PlanClock(ground.timeZone, machine),
    logins: new LoginReports({
      path: `${logsDir}/${stream.id}/autologin.log`,
      tell: (kind, text, level) => live.tell(kind, text, level),
      now,
      newsSince: 0,
    }),
    tell: (kind, text, level) => ground.addEvent(streamId(stream.id), kind, text, level),
    done: () => done.splice(0),
  };
  return live;
}
