import assert from "node:assert/strict";
import { type ComponentChildren, h } from "preact";
import { BUILD, type RouteModule } from "../../../lib/fresh/build_cache.ts";
import { HttpError, page, type PageProps } from "../../../lib/fresh/mod.ts";
import { Head } from "../../../lib/fresh/runtime.ts";
import { captureErrors } from "./fixture.ts";
import { ask, Island, makeApp } from "./make_app.ts";

Deno.test("a page stands in the app wrapper, without JavaScript where it has no island", async () => {
  const response = await ask({ "index.tsx": { default: () => h("h1", null, "Home") } }, "/");
  assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
  assert.equal(
    await response.text(),
    "<!DOCTYPE html><html><head></head><body><h1>Home</h1></body></html>",
  );
});

Deno.test("the files that render are loaded with the first page, and once", async () => {
  const app = makeApp({
    "index.tsx": { default: () => "Home" },
    "api.ts": { handler: { GET: () => new Response("answer") } },
  });
  const { snapshot } = app[BUILD]!;
  const { pages } = snapshot;
  let loads = 0;
  snapshot.pages = () => {
    loads++;
    return pages();
  };
  const answer = app.handler();
  const get = async (path: string) => await (await answer(new Request(`http://localhost${path}`))).text();
  assert.equal(await get("/api"), "answer");
  assert.equal(loads, 0);
  for (const text of await Promise.all([get("/"), get("/"), get("/")])) assert.match(text, /<body>Home/);
  assert.equal(loads, 1);
});

Deno.test("page data, status and headers reach component and response", async () => {
  const response = await ask({
    "[id].tsx": {
      handler: { GET: (ctx) => page({ id: ctx.params.id }, { status: 203, headers: { "x-page": "yes" } }) },
      default: ({ data, params, url }: PageProps) => JSON.stringify([data, params, url.pathname]),
    },
  }, "/7");
  assert.deepEqual([response.status, response.headers.get("x-page")], [203, "yes"]);
  assert.match(
    (await response.text()).replaceAll("&quot;", '"'),
    /<body>\[{"id":"7"},{"id":"7"},"\/7"\]<\/body>/,
  );
});

Deno.test("ctx.render renders in the app wrapper", async () => {
  const response = await ask({}, "/", {}, (ctx) => ctx.render(h("p", null, "drawn"), { status: 404 }));
  assert.equal(response.status, 404);
  assert.match(await response.text(), /<body><p>drawn<\/p><\/body>/);
});

Deno.test("an app wrapper without head or body is refused", async () => {
  const routes = { "_app.tsx": { default: () => h("html", null) }, "index.tsx": { default: () => "x" } };
  const { logged } = await captureErrors(() => ask(routes, "/"));
  assert.match((logged[0] as Error).message, /_app must render <html> with <head> and <body>/);
});

const fail = (error: Error): RouteModule => ({ handler: { GET: () => Promise.reject(error) } });
const ErrorPage = ({ error }: PageProps) => error instanceof HttpError ? error.message : "unexpected";
const ERRORS: Record<string, RouteModule> = {
  "_error.tsx": { default: ErrorPage },
  "known.ts": fail(new HttpError(418, "short and stout")),
  "bug.ts": fail(new Error("secret")),
};
const ERROR_PAGES: [request: string, status: number, body: string][] = [
  ["GET /known", 418, "short and stout"],
  ["GET /bug", 500, "unexpected"],
  ["GET /none", 404, "Not Found"],
  ["POST /known", 404, "Not Found"],
];

for (const [request, status, body] of ERROR_PAGES) {
  Deno.test(`the error page answers ${request}, outside of the middlewares`, async () => {
    const [method, path] = request.split(" ");
    const result = await ask(ERRORS, path, { method }, async (ctx) => {
      const response = await ctx.next();
      response.headers.set("x-after", "yes");
      return response;
    });
    assert.deepEqual([result.status, result.headers.get("x-after")], [status, null]);
    assert.match(await result.text(), new RegExp(`<body>${body}</body>`));
  });
}

Deno.test("an error page that fails leaves plain text", async () => {
  const Broken = () => {
    throw new Error("error page");
  };
  const { result } = await captureErrors(() =>
    ask({ ...ERRORS, "_error.tsx": { default: Broken } }, "/known")
  );
  assert.deepEqual([result.status, await result.text()], [500, "Internal Server Error"]);
});

const OWN_HEAD = [
  h("title", null, "own"),
  h("meta", { name: "theme", content: "dark" }),
  h("meta", { name: "theme", content: "light" }),
  h("script", { id: "s" }, "own"),
  h("link", { key: "k", rel: "icon", href: "own" }),
];
const Document = ({ Component }: PageProps) =>
  h("html", null, h("head", null, ...OWN_HEAD), h("body", null, h(Component, null)));
const OTHERS = '<meta name="theme" content="dark"/><meta name="theme" content="light"/>' +
  '<script id="s">own</script><link rel="icon" href="own"/>';
const HEADS: [what: string, added: ComponentChildren, head: string][] = [
  ["a title", h("title", null, "$& <"), `<title>$&amp; &lt;</title>${OTHERS}`],
  [
    "a meta of the same name",
    h("meta", { name: "theme", content: "page" }),
    `<title>own</title>${OTHERS.replace("dark", "page")}`,
  ],
  [
    "an element of the same id",
    h("script", { id: "s" }, "page"),
    `<title>own</title>${OTHERS.replace("own", "page")}`,
  ],
  [
    "a link of the same key",
    h("link", { key: "k", rel: "icon", href: "page" }),
    `<title>own</title>${OTHERS.replace('href="own"', 'href="page"')}`,
  ],
];

for (const [what, added, head] of HEADS) {
  Deno.test(`Head replaces ${what}`, async () => {
    const routes = {
      "_app.tsx": { default: Document },
      "index.tsx": { default: () => h(Head, null, added) },
    };
    const html = await (await ask(routes, "/")).text();
    assert.equal(/<head>(.*)<\/head>/.exec(html)![1], head);
  });
}

Deno.test("Head adds what is new; of several, the last one stays", async () => {
  const link = (href: string) => h(Head, null, h("link", { key: "page", rel: "icon", href }));
  const routes = {
    "_app.tsx": { default: Document },
    "index.tsx": { default: () => [link("1"), link("2")] },
  };
  assert.match(await (await ask(routes, "/")).text(), /href="own"\/><link rel="icon" href="2"\/><\/head>/);
});

const REFUSED: [what: string, node: ComponentChildren, message: RegExp][] = [
  ["a link without key", h(Head, null, h("link", { rel: "icon" })), /<link> in <Head> needs a key/],
  ["Head in an island", h(Island, null, h(Head, null)), /<Head> cannot stand in an island/],
];

for (const [what, node, message] of REFUSED) {
  Deno.test(`${what} is refused`, async () => {
    const { logged } = await captureErrors(() => ask({ "index.tsx": { default: () => node } }, "/"));
    assert.match((logged[0] as Error).message, message);
  });
}
