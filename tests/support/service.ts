/** The real service for tests: own ports, displays and data directory, so that it runs beside another one. */
import { strict as assert } from "node:assert";
import { dirname, join } from "node:path";
import type { PublicStream } from "../../lib/model/schema.ts";
import { HELPER_PROGRAMS, PROGRAM_KINDS, PROGRAMS } from "../../lib/model/programs.ts";
import { parseConfig } from "../../lib/config.ts";
import { killOrphans, processesOfRun } from "../../lib/machine/os/orphans.ts";
import { removeTable } from "../../lib/machine/os/packet_filter.ts";
import { UserRecords } from "../../lib/machine/os/user_records.ts";
import { filterTable, pathsOf } from "../../lib/paths.ts";
import type { Timings } from "../../lib/timings.ts";
import { isThere } from "./fixture.ts";
import { servePages } from "./page.ts";
import { commandLine } from "./proc.ts";
import { lookEveryMs, patience, until, waitForPrograms } from "./same.ts";
import { reserveSlot, type Slot } from "./slot.ts";
import { within } from "./within.ts";
import type { StreamStatus } from "../../lib/model/answers/shapes.ts";

waitForPrograms();

const root = new URL("../..", import.meta.url).pathname;

/** Of streams whose frame rate is not what is tested: ours by default costs the tests twice as much. */
const SLOW = { fps: 10 };
/** Of those whose size is not, either. */
export const SMALL = { ...SLOW, scale: "640x360" };
/** Of those whose pictures nobody looks at. */
export const SMALLEST = { resolution: "640x360", scale: "640x360", fps: 5 };

/** A stop takes at most so long: what ends us gives us no more. */
const STOP_MS = 10_000;

/** How the program under test is run; a compiled executable takes its place. */
export const SOURCE_PROGRAM = [
  Deno.execPath(),
  "run",
  "-A",
  "--no-config",
  "--no-lock",
  "--quiet",
  join(root, "_fresh/browser-stream.js"),
];

export interface EnvironmentOptions {
  /** An existing data directory to start with; it is then left in place. */
  dataDir?: string;
  env?: Record<string, string>;
  timings?: Partial<Timings>;
  /** Texts of files that are in the data directory at the start, by their paths there. */
  files?: Record<string, string>;
}

export interface Options extends EnvironmentOptions {
  /** Command line of the program under test. */
  program?: string[];
  /** One that was started with before; the caller disposes of it. */
  environment?: TestEnvironment;
  cwd?: string;
  /** Fields of all streams that do not say otherwise. */
  streams?: Record<string, unknown>;
}

/** What a service is started with. Disposing of it gives ports and displays back, and removes its data. */
export interface TestEnvironment extends AsyncDisposable {
  env: Record<string, string>;
  slot: Slot;
}

export interface TestService {
  url: string;
  mediaUrl: string;
  /** The test page to stream. */
  pageUrl: string;
  /** What was asked of the test page's server: paths. */
  pageRequests: string[];
  dataDir: string;
  runDir: string;
  env: Record<string, string>;
  /** The pid of `up`. */
  pid: number;
  output(): string;
  /** Calls the API, logged in; `body` is sent as JSON. The answer is here as a whole: nobody needs to read or cancel it. */
  api(method: string, path: string, body?: unknown): Promise<Response>;
  /** A stream of 10 pictures a second unless it says otherwise. @throws {AssertionError} when it is refused. */
  create(fields: Record<string, unknown>): Promise<PublicStream>;
  /** A stream for one test: `await using` deletes it. */
  temporaryStream(fields: Record<string, unknown>): Promise<PublicStream & AsyncDisposable>;
  /** The stream of this name that the tests of a file share: made on its first use. */
  sharedStream(fields: { name: string } & Record<string, unknown>): Promise<PublicStream>;
  status(id: string): Promise<StreamStatus>;
  /** @param limitMs where how long it takes is what is tested. */
  untilState(id: string, state: StreamStatus["state"], limitMs?: number): Promise<void>;
  /**
   * Waits until nothing is under way: each program of each stream that is to run is what it becomes, no wrapper or fork of
   * the supervisor any more.
   */
  settled(): Promise<void>;
  /** The pid of a program such as "encoder-clock". @throws when it does not run. */
  programPid(name: string): Promise<number>;
  /** The pids of the service's processes whose command line matches. */
  processes(command: RegExp): number[];
  /** SIGTERM; returns milliseconds until the end. Checks that it is within 10 s and that nothing is left. */
  stop(): Promise<number>;
}

/** All that a client needs of a service, wherever it runs. */
export type Reachable = Pick<TestService, "url" | "api">;

/** What our own scripts send, and no page of another site can. */
export const OWN_SCRIPT = { "x-requested-with": "browser-stream" };

/** Whether a process is still supervisord's fork, or our executable on its way to the program that it becomes. */
function isYetToBecome(pid: number): boolean {
  const command = commandLine(pid);
  const kind = /browser-stream(?:\.js)? ([a-z]+) [a-z0-9-]+$/.exec(command)?.[1];
  const isOurs = PROGRAM_KINDS.some((one) => one === kind && !("isResident" in PROGRAMS[one]));
  return isOurs || /supervisord -n/.test(command);
}

/** Of one run of all tests, which looks for what is left of it. */
const RUN = Deno.env.get("TEST_RUN") ?? "alone";

let environments = 0;

/** Environment of a service of its own. */
export async function ownEnvironment(options: EnvironmentOptions = {}): Promise<TestEnvironment> {
  const slot = reserveSlot();
  const dataDir = options.dataDir ?? await makeDataDir();
  for (const [path, text] of Object.entries(options.files ?? {})) {
    await Deno.mkdir(dirname(join(dataDir, path)), { recursive: true });
    await Deno.writeTextFile(join(dataDir, path), text);
  }
  return {
    slot,
    env: {
      HOST: "127.0.0.1",
      ...slot.env,
      DATA_DIR: dataDir,
      RUN_DIR: `/dev/shm/bs-test-${RUN}-${slot.number}-${environments++}`,
      LOG_LEVEL: "debug",
      // the pages that are streamed are the tests' own
      ALLOW_LOCAL_STREAMS: "true",
      // what else is done on the machine, such as other tests, must refuse none of their streams
      CAPACITY_CHECK: "off",
      // not the machine's: the tests' own browser must not be restricted
      CHROMIUM_POLICY_DIR: join(dataDir, "policies"),
      ...(options.timings ? { TIMINGS: JSON.stringify(options.timings) } : {}),
      ...options.env,
    },
    [Symbol.asyncDispose]: async () => {
      if (!options.dataDir) await Deno.remove(dataDir, { recursive: true });
      slot[Symbol.dispose]();
    },
  };
}

/** A data directory that the pipeline's user can reach. */
export async function makeDataDir(): Promise<string> {
  const dir = await Deno.makeTempDir({ prefix: "bs-data-" });
  await Deno.chmod(dir, 0o755);
  return dir;
}

/** Starts `up` and waits until the web app answers. When it does not, nothing of it is left. */
export async function startService(options: Options = {}): Promise<TestService> {
  const environment = options.environment ?? await ownEnvironment(options);
  const { env, slot } = environment;
  const outputFile = `${env.RUN_DIR}.log`;
  // a file and no pipe: reading one would go on from test to test. Under a strict umask: what the pipeline's user needs
  // must be readable all the same
  const program = ["-c", 'umask 077; exec "$@" >"$0" 2>&1', outputFile, ...options.program ?? SOURCE_PROGRAM];
  const child = new Deno.Command("/bin/sh", {
    args: [...program, "up"],
    env,
    cwd: options.cwd ?? "/",
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  let hasEnded = false;
  const ended = child.status.then(() => hasEnded = true);
  const pages = servePages();
  const url = `http://127.0.0.1:${env.PORT}`;
  const output = () => Deno.readTextFileSync(outputFile);
  /** Ends what is still there. */
  const clear = async () => {
    await killOrphans(env.RUN_DIR, 5000);
    await forgetKilled(env);
    await Deno.remove(env.RUN_DIR, { recursive: true }).catch(() => {});
    await Deno.remove(outputFile).catch(() => {});
    await pages[Symbol.asyncDispose]();
    if (!options.environment) await environment[Symbol.asyncDispose]();
  };

  try {
    await until("the service to answer", () => {
      if (hasEnded) throw new Error("the service ended");
      return isHealthy(url);
    });
  } catch (error) {
    const said = output();
    if (!hasEnded) child.kill("SIGTERM");
    await ended;
    await clear();
    throw new Error(`${(error as Error).message}; its output: ${said}`);
  }

  const cookie = env.AUTH_PASS ? await logIn(url, env.AUTH_USER, env.AUTH_PASS) : null;
  const api = (method: string, path: string, body?: unknown) => askApi(url, cookie, method, path, body);
  const json = async (response: Response) => {
    const text = await response.text();
    // the reason is in the service's log alone
    const logged = response.status === 500 ? output().slice(-2000) : "";
    assert.ok(response.ok, `${response.status} ${text} ${logged}`);
    return JSON.parse(text);
  };
  /** Asks again while the answer is 503: a supervisor that is busy may not answer the service in time. */
  const statuses = async (): Promise<Record<string, StreamStatus>> => {
    const { status, response } = await until("the supervisor to answer", async () => {
      const response = await api("GET", "/api/streams/statuses");
      return response.status !== 503 && { status: response.status, response };
    });
    assert.ok(status < 500, `${status}`);
    return await json(response);
  };
  const create = async (fields: Record<string, unknown>): Promise<PublicStream> =>
    await json(await api("POST", "/api/streams", { url: pages.url, ...options.streams ?? SLOW, ...fields }));
  const shared = new Map<string, Promise<PublicStream>>();

  return {
    url,
    mediaUrl: `http://127.0.0.1:${env.MEDIA_PORT}`,
    pageUrl: pages.url,
    pageRequests: pages.requests,
    dataDir: env.DATA_DIR,
    runDir: env.RUN_DIR,
    env,
    pid: child.pid,
    output,
    api,
    create,
    temporaryStream: async (fields) => {
      const stream = await create(fields);
      return Object.assign(stream, {
        [Symbol.asyncDispose]: async () => {
          await api("DELETE", `/api/streams/${stream.id}`);
        },
      });
    },
    sharedStream: (fields) => {
      if (!shared.has(fields.name)) shared.set(fields.name, create(fields));
      return shared.get(fields.name)!;
    },
    status: async (id) => (await statuses())[id],
    untilState: async (id, state, limitMs = patience()) => {
      const isSo = async () => (await statuses())[id].state === state;
      await within(`${id} to be ${state}`, limitMs, isSo, lookEveryMs());
    },
    settled: async () => {
      await until("all programs to be what they become", async () => {
        const all = Object.values(await statuses()).filter(({ state }) => state !== "stopped");
        const programs = all.flatMap(({ programs }) => programs);
        const isUp = ({ name, state }: StreamStatus["programs"][number]) =>
          state === "RUNNING" || HELPER_PROGRAMS.some((kind) => name.startsWith(`${kind}-`));
        return all.every(({ state }) => state === "running") && programs.every(isUp) &&
          programs.every(({ pid }) => pid === 0 || !isYetToBecome(pid));
      });
    },
    programPid: async (name) => {
      const programs = Object.values(await statuses()).flatMap(({ programs }) => programs);
      const program = programs.find((one) => one.name === name);
      assert.ok(program?.pid, `${name} does not run: ${JSON.stringify(program)}`);
      return program.pid;
    },
    processes: (command) => processesOfRun(env.RUN_DIR).filter((pid) => command.test(commandLine(pid))),
    stop: async () => {
      const start = performance.now();
      if (!hasEnded) child.kill("SIGTERM");
      await ended;
      const tookMs = performance.now() - start;
      try {
        assert.ok(tookMs < STOP_MS, `the stop took ${tookMs} ms`);
        assert.deepEqual(processesOfRun(env.RUN_DIR).map(commandLine), [], "processes are left");
        assert.ok(!await isThere(env.RUN_DIR), "the run directory is left");
        assert.deepEqual(slot.displayFiles(), [], "X locks or sockets are left");
      } finally {
        await clear();
      }
      return tookMs;
    },
  };
}

/** Removes what a killed service leaves to its next start: its users' numbers, and the kernel's rules for its ports. */
async function forgetKilled(env: Record<string, string>): Promise<void> {
  if (Deno.uid() !== 0) return;
  const config = parseConfig(env);
  await new UserRecords(pathsOf(config)).forgetAll();
  await removeTable(filterTable(config));
}

/** Logs in. @returns what a browser sends as its Cookie then. */
export async function logIn(url: string, user: string, pass: string): Promise<string> {
  const body = new URLSearchParams({ user, pass });
  const answer = await fetch(`${url}/login`, { method: "POST", body, redirect: "manual" });
  await answer.body?.cancel();
  assert.equal(answer.status, 303, "the login is refused");
  return answer.headers.get("set-cookie")!.split(";")[0];
}

/** Calls the API; `body` is sent as JSON. The answer is here as a whole: nobody needs to read or cancel it. */
export async function askApi(
  url: string,
  cookie: string | null,
  method: string,
  path: string,
  body?: unknown,
): Promise<Response> {
  const headers = new Headers(OWN_SCRIPT);
  if (body !== undefined) headers.set("content-type", "application/json");
  if (cookie !== null) headers.set("cookie", cookie);
  const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
  const bytes = await response.bytes();
  return new Response(bytes.length > 0 ? bytes : null, {
    status: response.status,
    headers: response.headers,
  });
}

/** Whether the web app answers. */
export async function isHealthy(url: string): Promise<boolean> {
  const response = await fetch(`${url}/healthz`).catch(() => null);
  await response?.body?.cancel();
  return response?.ok ?? false;
}

/** Whether a test of this name can run: who is not root leaves out what says that it needs root. */
export function canRun(name: string): boolean {
  return Deno.uid() === 0 || !name.endsWith("[needs root]");
}

/**
 * Registers tests that share one service: `const serviceTest = sharedService(); serviceTest(name, async (service) => …)`.
 * It is started before the file's first test, and stopped and checked after the last. Its streams are small.
 */
export function sharedService(
  options: Options = {},
): (name: string, test: (service: TestService) => Promise<void>) => void {
  let service: TestService | undefined;
  let isWanted = false;
  return (name, test) => {
    // all tests of it may be left to soak
    if (!isWanted) {
      Deno.test.beforeAll(async () => {
        service = await startService({ streams: SMALL, ...options });
      });
      Deno.test.afterAll(async () => {
        await service?.stop();
      });
    }
    isWanted = true;
    Deno.test({ name, ignore: !canRun(name), fn: () => test(service!) });
  };
}
