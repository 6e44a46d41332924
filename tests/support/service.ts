/** The real service for tests: own ports, displays and data directory, so that it runs beside another one. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import type { PublicStream } from "../../lib/streams/schema.ts";
import type { StreamStatus } from "../../lib/streams/status.ts";
import { processesOfRun } from "../../lib/system/orphans.ts";
import { servePages } from "./page.ts";

const root = new URL("../..", import.meta.url).pathname;

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

export interface Options {
  /** Command line of the program under test. */
  program?: string[];
  /** An existing data directory to start with; it is then left in place. */
  dataDir?: string;
  env?: Record<string, string>;
  cwd?: string;
}

export interface TestService {
  url: string;
  mediaUrl: string;
  /** The test page to stream. */
  pageUrl: string;
  dataDir: string;
  runDir: string;
  env: Record<string, string>;
  /** The pid of `up`. */
  pid: number;
  output(): string;
  /** Calls the API; `body` is sent as JSON. */
  api(method: string, path: string, body?: unknown): Promise<Response>;
  create(fields: Record<string, unknown>): Promise<PublicStream>;
  status(id: string): Promise<StreamStatus>;
  /** The pid of a program such as "encoder-clock". @throws when it does not run. */
  programPid(name: string): Promise<number>;
  /** The pids of the service's processes whose command line matches. */
  processes(command: RegExp): number[];
  /** SIGTERM; returns milliseconds until the end. Checks that nothing is left. */
  stop(): Promise<number>;
}

/** A free TCP port of loopback. */
export function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  listener.close();
  return listener.addr.port;
}

/** Displays between one test service's base and the next. */
const OWN_DISPLAYS = 20;

let instances = 0;

/** Environment of a service of its own. */
export async function ownEnvironment(options: Options = {}): Promise<Record<string, string>> {
  const dataDir = options.dataDir ?? await makeDataDir();
  const number = (Deno.pid % 40 * 10 + instances++ % 10) * OWN_DISPLAYS;
  return {
    HOST: "127.0.0.1",
    PORT: String(freePort()),
    MEDIA_PORT: String(freePort()),
    RTMP_PORT: String(freePort()),
    VNC_PROXY_PORT: String(freePort()),
    DISPLAY_BASE: String(1000 + number),
    DEVTOOLS_PORT_BASE: String(20000 + number),
    DATA_DIR: dataDir,
    RUN_DIR: `/dev/shm/bs-test-${Deno.pid}-${instances}`,
    LOG_LEVEL: "debug",
    // not the machine's: the tests' own browser must not be restricted
    CHROMIUM_POLICY_DIR: join(dataDir, "policies"),
    ...options.env,
  };
}

/** A data directory that the pipeline's user can reach. */
export async function makeDataDir(): Promise<string> {
  const dir = await Deno.makeTempDir({ prefix: "browser-stream-test-" });
  await Deno.chmod(dir, 0o755);
  return dir;
}

/** Starts `up` and waits until the web app answers. */
export async function startService(options: Options = {}): Promise<TestService> {
  const env = await ownEnvironment(options);
  const others = leftDisplays(Number(env.DISPLAY_BASE)); // of another run, whose numbers happen to be the same
  // under a strict umask: what the pipeline's user needs must be readable all the same
  const program = ["/bin/sh", "-c", 'umask 077; exec "$@"', "sh", ...options.program ?? SOURCE_PROGRAM];
  const [command, ...args] = program;
  const child = new Deno.Command(command, {
    args: [...args, "up"],
    env,
    cwd: options.cwd ?? "/",
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  const collect = async (from: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of from) output += decoder.decode(chunk, { stream: true });
  };
  const collected = Promise.all([collect(child.stdout), collect(child.stderr)]);
  let hasEnded = false;
  child.status.then(() => hasEnded = true);
  const pages = servePages();
  const url = `http://127.0.0.1:${env.PORT}`;

  await until(`the service to answer (its output: ${output})`, 30_000, async () => {
    if (hasEnded) throw new Error(`the service ended: ${output}`);
    const response = await fetch(`${url}/healthz`).catch(() => null);
    await response?.body?.cancel();
    return response?.ok;
  });

  const api = (method: string, path: string, body?: unknown) =>
    fetch(url + path, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
  const json = async (response: Response) => {
    const text = await response.text();
    assert.ok(response.ok, `${response.status} ${text}`);
    return JSON.parse(text);
  };

  return {
    url,
    mediaUrl: `http://127.0.0.1:${env.MEDIA_PORT}`,
    pageUrl: pages.url,
    dataDir: env.DATA_DIR,
    runDir: env.RUN_DIR,
    env,
    pid: child.pid,
    output: () => output,
    api,
    create: async (fields) => await json(await api("POST", "/api/streams", { url: pages.url, ...fields })),
    status: async (id) => (await json(await api("GET", "/api/streams/statuses")))[id],
    programPid: async (name) => {
      const statuses: Record<string, StreamStatus> = await json(await api("GET", "/api/streams/statuses"));
      const program = Object.values(statuses).flatMap(({ programs }) => programs).find((one) =>
        one.name === name
      );
      assert.ok(program?.pid, `${name} does not run: ${JSON.stringify(program)}`);
      return program.pid;
    },
    processes: (command) =>
      processesOfRun(env.RUN_DIR).filter((pid) => {
        return command.test(commandLine(pid));
      }),
    stop: async () => {
      const start = performance.now();
      if (!hasEnded) child.kill("SIGTERM");
      await child.status;
      await collected;
      const took = performance.now() - start;
      await pages[Symbol.asyncDispose]();
      assert.deepEqual(processesOfRun(env.RUN_DIR), [], "processes are left");
      await assert.rejects(Deno.stat(env.RUN_DIR), "the run directory is left");
      const left = leftDisplays(Number(env.DISPLAY_BASE)).filter((name) => !others.includes(name));
      assert.deepEqual(left, [], "X locks or sockets are left");
      if (!options.dataDir) await Deno.remove(env.DATA_DIR, { recursive: true });
      return took;
    },
  };
}

/** Empty for a process that has just ended. */
function commandLine(pid: number): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/cmdline`).split("\0").join(" ");
  } catch {
    return "";
  }
}

/** Locks and sockets of the displays a test may have used. */
function leftDisplays(base: number): string[] {
  const files = ["/tmp", "/tmp/.X11-unix"].flatMap((folder) =>
    [...Deno.readDirSync(folder)].map(({ name }) => name)
  );
  return files.filter((name) => {
    const display = Number(/^(?:\.X(\d+)-lock|X(\d+))$/.exec(name)?.slice(1).find(Boolean) ?? NaN);
    return display > base && display <= base + OWN_DISPLAYS;
  });
}

/** Waits until `check` says yes. @throws {Error} naming `what` after `limit` ms; what `check` throws last. */
export async function until(
  what: string,
  limit: number,
  check: () => Promise<unknown> | unknown,
  everyMs = 100,
): Promise<void> {
  const end = Date.now() + limit;
  while (!await check()) {
    if (Date.now() > end) throw new Error(`waited ${limit / 1000} s for ${what}`);
    await pause(everyMs);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
