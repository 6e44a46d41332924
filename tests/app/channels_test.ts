/** A channel's files through the app, from a media server that does as the test says. */
import { strict as assert } from "node:assert";
import * as HLS from "hls-parser";
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

function hasHeaders(answer: Response, headers: Record<string, string>, what?: string) {
  for (const [name, value] of Object.entries(headers)) {
    assert.equal(answer.headers.get(name), value, what ?? name);
  }
  assert.ok(answer.headers.has("content-security-policy"), what);
}

/** As the app gives them; all rules on them are in tests/unit/channel/hls_proxy_test.ts. */
const ANSWERS: [status: number, path: string, init: RequestInit, headers: Record<string, string>][] = [
  [200, PLAYLIST, {}, {
    "content-type": "application/vnd.apple.mpegurl",
    "cache-control": "no-cache, no-store",
  }],
  [200, SEGMENT, {}, { "content-type": "video/mp2t", "content-length": String(bytes.length) }],
  [206, SEGMENT, { headers: { range: "bytes=10-19" } }, { "content-length": "10" }],
  [200, PLAYLIST, { method: "HEAD" }, { "content-type": "application/vnd.apple.mpegurl" }],
  [204, PLAYLIST, { method: "OPTIONS" }, { "access-control-allow-methods": "GET, HEAD, OPTIONS" }],
  [404, "/live/off/index.m3u8", {}, { "cache-control": "no-store" }],
  [404, "/live/clock/../../control", {}, {}],
  [404, "/live/%2e%2e/control.ts", {}, {}],
  [404, "/live/clock/index.m3u8%00", {}, {}],
  [404, "/live/.hidden/index.m3u8", {}, {}],
];

channelTest(
  "a channel's files come through the app, open to players of other sites, and nothing else does",
  async (app, upstream) => {
    for (const [status, path, init, headers] of ANSWERS) {
      const what = `${init.method ?? "GET"} ${path}`;
      const answer = await app.fetch(`/api/hls${path}`, init);
      await answer.body?.cancel();
      assert.equal(answer.status, status, what);
      const isFile = /^\/live\/\w+\/[\w.]+$/.test(path);
      hasHeaders(answer, { ...isFile ? OPEN : {}, ...headers }, what);
    }
    assert.deepEqual(
      new Set(upstream.requests.map((one) => one.split(" ")[1])),
      new Set([PLAYLIST, SEGMENT, "/live/off/index.m3u8"]),
    );
  },
);

channelTest("our players' playlists say that they can be waited for, and others' do not", async (app) => {
  await app.create();
  const TAG = "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES";
  const text = async (query: string) => await (await app.fetch(`/api/hls${PLAYLIST}${query}`)).text();
  assert.equal((await text("")).includes(TAG), false);
  assert.equal((await text("?_HLS_msn=1")).includes(TAG), false);
  assert.equal((await text("?wait=1")).split(TAG).length, 2);
  const list = HLS.parse(await text("?wait=1")) as HLS.types.MediaPlaylist;
  assert.equal(list.lowLatencyCompatibility?.canBlockReload, true, "as hls-parser reads it");
  const answer = await app.fetch(`/api/hls${PLAYLIST}?wait=1&_HLS_msn=0`);
  const body = await answer.text();
  assert.equal(answer.headers.get("content-length"), String(new TextEncoder().encode(body).length));
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
  assert.deepEqual(await figures(), { viewers: 0, fps: null, push: null, cpuPercent: null, mebibytes: null });
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
