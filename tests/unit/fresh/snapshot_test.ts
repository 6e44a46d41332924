import assert from "node:assert/strict";
import { h } from "preact";
import { installBuild, type RouteModule } from "../../../lib/fresh/build_cache.ts";
import { App, type FreshConfig, page, type PageProps, staticFiles } from "../../../lib/fresh/mod.ts";
import { asset, Head } from "../../../lib/fresh/runtime.ts";
import { captureErrors, makeScratchDir } from "./fixture.ts";

function Island({ text }: { text: string }) {
  return h("b", null, text);
}

/** An app of the given route modules, without a build. */
function makeApp(routes: Record<string, RouteModule>, config: FreshConfig = {}) {
  const staticDir = makeScratchDir();
  Deno.writeTextFileSync(`${staticDir}/a.txt`, "a");
  const app = new App(config).use(staticFiles()).fsRoutes();
  installBuild(app, {
    buildId: "1d",
    boot: { url: "/_fresh/js/boot.js", imports: [] },
    routes: Object.entries(routes).map(([path, module]) => ({ path, module })),
    islands: [{ name: "Island", module: { default: Island }, url: "/_fresh/js/island.js", imports: [] }],
    files: { "/a.txt": { hash: "0", type: "text/plain", size: 1 } },
  }, staticDir);
  const handle = app.handler();
  return (path: string, init?: RequestInit) => handle(new Request(`http://localhost${path}`, init));
}

Deno.test("the base path is in front of routes, files, bundles and assets", async () => {
  const get = makeApp({
    "index.tsx": { default: () => h("div", null, h(Island, { text: asset("/a.txt") })) },
    "x/[id].ts": { handler: (ctx) => ctx.json([ctx.params, ctx.config.basePath]) },
  }, { basePath: "/tv" });
  const html = await (await get("/tv")).text();
  assert.match(html, /<b>\/tv\/a\.txt\?__frsh_c=1d<\/b>/);
  assert.match(html, /<link rel="modulepreload" href="\/tv\/_fresh\/js\/island\.js">/);
  assert.match(html, /"islands":\[\["\/tv\/_fresh\/js\/island\.js","default"\]\]/);
  assert.match(html, /<script type="module" src="\/tv\/_fresh\/js\/boot\.js">/);
  assert.equal(asset("/tv/a.txt"), "/tv/a.txt?__frsh_c=1d");
  assert.equal(await (await get("/tv/a.txt")).text(), "a");
  assert.equal((await get("/a.txt")).status, 404);
  assert.deepEqual(await (await get("/tv/x/1")).json(), [{ id: "1" }, "/tv"]);
});

Deno.test("without an app wrapper, Head still reaches the document", async () => {
  const get = makeApp({ "index.tsx": { default: () => h("p", null, h(Head, null, h("title", null, "T"))) } });
  const head = '<head><meta charset="utf-8"><title>T</title></head>';
  assert.equal(
    await (await get("/")).text(),
    `<!DOCTYPE html><html lang="en">${head}<body><p></p></body></html>`,
  );
});

Deno.test("an app wrapper without head and body gets what the page needs", async () => {
  const get = makeApp({
    "_app.tsx": { default: ({ Component }: PageProps) => h("html", { lang: "de" }, h(Component, null)) },
    "index.tsx": { default: () => [h(Head, null, h("title", null, "$&")), h(Island, { text: "i" })] },
  });
  const html = await (await get("/")).text();
  assert.match(
    html,
    /^<!DOCTYPE html><html lang="de"><head><title>\$&amp;<\/title><link rel="modulepreload"/,
  );
  assert.match(html, /<script type="module" src="[^"]+"><\/script>$/);
});

Deno.test("an error page that fails hands over to the outer one", async () => {
  const fail = (text: string) => () => {
    throw new Error(text);
  };
  const get = makeApp({
    "_error.tsx": { handler: (ctx) => ctx.text(`outer: ${(ctx.error as Error).message}`, { status: 500 }) },
    "a/_error.tsx": { default: fail("error page") },
    "a/index.ts": { handler: fail("handler") },
  });
  const { result } = await captureErrors(() => get("/a"));
  assert.equal(await result.text(), "outer: error page");
});

const MISTAKES: [module: RouteModule, message: RegExp][] = [
  [
    { handler: () => undefined as unknown as Response },
    /routes\/index\.ts: the handler must return a Response or page/,
  ],
  [{ handler: () => page(1) }, /routes\/index\.ts: page\(\.\.\.\) needs a component/],
  [{ default: () => Promise.resolve(null) }, /Declare the component default as an async function/],
];

for (const [module, message] of MISTAKES) {
  Deno.test(`a mistake is explained: ${message.source}`, async () => {
    const { result, logged } = await captureErrors(() => makeApp({ "index.ts": module })("/"));
    assert.equal(result.status, 500);
    assert.match((logged[0] as Error).message, message);
  });
}

Deno.test("methods of a page without a handler, and inherited names as methods", async () => {
  const get = makeApp({
    "all.tsx": { default: () => "all", config: { methods: "ALL" } },
    "get.tsx": { handler: { POST: (ctx) => ctx.text("posted") }, default: () => "got" },
  });
  assert.equal((await get("/all", { method: "PATCH" })).status, 200);
  assert.match(await (await get("/get")).text(), /got/);
  assert.equal((await get("/get", { method: "PUT" })).status, 404);
  assert.equal((await get("/get", { method: "toString" })).status, 404);
});
