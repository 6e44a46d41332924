/** A channel's files through the app, from a media server that does as the test says. */
import { strict as assert } from "node:assert";
import { bytes, nginx, PLAYLIST, SEGMENT } from "../support/hls_fixture.ts";
import { appTest, type TestApp, testApp } from "../support/app.ts";
import { type FakeUpstream, fakeUpstream } from "../support/upstream.ts";

const OPEN = { "access-control-allow-origin": "*", "x-content-type-options": "nosniff" };

function channelTest(name: string, test: (app: TestApp, upstream: FakeUpstream) => Promise<void>) {
  Deno.test(name, async () => {
    await using upstream = fakeUpstream(nginx);
    await using app = await testApp({ env: { MEDIA_PORT: new URL(upstream.origin).port } });
    await test(app, upstream);
  });
}

function hasHeaders(answer: Response, headers: Record<string, string>) {
  for (const [name, value] of Object.entries(headers)) assert.equal(answer.headers.get(name), value, name);
  assert.ok(answer.headers.has("content-security-policy"));
}

channelTest("a playlist is never old, and open to players of other sites", async (app) => {
  const answer = await app.fetch(`/api/hls${PLAYLIST}`);
  assert.equal(answer.status, 200);
  hasHeaders(answer, { ...OPEN, "content-type": "application/vnd.apple.mpegurl" });
  assert.match(answer.headers.get("cache-control")!, /no-cache|no-store/);
  assert.match(await answer.text(), /#EXT-X-MEDIA-SEQUENCE:7\n/);
});

channelTest("a segment comes as it is, whole, in part and not at all for who has it", async (app) => {
  const path = `/api/hls${SEGMENT}`;
  const whole = await app.fetch(path);
  hasHeaders(whole, { ...OPEN, "content-type": "video/mp2t", "content-length": String(bytes.length) });
  assert.deepEqual(await whole.bytes(), bytes);
  const part = await app.fetch(path, { headers: { range: "bytes=10-19" } });
  assert.equal(part.status, 206);
  assert.deepEqual(await part.bytes(), bytes.slice(10, 20));
  const known = await app.fetch(path, { headers: { "if-none-match": whole.headers.get("etag")! } });
  assert.deepEqual([known.status, await known.text()], [304, ""]);
});

channelTest("HEAD has a file's headers and no body", async (app) => {
  const get = await app.fetch(`/api/hls${PLAYLIST}`);
  const head = await app.fetch(`/api/hls${PLAYLIST}`, { method: "HEAD" });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
  assert.equal(head.headers.get("content-length"), String((await get.bytes()).length));
});

channelTest("a channel that is off is a 404 that players of other sites can read", async (app) => {
  const answer = await app.fetch("/api/hls/live/off/index.m3u8");
  assert.equal(answer.status, 404);
  hasHeaders(answer, { ...OPEN, "cache-control": "no-store" });
  assert.match((await answer.json()).error.message, /the channel is off/);
});

channelTest("OPTIONS lets other sites send a Range", async (app) => {
  const answer = await app.fetch(`/api/hls${PLAYLIST}`, {
    method: "OPTIONS",
    headers: { origin: "https://player.example", "access-control-request-method": "GET" },
  });
  assert.equal(answer.status, 204);
  hasHeaders(answer, { ...OPEN, "access-control-allow-methods": "GET, HEAD, OPTIONS" });
  assert.match(answer.headers.get("access-control-allow-headers")!, /Range/);
});

channelTest("no path leads to anything else of the media server", async (app, upstream) => {
  const paths = [
    "/",
    "/live/",
    "/stat",
    "/control/drop",
    "/live/clock/../../control",
    "/live/%2e%2e/control.ts",
    "/live/clock/index.m3u8%00",
    "/live/.hidden/index.m3u8",
    "/live/clock/x.mp4",
    "/@evil.example/x.ts",
  ];
  for (const path of paths) {
    const answer = await app.fetch(`/api/hls${path}`);
    assert.equal(answer.status, 404, path);
    await answer.body?.cancel();
  }
  assert.deepEqual(upstream.requests, []);
});

appTest("a media server that is away is a 502 that says when to try again", async (app) => {
  const answer = await app.fetch(`/api/hls${PLAYLIST}`);
  assert.equal(answer.status, 502);
  hasHeaders(answer, { ...OPEN, "retry-after": "1" });
  await answer.body?.cancel();
});

channelTest("who plays a channel is counted, and what its programs take is said", async (app) => {
  await app.create();
  const { programs } = app.machine;
  app.machine.programs = async () =>
    (await programs()).map((program, at) => ({ ...program, pid: program.state === "RUNNING" ? at + 1 : 0 }));
  const figures = async () => (await app.api("GET", "/api/figures")).json.clock;
  assert.deepEqual(await figures(), { viewers: 0, fps: null, cpuPercent: null, mebibytes: null });
  app.machine.memory = (pids) => Promise.resolve(new Map(pids.map((pid) => [pid, 50 * 1024 * 1024])));
  app.machine.advance(5000);
  const ask = async (peer: string, path: string, init: RequestInit = {}) =>
    void await (await app.fetch(`/api/hls${path}`, { peer, ...init })).bytes();
  await ask("10.0.0.1", PLAYLIST);
  await ask("10.0.0.2", PLAYLIST, { headers: { range: "bytes=0-" } });
  await ask("10.0.0.3", PLAYLIST, { method: "HEAD" });
  await ask("10.0.0.4", SEGMENT);
  await ask("10.0.0.5", "/live/none/index.m3u8");
  const { viewers, mebibytes } = await figures();
  assert.deepEqual([viewers, mebibytes], [2, 250], "two players, and five programs");
  app.machine.advance(11_000);
  assert.equal((await figures()).viewers, 0);
});
