import assert from "node:assert/strict";
import { compareRoutes } from "../../../lib/fresh/build/scan.ts";
import { buildFixture, captureErrors } from "./fixture.ts";

const { fetch } = await buildFixture();

Deno.test("files are matched from the most to the least specific", () => {
  const inOrder = [
    "_app.tsx",
    "_middleware.ts",
    "_layout.tsx",
    "_error.tsx",
    "index.tsx",
    "a/_middleware.ts",
    "a/index.ts",
    "a/b.ts",
    "a/[id].html.ts",
    "a/[id].tsx",
    "a/[id]/index.ts",
    "a/[id]/edit.ts",
    "b.tsx",
    "(group)/c.tsx",
    "[id].tsx",
    "[...rest].tsx",
  ];
  const sorted = inOrder.toReversed().sort(compareRoutes);
  assert.deepEqual(
    sorted.filter((path) => !path.startsWith("_")),
    inOrder.filter((path) => !path.startsWith("_")),
  );
});

const ANSWERS: [request: string, status: number, text: RegExp][] = [
  ["GET /", 200, /<h1>Home<\/h1>/],
  ["GET /names/alpha", 200, /^alpha GET$/],
  ["PATCH /names/alpha", 200, /^alpha PATCH$/],
  ["GET /names/beta", 200, /^name beta$/],
  ["GET /player/news", 200, /<p>Player page news<\/p>/],
  ["GET /player/news.html", 200, /^player file news$/],
  ["GET /api/hls/a/b.m3u8", 200, /^path=a\/b\.m3u8$/],
  ["GET /api/hls", 200, /^path=$/],
  ["GET //api///hls//a", 200, /^path=a$/],
  ["GET /api/streams/7", 200, /^{"id":"7","route":"\/api\/streams\/:id"}$/],
  ["DELETE /api/streams/7", 204, /^$/],
  ["POST /api/streams/7/start", 202, /^started 7$/],
  ["GET /api/streams/7/start", 404, /Nothing at/],
  ["PUT /api/streams/7", 404, /Nothing at/],
  ["POST /", 404, /Nothing at/],
  ["POST /fragment", 200, /Fragment/],
  ["GET /Helper", 203, /Stream Helper/],
  ["GET /names", 203, /Stream names/],
  ["GET /names/a/b", 404, /Nothing at \/names\/a\/b/],
  ["GET /scoped/x", 200, /scoped middleware/],
  ["GET /registered/5", 200, /"route":"\/registered\/:id"/],
  ["PUT /registered/5", 405, /Root error: Method Not Allowed/],
  ["GET /late", 203, /Stream late/],
  ["GET /rendered", 201, /<body><main>from ctx\.render<\/main><\/body>/],
];

for (const [request, status, text] of ANSWERS) {
  Deno.test(`file routes: ${request}`, async () => {
    const [method, path] = request.split(" ");
    const response = await fetch(path, { method });
    assert.match(await response.text(), text);
    assert.equal(response.status, status);
  });
}

Deno.test("HEAD of a page and of a handler", async () => {
  for (const path of ["/", "/names/beta"]) {
    const response = await fetch(path, { method: "HEAD" });
    assert.deepEqual([response.status, response.body], [200, null]);
  }
});

Deno.test("middlewares run by folder, groups included, also for unmatched paths", async () => {
  assert.equal((await fetch("/")).headers.get("x-trail"), "app root1 root2");
  assert.equal((await fetch("/grouped")).headers.get("x-trail"), "app root1 root2 group");
  assert.match(await (await fetch("/nothing/here")).text(), /data-trail="app root1 root2"/);
});

Deno.test("page data, status and headers reach component and response", async () => {
  const response = await fetch("/abc%20d");
  assert.deepEqual([response.status, response.headers.get("x-page")], [203, "yes"]);
  assert.match(await response.text(), /<p data-route="\/:id">Stream abc d<\/p>/);
  assert.equal((await fetch("/evil", { method: "POST" })).headers.get("location"), "/evil/elsewhere");
});

Deno.test("the innermost error page answers, outside of its folder's middlewares", async () => {
  const { result: response, logged } = await captureErrors(() => fetch("/admin/deep/fail"));
  assert.equal(response.status, 500);
  assert.equal(response.headers.get("x-admin"), null);
  assert.equal(response.headers.get("x-trail"), "app root1 root2", "outer middlewares still surround it");
  const html = await response.text();
  assert.match(html, /<aside><p>Admin error<\/p><\/aside>/);
  assert.doesNotMatch(html, /secret detail/);
  assert.match(String(logged[0]), /secret detail/);
  assert.equal((await fetch("/admin/deep/fail?status=409")).status, 409);
});

Deno.test("the root error page has the status of the error and none of the root's headers", async () => {
  const response = await fetch("/plain/fail");
  assert.equal(response.status, 418);
  assert.equal(response.headers.get("x-trail"), null);
  assert.match(await response.text(), /<main><p class="error">Root error: short and stout<\/p><\/main>/);
});

Deno.test("the 404 page takes every 404, past inner error pages", async () => {
  const response = await fetch("/admin/deep/fail?status=404");
  assert.equal(response.status, 404);
  assert.match(await response.text(), /<main><p class="not-found">/);
});
