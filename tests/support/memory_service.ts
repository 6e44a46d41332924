/** The real service on a machine in memory, with data of its own. */
import { join } from "node:path";
import { type Config, parseConfig } from "../../lib/config.ts";
import { type Paths, pathsOf } from "../../lib/paths.ts";
import { buildService, type Service } from "../../lib/service.ts";
import type { Membership } from "../../lib/cluster/member.ts";
import { setLogLevel } from "../../lib/machine/tools/log.ts";
import { loadTemplates } from "../../lib/templates.ts";
import { makeFolders, root, tempDir } from "./fixture.ts";
import { LivingStreams } from "./living_streams.ts";
import { type FakeMachine, fakeMachine } from "./machine.ts";

setLogLevel("error");

export interface MemoryOptions {
  /** Environment variables of the service. */
  env?: Record<string, string>;
  /** An existing data directory: the service's restart. It is left in place. */
  dir?: string;
  /** The service before: the web app's restart, over the same data and programs. */
  after?: MemoryService;
  /** Whether the long-lived parts run: the fleet's restore, the keepers' rounds, thumbnails on schedule. */
  isStarted?: boolean;
  /** Whether its streams live (living_streams.ts); else they are as they are said to be. */
  isLiving?: boolean;
  /** Its membership in a cluster. */
  membership?: Membership;
  /** Another node's machine: this one has programs of its own, and all else is the same. */
  beside?: FakeMachine;
}

export interface MemoryService extends AsyncDisposable {
  dir: string;
  config: Config;
  paths: Paths;
  machine: FakeMachine;
  service: Service;
  /** Null unless its streams live. */
  living: LivingStreams | null;
}

/** Unless a test has servers for them, nobody is behind the proxies, and an answer need not be waited for. */
const NOBODY = { MEDIA_PORT: "1", VNC_PROXY_PORT: "2" };
const AT_ONCE = { answerMs: 1 };

/** A channel that was published once stays fresh: nobody writes to it here. */
const ALWAYS_FRESH = { playlistStaleMs: 3_600_000, encoderSilentSeconds: 3600 };

export async function memoryService(options: MemoryOptions = {}): Promise<MemoryService> {
  const given = options.after?.dir ?? options.dir;
  const own = given === undefined ? await tempDir("/dev/shm") : null; // no disk, no waiting for it
  const dir = given ?? own!.path;
  const { TIMINGS = "{}", ...env } = options.env ?? {};
  const hasServers = Object.keys(NOBODY).some((port) => port in env);
  const timings = {
    ...options.isLiving ? {} : ALWAYS_FRESH,
    ...hasServers ? {} : { hls: AT_ONCE },
    ...JSON.parse(TIMINGS),
  };
  const config = parseConfig({
    DATA_DIR: join(dir, "data"),
    RUN_DIR: join(dir, "run"),
    CAPACITY_CHECK: "off", // of streams that are only pretended nothing can be measured
    TIMINGS: JSON.stringify(timings),
    ...NOBODY,
    ...env,
  });
  const paths = pathsOf(config);
  await makeFolders(paths);
  const machine = machineOf(paths, options);
  const living = options.isLiving ? new LivingStreams(machine, paths, config) : null;
  const service = await buildService(config, await loadTemplates(root), machine, options.membership);
  // nobody looks at pages here: each is good as soon as its browser runs
  if (!living) machine.supervisord.onbrowser = (id) => void service.fleet.find(id)?.page?.pageIs(true);
  if (options.isStarted) service.start();
  return {
    dir,
    config,
    paths,
    machine,
    service,
    living,
    [Symbol.asyncDispose]: async () => {
      await service.stop();
      living?.[Symbol.dispose]();
      await own?.[Symbol.asyncDispose]();
    },
  };
}

/** One test with a service of its own. */
export function memoryTest(name: string, test: (memory: MemoryService) => Promise<void>): void {
  Deno.test(name, async () => {
    await using memory = await memoryService();
    await test(memory);
  });
}

function machineOf(paths: Paths, { beside, after }: MemoryOptions): FakeMachine {
  const own = fakeMachine(paths, after?.machine.supervisord);
  if (!beside) return own;
  const { supervisord, run, programs, broker, isDisplayFree } = own;
  return Object.assign(Object.create(beside), { supervisord, run, programs, broker, isDisplayFree });
}
