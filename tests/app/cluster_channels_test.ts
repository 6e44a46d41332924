/** Channels of other nodes, for those who watch at this one. */
import { strict as assert } from "node:assert";
import type { StreamId } from "../../lib/model/id.ts";
import { testApp } from "../support/app.ts";
import { bytes, nginx, PLAYLIST, SEGMENT } from "../support/hls_fixture.ts";
import { clusterTest, running, soon } from "../support/test_cluster.ts";
import { fakeUpstream } from "../support/upstream.ts";

const VIEWERS = 20;

Deno.test("a file of another node's channel is asked for once for all who watch it here", async () => {
  await using upstream = fakeUpstream(nginx);
  // a file counts for as long as the test takes
  const hls = { playlistMs: 60_000, segmentMs: 60_000 };
  await using app = await testApp({
    isAskedBeside: true,
    env: { MEDIA_PORT: new URL(upstream.origin).port, TIMINGS: JSON.stringify({ hls, figuresMs: 1 }) },
  });
  await app.create();
  app.passed.length = 0;
  const asked = async (path: string, headers: Record<string, string> = {}, method = "GET") => {
    const answer = await app.fetch(`/api/hls${path}`, { method, headers, peer: "10.0.0.9" });
    return { answer, body: await answer.bytes() };
  };
  const all = (path: string) =>
    Promise.all(Array.from({ length: VIEWERS }, (_, at) => asked(path, { "user-agent": `player ${at}` })));
  for (const { answer, body } of await all(SEGMENT)) {
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("content-type"), "video/mp2t");
    assert.deepEqual(body, bytes);
  }
  const playlist = new TextDecoder().decode((await asked(PLAYLIST)).body);
  assert.match(playlist, /^#EXTM3U/);
  for (const { answer, body } of await all(PLAYLIST)) {
    assert.equal(answer.status, 200);
    assert.equal(new TextDecoder().decode(body), playlist);
  }
  await all(`${PLAYLIST}?wait=1&_HLS_msn=0&x=${crypto.randomUUID()}`);
  const part = await asked(SEGMENT, { range: "bytes=10-19" });
  assert.deepEqual([part.answer.status, part.body], [206, bytes.slice(10, 20)]);
  const { answer } = await asked(SEGMENT, {}, "HEAD");
  assert.deepEqual([answer.status, answer.headers.get("content-length")], [200, String(bytes.length)]);
  assert.deepEqual(app.passed, [
    `GET /api/hls${SEGMENT}`,
    `GET /api/hls${PLAYLIST}`,
    `GET /api/hls${PLAYLIST}?wait&_HLS_msn=0`,
  ]);
  assert.deepEqual(
    upstream.requests,
    [`GET ${SEGMENT}`, `GET ${PLAYLIST}`],
    "the owner's own cache holds as well",
  );

  // one more without a name of its own
  const { json } = await app.api("GET", "/api/figures");
  assert.equal(json.clock.viewers, VIEWERS + 1, "each viewer counts once, where it has asked");
  const metrics = await (await app.fetch("/metrics")).text();
  assert.ok(metrics.includes(`browserstream_stream_viewers{stream="clock",node="asked"} ${VIEWERS + 1}`));
  const own = await (await app.fetchOwner("/metrics")).text();
  assert.ok(
    own.includes(`browserstream_stream_viewers{stream="clock",node="owner"} 0`),
    "the nodes' sum is right",
  );

  const gone = await asked("/live/clock/gone.ts");
  assert.equal(gone.answer.status, 404, "as at the owner");
});

clusterTest(
  "each node tells who watches a channel at all of them",
  3,
  async ({ clock, nodes, ...cluster }) => {
    await running({ clock, nodes, ...cluster }, "ash");
    for (const [at, { app }] of nodes.entries()) {
      for (let viewer = 0; viewer <= at; viewer++) {
        const headers = { "user-agent": `player ${viewer}` };
        app.service.hls.listeners.onviewer(
          "ash" as StreamId,
          new Request("http://n/", { headers }),
          "10.0.0.9",
        );
      }
    }
    for (const { app } of nodes) {
      const { json } = await soon(clock, app.api("GET", "/api/figures"));
      assert.equal(json.ash.viewers, 1 + 2 + 3);
    }
  },
);
