import assert from "node:assert/strict";
import { buildFixture } from "./fixture.ts";

const { asset, fetch } = await buildFixture();

async function read(path: string, init?: RequestInit) {
  const response = await fetch(path, init);
  return { response, body: await response.text(), header: (name: string) => response.headers.get(name) };
}

Deno.test("a file has its type, its length and a strong validator", async () => {
  const { response, body, header } = await read("/style.css");
  assert.equal(response.status, 200);
  assert.match(body, /color: black/);
  assert.equal(header("content-type"), "text/css; charset=utf-8");
  assert.equal(header("content-length"), String(body.length));
  assert.equal(header("cache-control"), "no-cache");
  assert.match(header("etag")!, /^"[0-9a-f]{32}"$/);
});

Deno.test("the validator answers 304", async () => {
  const etag = (await read("/style.css")).header("etag")!;
  for (const value of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
    const { response, body } = await read("/style.css", { headers: { "if-none-match": value } });
    assert.deepEqual([response.status, body], [304, ""], value);
    assert.equal(response.headers.get("etag"), etag);
  }
  assert.equal((await read("/style.css", { headers: { "if-none-match": '"other"' } })).response.status, 200);
});

Deno.test("asset() locks a path to the build; only the right id is immutable", async () => {
  const url = asset("/style.css");
  assert.match(url, /^\/style\.css\?__frsh_c=[0-9a-f]{32}$/);
  assert.equal((await read(url)).header("cache-control"), "public, max-age=31536000, immutable");
  assert.equal((await read("/style.css?__frsh_c=old")).header("cache-control"), "no-cache");
});

const UNTOUCHED = ["style.css", "https://other.example/x", "//other.example/x", ""];
for (const path of UNTOUCHED) {
  Deno.test(`asset(${JSON.stringify(path)}) stays`, () => assert.equal(asset(path), path));
}

Deno.test("asset() keeps query and fragment and works once", () => {
  const url = asset("/sprite.svg?v=1#icon");
  assert.match(url, /^\/sprite\.svg\?v=1&__frsh_c=[0-9a-f]{32}#icon$/);
  assert.equal(asset(url), url);
});

Deno.test("HEAD has the headers only, other methods are 405", async () => {
  const { response, body, header } = await read("/style.css", { method: "HEAD" });
  assert.deepEqual([response.status, body], [200, ""]);
  assert.equal(header("content-length"), String((await read("/style.css")).body.length));
  const post = await read("/style.css", { method: "POST" });
  assert.equal(post.response.status, 405);
  assert.equal(post.header("allow"), "GET, HEAD");
});

Deno.test("escaped names are found", async () => {
  assert.equal((await read("/sub/a%20file.txt")).body, "deep file\n");
});

Deno.test("dot files are not published, .well-known is", async () => {
  assert.equal((await read("/.left-over.txt")).response.status, 404);
  assert.equal((await read("/.well-known/about.txt")).body, "well known\n");
});

const OUTSIDE = [
  "/../main.ts",
  "/%2e%2e/main.ts",
  "/..%2fmain.ts",
  "/sub/..%5c..%5cmain.ts",
  "/sub/",
  "/%00",
  "/%E0%A4",
];
for (const path of OUTSIDE) {
  Deno.test(`no file outside of static/: ${path}`, async () => {
    const { body } = await read(path);
    assert.doesNotMatch(body, /import|deep file/);
  });
}
