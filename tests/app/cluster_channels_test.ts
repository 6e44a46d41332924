/** Channels of other nodes, for those who watch at this one. */
import { strict as assert } from "node:assert";
import type { StreamId } from "../../lib/model/id.ts";
import { withoutWaiting } from "../../lib/channel/playlist_wait.ts";
import { testApp } from "../support/app.ts";
import { DRAINING, setDraining } from "../../lib/cluster/draining.ts";
import { SharedTexts } from "../../lib/cluster/shared_texts.ts";
import { bytes, nginx, PLAYLIST, SEGMENT } from "../support/hls_fixture.ts";
import type { FakeClock } from "../support/fake_clock.ts";
import { same } from "../support/same.ts";
import { LiveRules } from "../support/live_rules.ts";
import { parseMediaPlaylist } from "../support/media_playlist.ts";
import { PretendedMedia } from "../support/pretended_media.ts";
import { clusterTest, running, soon, START_MS, type TestNode } from "../support/test_cluster.ts";
import { fakeUpstream } from "../support/upstream.ts";
import { nodeOf } from "../support/cluster_node.ts";

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
  await all(`${PLAYLIST}?wait=1&_HLS_msn=7&x=${crypto.randomUUID()}`);
  for (let far = 20; far < 30; far++) await all(`${PLAYLIST}?wait=1&_HLS_msn=${far}`);
  const part = await asked(SEGMENT, { range: "bytes=10-19" });
  assert.deepEqual([part.answer.status, part.body], [206, bytes.slice(10, 20)]);
  const { answer } = await asked(SEGMENT, {}, "HEAD");
  assert.deepEqual([answer.status, answer.headers.get("content-length")], [200, String(bytes.length)]);
  assert.deepEqual(app.passed, [
    `GET /api/hls${SEGMENT}`,
    `GET /api/hls${PLAYLIST}`,
    `GET /api/hls${PLAYLIST}?wait&_HLS_msn=7`,
    // one for all numbers that no player waits for
    `GET /api/hls${PLAYLIST}?wait`,
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

Deno.test("a client of a node does not take all connections that another node lets it have", async () => {
  await using app = await testApp({ isAskedBeside: true, env: { MAX_CONNECTIONS: "2" } });
  await app.create();
  const asked = (peer: string, init: RequestInit = {}, path = "events") =>
    app.fetch(`/api/streams/clock/${path}`, { peer, ...init });
  const body = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
  const unfinished = new ReadableStream<Uint8Array>({ start: (controller) => body.resolve(controller) });
  app.passed.length = 0;
  const headers = { "content-type": "application/json" };
  const first = asked("10.0.0.9", { method: "POST", body: unfinished, headers }, "autoreload");
  await same(() => app.passed, ["POST /api/streams/clock/autoreload"]);
  const refused = await asked("10.0.0.9");
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "2"]);
  assert.match((await refused.json()).error.message, /^Too many of your requests/);
  const other = await asked("10.0.0.8");
  assert.equal(other.status, 200, "another client is served");
  await other.body?.cancel();
  (await body.promise).close();
  const { status, body: said } = await first;
  assert.equal(status, 400);
  await said?.cancel();
  const next = await asked("10.0.0.9");
  assert.equal(next.status, 200);
  await next.body?.cancel();
});

clusterTest(
  "each node tells who watches a channel at all of them",
  3,
  async ({ clock, nodes, ...cluster }) => {
    await running({ clock, nodes, ...cluster }, "ash");
    for (const [at, { app }] of nodes.entries()) {
      for (let viewer = 0; viewer <= at; viewer++) {
        app.service.fleet.get("ash" as StreamId).channel.viewers.note("10.0.0.9", `player ${viewer}`);
      }
    }
    for (const { app } of nodes) {
      const { json } = await soon(clock, app.api("GET", "/api/figures"));
      assert.equal(json.ash.viewers, 1 + 2 + 3);
    }
  },
);

/** A file of the channel "ash" as a viewer gets it at a node. */
async function fileOf(clock: FakeClock, { app }: TestNode, file: string) {
  let isThere = false;
  const asked = app.fetch(`/api/hls/live/ash/${file}`, { peer: "10.0.0.9" }).then(async (answer) => ({
    status: answer.status,
    text: await answer.text(),
  })).finally(() => isThere = true);
  while (!isThere) await clock.advance(10);
  return await asked;
}

/** Milliseconds between two looks of a viewer, and for which a segment is answered that a list does not name any more. */
const [LOOK_MS, KEPT_MS] = [500, 20_000];
/** Milliseconds: a drain waits until a page's cookies are written, and then for the other node's start. */
const DRAIN_MS = 120_000;

clusterTest(
  "who watches a channel that is drained misses no segment, at either node",
  2,
  async (cluster) => {
    const { clock, nodes, runners, shared } = cluster;
    using media = new PretendedMedia();
    for (const { app, name } of nodes) media.serve(app, name);
    const get = (node: TestNode, file: string) => fileOf(clock, node, file);
    const viewers = nodes.map((node) => ({ node, rules: new LiveRules() }));
    /** When each segment was named last, and what it was. */
    const named = new Map<string, { at: number; text: string }>();
    const watch = async () => {
      for (const { node, rules } of viewers) {
        const list = await get(node, "index.m3u8");
        assert.equal(list.status, 200, list.text);
        for (const { uri } of rules.add(list.text, clock.elapsed())?.added ?? []) {
          const { status, text } = await get(node, uri);
          assert.equal(status, 200, `${uri} at ${node.name}, which has just named it`);
          named.set(uri, { at: clock.elapsed(), text });
        }
        for (const { uri } of rules.newest!.segments) named.get(uri)!.at = clock.elapsed();
      }
      await clock.advance(LOOK_MS);
    };
    const where = await running(cluster, "ash");
    const [other] = nodes.map(({ name }) => name).filter((name) => name !== where);
    for (let looks = 0; looks < 20; looks++) await watch();

    const leaving = new AbortController();
    const draining = (await SharedTexts.open(shared.texts.view(), leaving.signal)).of(DRAINING);
    await setDraining(draining, where, true);
    const origin = () => nodeOf(nodes[0].app).origin("ash" as StreamId);
    const end = clock.elapsed() + DRAIN_MS;
    while (origin() === where && clock.elapsed() < end) await watch();
    assert.equal(origin(), other);
    for (let looks = 0; looks < 40; looks++) {
      await watch();
      if (looks % 10 > 0) continue;
      for (const [uri, { at, text }] of named) {
        if (clock.elapsed() - at > KEPT_MS) named.delete(uri);
        else {for (const node of nodes) {
            assert.deepEqual(await get(node, uri), { status: 200, text }, `${uri} at ${node.name}`);
          }}
      }
    }
    assert.deepEqual(runners("ash"), [other]);
    for (const { node, rules } of viewers) {
      assert.deepEqual(rules.problems, [], `what a viewer of ${node.name} gets`);
      const texts = rules.newest!.segments.map(({ uri }) => named.get(uri)!.text.split(":")[0]);
      assert.deepEqual(new Set(texts), new Set([other]));
    }
    leaving.abort();
  },
  (node) => ({ MEDIA_PORT: node === "n0" ? "4001" : "4002" }),
);

clusterTest(
  "a channel whose node is lost keeps its list until another node has it; one that is stopped has none",
  2,
  async (cluster) => {
    const { clock, nodes } = cluster;
    using media = new PretendedMedia();
    for (const { app, name } of nodes) media.serve(app, name);
    const where = await running(cluster, "ash");
    const [lost, other] = nodes[0].name === where ? nodes : nodes.toReversed();
    const listed = async (query = "") => {
      const { status, text } = await fileOf(clock, other, `index.m3u8${query}`);
      assert.equal(status, 200, text);
      return { text, ...parseMediaPlaylist(withoutWaiting(text)) };
    };
    const before = await listed("?wait");
    assert.match(before.text, /CAN-BLOCK-RELOAD/);
    lost.reach(false);
    nodes.splice(nodes.indexOf(lost), 1);
    let last = await listed();
    await clock.advance(LOOK_MS);
    const origin = () => nodeOf(other.app).origin("ash" as StreamId);
    const end = clock.elapsed() + START_MS;
    while (origin() !== other.name && clock.elapsed() < end) {
      const next = await listed("?wait");
      assert.ok(next.sequence >= last.sequence, "numbers never go back");
      assert.equal(next.segments.at(-1)!.uri, last.segments.at(-1)!.uri, "nothing is new");
      assert.doesNotMatch(next.text, /CAN-BLOCK-RELOAD/, "nobody waits for what does not come");
      last = next;
      await clock.advance(LOOK_MS);
    }
    const after = await listed();
    assert.ok(after.sequence > last.sequence + last.segments.length);
    const { text } = await fileOf(clock, other, after.segments.at(-1)!.uri);
    assert.match(text, new RegExp(`^${other.name}:`));
    await soon(clock, other.app.api("POST", "/api/streams/ash/stop"));
    await clock.advance(5000);
    assert.equal((await fileOf(clock, other, "index.m3u8")).status, 404);
    nodes.push(lost);
  },
  (node) => ({ MEDIA_PORT: node === "n0" ? "4001" : "4002" }),
);
