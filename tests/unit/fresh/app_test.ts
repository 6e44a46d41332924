import assert from "node:assert/strict";
import { App, HttpError, staticFiles } from "../../../lib/fresh/mod.ts";
import { captureErrors } from "./fixture.ts";

function get(app: App<unknown>, path: string, init?: RequestInit): Promise<Response> {
  return app.handler()(new Request(`http://localhost${path}`, init));
}

Deno.test("an app without file routes works without a build", async () => {
  const app = new App().use(staticFiles()).get("/hello/:name", (ctx) => ctx.text(`Hello ${ctx.params.name}`));
  assert.equal(await (await get(app, "/hello/you")).text(), "Hello you");
});

Deno.test("an app with file routes says what is missing", () => {
  assert.throws(() => new App().fsRoutes().handler(), /no build is installed.*_fresh\/server\.js/);
});

Deno.test("a missing method is 405 and OPTIONS lists the methods", async () => {
  const app = new App().get("/a", (ctx) => ctx.text("got")).post("/a", (ctx) => ctx.text("posted"));
  assert.equal((await get(app, "/a", { method: "PUT" })).status, 405);
  const options = await get(app, "/a", { method: "OPTIONS" });
  assert.equal(options.status, 204);
  assert.equal(options.headers.get("allow"), "GET, HEAD, OPTIONS, POST");
  assert.equal(await (await get(app, "/a", { method: "POST" })).text(), "posted");
});

Deno.test("every method has its registration", async () => {
  const echo = (ctx: { req: Request }) => new Response(null, { headers: { "x-method": ctx.req.method } });
  const app = new App().get("/", echo).post("/", echo).put("/", echo).patch("/", echo).delete("/", echo)
    .head("/", echo);
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]) {
    assert.equal((await get(app, "/", { method })).headers.get("x-method"), method);
  }
  assert.equal((await get(new App().all("/", echo), "/", { method: "OPTIONS" })).status, 200);
});

Deno.test("HEAD falls back to GET and drops the body", async () => {
  const app = new App().get("/", (ctx) => ctx.text("body", { headers: { "x-kept": "yes" } }));
  const response = await get(app, "/", { method: "HEAD" });
  assert.equal(response.headers.get("x-kept"), "yes");
  assert.equal(response.body, null);
  assert.equal((await get(app, "/missing", { method: "HEAD" })).body, null);
});

Deno.test("middlewares run in order, around each other, for what follows them", async () => {
  const app = new App<{ log: string[] }>()
    .get("/before", (ctx) => ctx.text("untouched"))
    .use(async (ctx) => {
      ctx.state.log = ["in1"];
      const response = await ctx.next();
      ctx.state.log.push("out1");
      response.headers.set("x-log", ctx.state.log.join());
      return response;
    }, async (ctx) => {
      ctx.state.log.push("in2");
      const response = await ctx.next();
      ctx.state.log.push("out2");
      return response;
    })
    .get("/after", (ctx) => {
      ctx.state.log.push("last but one");
      return ctx.next();
    }, (ctx) => ctx.text("touched"));
  const handle = app.handler();
  const before = await handle(new Request("http://localhost/before"));
  assert.equal(before.headers.get("x-log"), null);
  const after = await handle(new Request("http://localhost/after"));
  assert.equal(after.headers.get("x-log"), "in1,in2,last but one,out2,out1");
});

Deno.test("a scoped middleware runs at its path and below, also for unmatched paths", async () => {
  const app = new App().use("/api", (ctx) => ctx.text("stopped")).get("/apix", (ctx) => ctx.text("free"));
  assert.equal(await (await get(app, "/api")).text(), "stopped");
  assert.equal(await (await get(app, "/api/deep/down")).text(), "stopped");
  assert.equal(await (await get(app, "/apix")).text(), "free");
});

Deno.test("errors answer with their status, and only an HttpError's message is told", async () => {
  const app = new App()
    .get("/known", () => {
      throw new HttpError(409, "Already there");
    })
    .get("/plain", () => {
      throw new HttpError(403);
    })
    .get("/bug", () => {
      throw new Error("secret");
    });
  const known = await get(app, "/known");
  assert.deepEqual([known.status, await known.text()], [409, "Already there"]);
  assert.equal(await (await get(app, "/plain")).text(), "Forbidden");
  const { result: bug, logged } = await captureErrors(() => get(app, "/bug"));
  assert.deepEqual([bug.status, await bug.text()], [500, "Internal Server Error"]);
  assert.equal(logged.length, 1);
  assert.equal((await get(app, "/none")).status, 404);
});

const PARAMETERS: [pattern: string, path: string, params: Record<string, string> | null][] = [
  ["/a/:id", "/a/b%20c", { id: "b c" }],
  ["/a/:id", "/a/b%2Fc", { id: "b%2Fc" }],
  ["/a/:id", "/a/b/c", null],
  ["/a/:id", "/a/", null],
  ["/a/:id.html", "/a/x.y.html", { id: "x.y" }],
  ["/a/:id.html", "/a/xhtml", null],
  ["/a/:rest*", "/a", { rest: "" }],
  ["/a/:rest*", "/a/b/c.ts", { rest: "b/c.ts" }],
  ["/a/:rest*", "/ab", null],
  ["/a/*", "/a/b/c", {}],
  ["/a.b", "/axb", null],
  ["/:a/x/:b", "//1///x//2", { a: "1", b: "2" }],
];

for (const [pattern, path, params] of PARAMETERS) {
  Deno.test(`pattern ${pattern} on ${path}`, async () => {
    const app = new App().get(pattern, (ctx) => ctx.json([ctx.params, ctx.route]));
    const response = await get(app, path);
    if (params) assert.deepEqual(await response.json(), [params, pattern]);
    else assert.equal(response.status, 404);
  });
}

Deno.test("a malformed escape in a parameter is the client's error", async () => {
  const app = new App().get("/:id", (ctx) => ctx.text(ctx.params.id));
  assert.equal((await get(app, "/%E0%A4")).status, 400);
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
    const response = await get(new App().get("/", (ctx) => ctx.redirect(to)), "/");
    assert.deepEqual([response.status, response.headers.get("location")], [302, location]);
    response.headers.set("x-headers-are", "mutable");
  });
}

Deno.test("the base path is in front of every route and scope", async () => {
  const app = new App({ basePath: "/tv/" }).use("/in", (ctx) => ctx.text("scope")).get(
    "/",
    (ctx) => ctx.text("root"),
  )
    .get("/a", (ctx) => ctx.text("a"));
  assert.equal(await (await get(app, "/tv")).text(), "root");
  assert.equal(await (await get(app, "/tv/a")).text(), "a");
  assert.equal(await (await get(app, "/tv/in/x")).text(), "scope");
  assert.equal((await get(app, "/a")).status, 404);
});

Deno.test("forwarded scheme and host count only when the proxy is trusted", async () => {
  const headers = { "x-forwarded-proto": "https, http", "x-forwarded-host": "tv.example:8443" };
  const url = async (trustProxy: boolean) => {
    const app = new App({ trustProxy }).get("/", (ctx) => ctx.text(ctx.url.origin));
    return await (await app.handler()(new Request("http://inside:3000/", { headers }))).text();
  };
  assert.equal(await url(true), "https://tv.example:8443");
  assert.equal(await url(false), "http://inside:3000");
});

Deno.test("ctx has the connection and helpers for responses", async () => {
  const info: Deno.ServeHandlerInfo = {
    remoteAddr: { transport: "tcp", hostname: "192.0.2.1", port: 1 },
    completed: Promise.resolve(),
  };
  const app = new App()
    .get("/info", (ctx) => ctx.json(ctx.info.remoteAddr))
    .get("/html", (ctx) => ctx.html("<p>", { status: 201 }))
    .get("/xml", (ctx) => ctx.text("<x/>", { headers: { "content-type": "application/xml" } }));
  const answered = await app.handler()(new Request("http://localhost/info"), info);
  assert.equal((await answered.json()).hostname, "192.0.2.1");
  const html = await get(app, "/html");
  assert.deepEqual([html.status, html.headers.get("content-type")], [201, "text/html; charset=utf-8"]);
  assert.equal((await get(app, "/xml")).headers.get("content-type"), "application/xml");
});
