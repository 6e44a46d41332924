/** The real app in process, on a fake machine: a Request in, a Response out. Needs `deno task build`. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { type Config, parseConfig } from "../../lib/config.ts";
import { type App, createHandler, type Handler } from "../../lib/handler.ts";
import { type Paths, pathsOf } from "../../lib/paths.ts";
import { buildService, type Service } from "../../lib/service.ts";
import type { PublicStream } from "../../lib/streams/schema.ts";
import { setLogLevel } from "../../lib/system/log.ts";
import { loadTemplates } from "../../lib/templates.ts";
import { makeFolders, root, tempDir } from "./fixture.ts";
import { type FakeMachine, fakeMachine } from "./machine.ts";

setLogLevel("error");

export interface TestAppOptions {
  /** Environment variables of the service. */
  env?: Record<string, string>;
  /** An existing data directory: the web app's restart. It is left in place. */
  dir?: string;
  /** Whether the long-lived parts run: the reconciler's restore, the watchdogs, thumbnails on schedule. */
  isStarted?: boolean;
}

export interface TestApp extends AsyncDisposable {
  /** Holds its data, as `TestAppOptions.dir`. */
  dir: string;
  config: Config;
  paths: Paths;
  machine: FakeMachine;
  service: Service;
  handler: Handler;
  /** A request from `peer`, a path alone being http://127.0.0.1:3000's. */
  fetch(input: string, init?: RequestInit & { peer?: string }): Promise<Response>;
  /** Sends `body` as JSON and reads the answer as JSON. */
  // deno-lint-ignore no-explicit-any -- each test knows what it asked for
  api(method: string, path: string, body?: unknown): Promise<{ status: number; headers: Headers; json: any }>;
  /** @throws {AssertionError} when the stream is refused. */
  create(fields?: Record<string, unknown>): Promise<PublicStream>;
}

/** A channel that was published once stays fresh: nobody writes to it here. */
const PATIENT = { playlistStaleMs: 3_600_000, encoderSilentSeconds: 3600 };

// the bundler's output has no types
const built: Promise<{ default: { fetch: App } }> = import(join(root, "_fresh/server.js"));

export async function testApp(options: TestAppOptions = {}): Promise<TestApp> {
  const own = options.dir === undefined ? await tempDir("/dev/shm") : null; // no disk, no waiting for it
  const dir = options.dir ?? own!.path;
  const { TIMINGS = "{}", ...env } = options.env ?? {};
  const config = parseConfig({
    DATA_DIR: join(dir, "data"),
    RUN_DIR: join(dir, "run"),
    TIMINGS: JSON.stringify({ ...PATIENT, ...JSON.parse(TIMINGS) }),
    ...env,
  });
  const paths = pathsOf(config);
  await makeFolders(paths);
  const machine = fakeMachine(paths);
  const service = await buildService(config, await loadTemplates(root), machine);
  const { default: app } = await built;
  const handler = createHandler(service, app.fetch);
  if (options.isStarted) service.start();

  const request: TestApp["fetch"] = (input, { peer = "127.0.0.1", ...init } = {}) => {
    const url = new URL(input, "http://127.0.0.1:3000");
    const headers = new Headers(init.headers);
    if (!headers.has("host")) headers.set("host", url.host);
    const info: Deno.ServeHandlerInfo = {
      remoteAddr: { transport: "tcp", hostname: peer, port: 50_000 },
      completed: Promise.resolve(),
    };
    return handler(new Request(url, { ...init, headers }), info);
  };
  const api: TestApp["api"] = async (method, path, body) => {
    const json = body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const response = await request(path, { method, ...json });
    const text = await response.text();
    return { status: response.status, headers: response.headers, json: text ? JSON.parse(text) : null };
  };
  return {
    dir,
    config,
    paths,
    machine,
    service,
    handler,
    fetch: request,
    api,
    create: async (fields) => {
      const body = { name: "Clock", url: "https://clock.example.org/", ...fields };
      const { status, json } = await api("POST", "/api/streams", body);
      assert.equal(status, 201, JSON.stringify(json));
      return json;
    },
    [Symbol.asyncDispose]: async () => {
      await service.stop();
      await own?.[Symbol.asyncDispose]();
    },
  };
}

/** One test with an app of its own. */
export function appTest(name: string, test: (app: TestApp) => Promise<void>, options?: TestAppOptions): void {
  Deno.test(name, async () => {
    await using app = await testApp(options);
    await test(app);
  });
}
