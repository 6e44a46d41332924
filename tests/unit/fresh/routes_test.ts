import assert from "node:assert/strict";
import { isPage } from "../../../lib/fresh/build/output.ts";
import { checkName, compareRoutes, exportProblem } from "../../../lib/fresh/build/scan.ts";
import type { RouteModule } from "../../../lib/fresh/build_cache.ts";
import { type Context, page } from "../../../lib/fresh/mod.ts";
import { captureErrors } from "./fixture.ts";
import { ask, makeApp } from "./make_app.ts";

Deno.test("files are matched from the most to the least specific", () => {
  const inOrder = [
    "index.tsx",
    "a/index.ts",
    "a/b.ts",
    "a/[id].html.ts",
    "a/[id].tsx",
    "a/[id]/index.ts",
    "a/[id]/edit.ts",
    "b.tsx",
    "[id].tsx",
    "[...rest].tsx",
  ];
  assert.deepEqual(inOrder.toReversed().sort(compareRoutes), inOrder);
});

Deno.test("files that render are pages, whatever their names end with, and a middleware is none", () => {
  const pages = ["index.tsx", "a/[id].jsx", "_app.tsx", "_app.ts", "_error.js"];
  const others = ["index.ts", "a/[id].html.js", "_middleware.ts", "_middleware.tsx"];
  assert.deepEqual([...pages, ...others].filter(isPage), pages);
});

const echo = (file: string): RouteModule => ({
  handler: { GET: (ctx: Context<unknown>) => ctx.json([file, ctx.params]) },
});
const FILES = [
  "index.ts",
  "a/index.ts",
  "a/[id].html.ts",
  "a/[id].ts",
  "b/[id]/edit.ts",
  "files/[...path].ts",
];
const ROUTES = Object.fromEntries(FILES.map((file) => [file, echo(file)]));

const MATCHES: [path: string, file: string | null, params?: Record<string, string>][] = [
  ["/", "index.ts", {}],
  ["/a", "a/index.ts", {}],
  ["/a/", "a/index.ts", {}],
  ["/a/b%20c", "a/[id].ts", { id: "b c" }],
  ["/a/b%2Fc", "a/[id].ts", { id: "b%2Fc" }],
  ["/a/x.y.html", "a/[id].html.ts", { id: "x.y" }],
  ["/a/xhtml", "a/[id].ts", { id: "xhtml" }],
  ["/a/b/c", null],
  ["/a/b/", null],
  ["/A", null],
  ["//b///1//edit", "b/[id]/edit.ts", { id: "1" }],
  ["/b/1/edit/", null],
  ["/files", "files/[...path].ts", { path: "" }],
  ["/files/b/c.ts?x=/y", "files/[...path].ts", { path: "b/c.ts" }],
  ["/files/", null],
  ["/files/b/", null],
  ["/filesb", null],
];

for (const [path, file, params] of MATCHES) {
  Deno.test(`${path} is matched by ${file}`, async () => {
    const response = await ask(ROUTES, path);
    if (file) assert.deepEqual(await response.json(), [file, params]);
    else assert.equal(response.status, 404);
  });
}

Deno.test("a malformed escape in a parameter is the client's error", async () => {
  assert.equal((await ask(ROUTES, "/a/%E0%A4")).status, 400);
});

const text = (value: string) => () => new Response(value);
const METHODS: Record<string, RouteModule> = {
  "api.ts": { handler: { GET: text("got"), PATCH: text("patched") } },
  "page.tsx": { default: () => "page" },
  "both.tsx": { handler: { POST: text("posted") }, default: () => "page" },
};
const ANSWERS: [request: string, status: number, body: RegExp][] = [
  ["GET /api", 200, /^got$/],
  ["HEAD /api", 200, /^$/],
  ["patch /api", 200, /^patched$/],
  ["PUT /api", 404, /./],
  ["toString /api", 404, /./],
  ["DELETE /page", 200, /page/],
  ["GET /both", 200, /page/],
  ["POST /both", 200, /^posted$/],
  ["PUT /both", 404, /./],
];

for (const [request, status, body] of ANSWERS) {
  Deno.test(`${request} is ${status}`, async () => {
    const [method, path] = request.split(" ");
    const response = await ask(METHODS, path, { method });
    assert.equal(response.status, status);
    assert.match(await response.text(), body);
  });
}

const MISTAKES: [module: RouteModule, message: RegExp][] = [
  [
    { handler: { GET: () => undefined as unknown as Response } },
    /routes\/index\.ts: the handler must return a Response or page/,
  ],
  [{ handler: { GET: () => page(1) } }, /routes\/index\.ts: page\(\.\.\.\) needs a component/],
  [{ default: () => Promise.resolve(null) }, /The component default must return JSX at once/],
  [{ default: () => new Response() }, /The component default must return JSX at once/],
];

for (
  const [routes, message] of [
    [{ "a.ts": { handler: text("") } }, /routes\/a\.ts: a handler is an object/],
    [
      { "_middleware.ts": { default: [text("")] }, "a.ts": { handler: { GET: text("") } } },
      /_middleware: .* one function/,
    ],
  ] as unknown as [Record<string, RouteModule>, RegExp][]
) {
  Deno.test(`what upstream would take is named: ${message.source}`, () => {
    assert.throws(() => makeApp(routes).handler(), { name: "TypeError", message });
  });
}

Deno.test("exports and names that are known upstream alone are named, with what to do", () => {
  assert.equal(exportProblem("a.ts", ["default", "handler", "LIMIT"]), null);
  assert.match(
    exportProblem("a.ts", ["handlers", "default"])!,
    /"handlers" is not known here\. Call it "handler"/,
  );
  assert.match(exportProblem("a.tsx", ["default", "config"])!, /"config" is not known here/);
  assert.match(exportProblem("_middleware.ts", ["default", "handler"])!, /have a default export alone/);
  assert.match(exportProblem("_error.tsx", ["default", "handler"])!, /have a default export alone/);
  assert.match(exportProblem("a.ts", ["LIMIT"])!, /must export default or handler/);
  assert.throws(() => checkName("a_test.ts"), /Put it into tests/);
  assert.throws(() => checkName("(group)/a.ts"), /only in routes/);
  checkName("api/latest.ts");
});

for (const [module, message] of MISTAKES) {
  Deno.test(`a mistake is explained: ${message.source}`, async () => {
    const { result, logged } = await captureErrors(() => ask({ "index.ts": module }, "/"));
    assert.equal(result.status, 500);
    assert.match((logged[0] as Error).message, message);
  });
}
