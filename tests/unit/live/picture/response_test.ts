import assert from "node:assert/strict";
import { namesTag } from "../../../../lib/door/conditional.ts";
import { entityTag, pictureResponse, placeholderResponse } from "../../../../lib/live/picture/response.ts";

const bytes = Uint8Array.from([0xff, 0xd8, 1, 0xff, 0xd9]);
const capturedAt = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const tag = entityTag(bytes);

function answer(ifNoneMatch?: string): Response {
  const headers = ifNoneMatch === undefined ? undefined : { "if-none-match": ifNoneMatch };
  return pictureResponse(new Request("http://x/thumb", { headers }), bytes, capturedAt);
}

Deno.test("equal thumbnails have equal tags, others do not", () => {
  assert.match(tag, /^"[\w-]{22}"$/);
  assert.equal(entityTag(bytes.slice()), tag);
  assert.notEqual(entityTag(bytes.slice(1)), tag);
});

const MATCHES: [header: string | null, matches: boolean][] = [
  [null, false],
  ["", false],
  [tag, true],
  [`W/${tag}`, true],
  ["*", true],
  [" * ", true],
  [`"other", ${tag}`, true],
  [`W/"other",W/${tag} , "third"`, true],
  ['"other"', false],
  [tag.slice(1, -1), false],
  [`"*"`, false],
];
for (const [header, matches] of MATCHES) {
  Deno.test(`If-None-Match ${header}: ${matches ? "304" : "200"}`, async () => {
    assert.equal(namesTag(header, tag), matches);
    const response = answer(header ?? undefined);
    assert.equal(response.status, matches ? 304 : 200);
    assert.deepEqual(await response.bytes(), matches ? new Uint8Array() : bytes);
    assert.equal(response.headers.get("etag"), tag);
    assert.equal(response.headers.get("cache-control"), "no-cache");
    assert.equal(response.headers.get("last-modified"), "Fri, 02 Jan 2026 03:04:05 GMT");
    assert.equal(response.headers.get("content-type"), matches ? null : "image/jpeg");
    assert.equal(response.headers.get("content-length"), matches ? null : "5");
  });
}

Deno.test("the placeholder is an image that our content policy lets through, whatever the status", async () => {
  for (const [isComing, status] of [[true, 202], [false, 404]] as const) {
    const response = placeholderResponse(isComing);
    assert.equal(response.status, status);
    assert.equal(response.headers.get("content-type"), "image/svg+xml");
    assert.equal(response.headers.get("cache-control"), "no-store");
    assert.equal(response.headers.has("retry-after"), isComing);
    const text = await response.text();
    assert.match(text, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 640 360"/);
    assert.doesNotMatch(text, /style|script|href/);
  }
});
