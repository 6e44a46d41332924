/** The real app in process, on a fake machine: a Request in, a Response out. Needs `deno task build`. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { type App, createHandler, type Handler } from "../../lib/handler.ts";
import type { PublicStream } from "../../lib/model/schema.ts";
import { twoNodes } from "./asked_node.ts";
import { root } from "./fixture.ts";
import { type MemoryOptions, type MemoryService, memoryService } from "./memory_service.ts";

export interface TestAppOptions extends MemoryOptions {
  /** Whether all is asked of a node beside the one that has the streams (asked_node.ts). */
  isAskedBeside?: boolean;
}

export interface TestApp extends MemoryService {
  handler: Handler;
  /** As `fetch`, from the node that has the streams. */
  fetchOwner: TestApp["fetch"];
  /** "METHOD path" of what the asked node has asked of the owner; empty for a machine that is alone. */
  passed: string[];
  /** A request from `peer`, a path alone being http://127.0.0.1:3000's. */
  fetch(input: string, init?: RequestInit & { peer?: string }): Promise<Response>;
  /** Sends `body` as JSON, logged in, and reads the answer as JSON. */
  // deno-lint-ignore no-explicit-any -- each test knows what it asked for
  api(method: string, path: string, body?: unknown): Promise<{ status: number; headers: Headers; json: any }>;
  /** Resolves when all that was begun has ended: work on streams, trials, and what is stored behind an answer. */
  idle(): Promise<void>;
  /** @throws {AssertionError} when the stream is refused. */
  create(fields?: Record<string, unknown>): Promise<PublicStream>;
}

// the bundler's output has no types
const built: Promise<{ default: { fetch: App } }> = import(join(root, "_fresh/server.js"));

export async function testApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { default: app } = await built;
  if (options.membership || !options.isAskedBeside) {
    const memory = await memoryService(options);
    return appOf(memory, createHandler(memory.service, app.fetch));
  }
  const { owner, asked, answering, hear } = await twoNodes(options);
  const ownHandler = createHandler(owner.service, app.fetch);
  const passed: string[] = [];
  answering((request, info) => {
    const { pathname, search } = new URL(request.url);
    passed.push(`${request.method} ${pathname}${search}`);
    return ownHandler(request, info);
  });
  const ask = createHandler(asked.service, app.fetch);
  const test = appOf(owner, async (request, info) => {
    await hear();
    return await ask(request, info);
  });
  return {
    ...test,
    passed,
    fetchOwner: appOf(owner, ownHandler).fetch,
    idle: async () => {
      await idle(asked.service);
      await test.idle();
    },
    [Symbol.asyncDispose]: async () => {
      await asked[Symbol.asyncDispose]();
      await test[Symbol.asyncDispose]();
    },
  };
}

async function idle({ fleet, trial, accessTokens, events }: TestApp["service"]): Promise<void> {
  await fleet.settled();
  await trial.settled();
  await accessTokens.settled();
  // those of all that has ended
  await events.saved();
}

/** @param handler answers what is asked of the service. */
function appOf(memory: MemoryService, handler: Handler): TestApp {
  const { service } = memory;

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
    const headers = new Headers();
    if (body !== undefined) headers.set("content-type", "application/json");
    if (service.login.isOn) headers.set("cookie", sessionCookie(service));
    const response = await request(path, { method, headers, body: JSON.stringify(body) });
    const text = await response.text();
    return { status: response.status, headers: response.headers, json: text ? JSON.parse(text) : null };
  };
  return {
    ...memory,
    handler,
    fetch: request,
    fetchOwner: request,
    passed: [],
    api,
    idle: () => idle(service),
    create: async (fields) => {
      const body = { name: "Clock", url: "https://clock.example.org/", ...fields };
      const { status, json } = await api("POST", "/api/streams", body);
      assert.equal(status, 201, JSON.stringify(json));
      return json;
    },
  };
}

/** What a browser that is logged in sends as its Cookie. */
export function sessionCookie({ login }: Pick<TestApp["service"], "login">): string {
  assert.ok(login.environmentUser, "this service has no login");
  return login.session.cookie(false).split(";")[0];
}

/** One test with an app of its own. */
export function appTest(name: string, test: (app: TestApp) => Promise<void>, options?: TestAppOptions): void {
  Deno.test(name, async () => {
    await using app = await testApp(options);
    await test(app);
  });
}
