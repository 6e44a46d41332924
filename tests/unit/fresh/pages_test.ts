import assert from "node:assert/strict";
import { buildFixture } from "./fixture.ts";

const { fetch } = await buildFixture();
const html = async (path: string) => await (await fetch(path)).text();

Deno.test("a page stands in its layouts and in the app wrapper", async () => {
  const response = await fetch("/");
  assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
  const text = await response.text();
  assert.match(text, /^<!DOCTYPE html><html lang="en"/);
  assert.match(text, /<body><main><h1>Home<\/h1><\/main><\/body><\/html>$/);
});

Deno.test("async pages and layouts nest like others", async () => {
  assert.match(
    await html("/grouped"),
    /<main><section><p>Grouped after app,root1,root2,group<\/p><\/section><\/main>/,
  );
});

Deno.test("skipInheritedLayouts drops a page's layouts, and on a layout those above it", async () => {
  assert.match(await html("/bare"), /<body><p>Bare<\/p><\/body>/);
  assert.match(await html("/admin"), /<body><aside><p>Admin<\/p><\/aside><\/body>/);
});

Deno.test("skipAppWrapper leaves a bare document", async () => {
  const expected =
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"></head><body><p>Fragment</p></body></html>';
  assert.equal(await html("/fragment"), expected);
});

Deno.test("a component may answer with a response", async () => {
  const sync = await fetch("/plain/response");
  assert.deepEqual([sync.status, await sync.text()], [299, "from a component"]);
  assert.deepEqual(await (await fetch("/plain/async-response")).json(), { path: "/plain/async-response" });
});

Deno.test("Head adds to the head; titles and keys replace earlier ones", async () => {
  const [, head] = /<head>(.*)<\/head>/.exec(await html("/"))!;
  assert.match(head, /^<meta charset="utf-8"\/><title>Home &amp; more<\/title>/);
  assert.doesNotMatch(head, /Default title/);
  assert.deepEqual(head.match(/<meta name="description"[^>]*>/g), [
    '<meta name="description" content="home"/>',
  ]);
  assert.match(await html("/bare"), /<title>Default title<\/title>/);
});

Deno.test("a page without islands ships no JavaScript", async () => {
  assert.doesNotMatch(await html("/"), /<script|modulepreload|<!--/);
});
