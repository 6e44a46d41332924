import assert from "node:assert/strict";
import { App, HttpError, type Middleware } from "../../../lib/fresh/mod.ts";
import { ask, makeApp } from "./make_app.ts";
import { captureErrors } from "./fixture.ts";

const url = "http://localhost/";
const text = (value: string) => () => new Response(value);

Deno.test("an app without a build says what is missing", () => {
  assert.throws(() => new App().fsRoutes().handler(), /No build is installed.*_fresh\/server\.js/);
});

Deno.test("a middleware that would not reach the routes is refused", () => {
  assert.throws(() => new App().fsRoutes().use((ctx) => ctx.next()), /before fsRoutes/);
});

Deno.test("an app gives any number of handlers", async () => {
  const app = makeApp({ "index.ts": { handler: { GET: text("home") } } });
  const handlers = [app.handler(), app.handler()];
  for (const handler of handlers) assert.equal(await (await handler(new Request(url))).text(), "home");
});

Deno.test("ctx.info is what the handler was given", async () => {
  const info = { remoteAddr: { transport: "tcp", hostname: "192.0.2.1", port: 1 }, own: Symbol() };
  const seen: unknown[] = [];
  const app = makeApp({}, (ctx) => {
    seen.push(ctx.info);
    return new Response();
  });
  await app.handler()(new Request(url), info as unknown as Deno.ServeHandlerInfo);
  assert.equal(seen[0], info);
});

Deno.test("middlewares run in order, around each other, also for unmatched paths", async () => {
  const log: string[] = [];
  const middleware = (name: string): Middleware => async (ctx) => {
    log.push(`in ${name}`);
    const response = await ctx.next();
    log.push(`out ${name}`);
    return response;
  };
  const routes = {
    "_middleware.ts": { default: middleware("file") },
    "index.ts": { handler: { GET: text("") } },
  };
  await ask(routes, "/", {}, middleware("one"), middleware("two"));
  assert.deepEqual(log, ["in one", "in two", "in file", "out file", "out two", "out one"]);
  log.length = 0;
  await ask(routes, "/none", {}, middleware("one"));
  assert.deepEqual(log, ["in one", "in file"]);
});

Deno.test("a middleware's catch finds the error in ctx.error", async () => {
  const error = new HttpError(409);
  const routes = { "index.ts": { handler: { GET: () => Promise.reject(error) } } };
  const response = await ask(routes, "/", {}, async (ctx) => {
    try {
      return await ctx.next();
    } catch {
      return ctx.json(ctx.error === error);
    }
  });
  assert.equal(await response.json(), true);
});

Deno.test("without an error page, only an HttpError's message is told", async () => {
  const answer = (error: Error) =>
    ask({ "index.ts": { handler: { GET: () => Promise.reject(error) } } }, "/");
  const known = await answer(new HttpError(409, "Already there"));
  assert.deepEqual([known.status, await known.text()], [409, "Already there"]);
  assert.equal(await (await answer(new HttpError(403))).text(), "Forbidden");
  const { result: bug, logged } = await captureErrors(() => answer(new Error("secret")));
  assert.deepEqual([bug.status, await bug.text()], [500, "Internal Server Error"]);
  assert.equal(logged.length, 1);
});

const REDIRECTS: [to: string, location: string][] = [
  ["/login?to=//x", "/login?to=//x"],
  ["//evil.example", "/evil.example"],
  ["/\\evil.example", "/evil.example"],
  ["\\/evil.example", "/evil.example"],
  ["/\t/evil.example", "/evil.example"],
  ["https://good.example/x", "https://good.example/x"],
  ["?page=2", "?page=2"],
];

for (const [to, location] of REDIRECTS) {
  Deno.test(`redirect to ${JSON.stringify(to)}`, async () => {
    const response = await ask({}, "/", {}, (ctx) => ctx.redirect(to));
    assert.deepEqual([response.status, response.headers.get("location")], [302, location]);
    response.headers.set("x-headers-are", "mutable");
  });
}
