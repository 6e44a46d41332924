/** /api/streams/{id}/thumb. */
import { strict as assert } from "node:assert";
import { appTest, type TestApp } from "../support/app.ts";
import { JPEG } from "../support/machine.ts";
import { until } from "../support/service.ts";

/** A stream with a thumbnail; returns its address and tag. */
async function withThumbnail(app: TestApp): Promise<{ id: string; path: string; etag: string }> {
  const { id } = await app.create();
  const path = `/api/streams/${id}/thumb`;
  app.machine.advance(60_000);
  await app.api("POST", path);
  await until(
    "the thumbnail",
    5000,
    async () => (await app.api("GET", "/api/streams/statuses")).json[id].thumbAt,
  );
  const answer = await app.fetch(path);
  assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, "image/jpeg"]);
  assert.equal(answer.headers.get("cache-control"), "no-cache");
  assert.deepEqual(await answer.bytes(), JPEG);
  return { id, path, etag: answer.headers.get("etag")! };
}

async function assertPlaceholder(answer: Response, status: number): Promise<void> {
  assert.equal(answer.status, status);
  assert.equal(answer.headers.get("content-type"), "image/svg+xml");
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.match(await answer.text(), /^<svg /);
}

appTest("before there is a thumbnail an image says so, with the time to ask again", async (app) => {
  const { id } = await app.create();
  const answer = await app.fetch(`/api/streams/${id}/thumb`);
  assert.ok(Number(answer.headers.get("retry-after")) >= 1);
  await assertPlaceholder(answer, 202);
}, { isStarted: true });

appTest("a stream that never ran has no thumbnail: 404", async (app) => {
  const { id } = await app.create({ desiredState: "stopped" });
  await assertPlaceholder(await app.fetch(`/api/streams/${id}/thumb`), 404);
});

appTest("who has the thumbnail gets 304", async (app) => {
  const { path, etag } = await withThumbnail(app);
  for (const tag of [etag, `"other", W/${etag}`, "*"]) {
    const answer = await app.fetch(path, { headers: { "if-none-match": tag } });
    assert.deepEqual([answer.status, answer.headers.get("etag"), (await answer.bytes()).length], [
      304,
      etag,
      0,
    ]);
  }
}, { isStarted: true });

appTest("HEAD has the thumbnail's headers alone", async (app) => {
  const { path, etag } = await withThumbnail(app);
  const head = await app.fetch(path, { method: "HEAD" });
  assert.deepEqual([head.status, head.headers.get("etag")], [200, etag]);
  assert.equal(Number(head.headers.get("content-length")), JPEG.length);
}, { isStarted: true });

appTest("a stopped stream keeps its thumbnail, and a new one is refused", async (app) => {
  const { id, path, etag } = await withThumbnail(app);
  await app.api("POST", `/api/streams/${id}/stop`);
  const { status, json } = await app.api("POST", path);
  assert.equal(status, 409);
  assert.match(json.error.message, /does not run/);
  assert.equal((await app.fetch(path, { headers: { "if-none-match": etag } })).status, 304);
}, { isStarted: true });

appTest("the thumbnail of a deleted stream is a 404", async (app) => {
  const { id, path } = await withThumbnail(app);
  assert.equal((await app.api("DELETE", `/api/streams/${id}`)).status, 204);
  const { status, json } = await app.api("GET", path);
  assert.equal(status, 404);
  assert.match(json.error.message, /no stream/);
}, { isStarted: true });
