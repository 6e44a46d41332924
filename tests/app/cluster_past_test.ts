/** The past of streams that moved: nodes in process, each with pieces on its own disk. ffmpeg is pretended here. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import type { StreamId } from "../../lib/model/id.ts";
import { namesIn } from "../../lib/machine/os/files.ts";
import { isThere, tempDir } from "../support/fixture.ts";
import { JPEG } from "../support/machine.ts";
import { pastFolder, writePast } from "../support/past.ts";
import {
  clusterTest,
  running,
  soon,
  START_MS,
  type TestCluster,
  type TestNode,
} from "../support/test_cluster.ts";

const PATH = "/api/streams/ash/rewind";

const seconds = ({ clock }: TestCluster) => Math.floor(clock.now() / 1000);

/** Leaves a piece of so many seconds until now at a node. */
async function keep({ app }: TestNode, number: number, start: number, end: number): Promise<void> {
  await writePast(pastFolder(app.paths, "ash"), [{ number, seconds: [start], end }], false);
}

/** Moves the stream from one node to the other. */
async function move(cluster: TestCluster, from: TestNode, to: TestNode): Promise<void> {
  await soon(cluster.clock, from.app.api("POST", `/api/nodes/${from.name}/drain`));
  await cluster.clock.advance(2 * START_MS);
  assert.deepEqual(cluster.runners("ash"), [to.name]);
  await soon(cluster.clock, from.app.api("POST", `/api/nodes/${from.name}/resume`));
}

interface Moved {
  cluster: TestCluster;
  /** It had the stream first, from `begin` to `moved`: Unix times in s. */
  first: TestNode;
  second: TestNode;
  begin: number;
  moved: number;
  /** Starts a node again, on its data. */
  again(name: string): Promise<TestNode>;
}

function movedTest(name: string, test: (moved: Moved) => Promise<void>, env: Record<string, string> = {}) {
  clusterTest(`past: ${name}`, 0, async (cluster) => {
    await using folder = await tempDir("/dev/shm");
    const again = async (name: string) => {
      const node = await cluster.join(name, { dir: join(folder.path, name) });
      await cluster.clock.advance(10_000);
      return node;
    };
    for (const name of ["n0", "n1"]) await again(name);
    const where = await running(cluster, "ash");
    const [first, second] = cluster.nodes[0].name === where ? cluster.nodes : cluster.nodes.toReversed();
    const begin = seconds(cluster) - 30;
    const before = seconds(cluster);
    await move(cluster, first, second);
    const { stays } = second.app.service.placement.past as { stays(id: StreamId): { since: number }[] };
    const moved = Math.floor(
      stays.call(second.app.service.placement.past, "ash" as StreamId)[1].since / 1000,
    );
    assert.ok(moved > before && moved < seconds(cluster));
    await keep(first, 1, begin, moved);
    await keep(second, 1, moved, moved + 40);
    await cluster.clock.advance(10_000);
    try {
      await test({ cluster, first, second, begin, moved, again });
    } finally {
      for (const node of [...cluster.nodes]) await cluster.end(node);
    }
  }, env);
}

movedTest(
  "both parts are one span, whichever node is asked",
  async ({ cluster, first, second, begin, moved }) => {
    for (const { app } of [first, second]) {
      const { json } = await app.api("GET", `${PATH}?start=${begin - 10}&end=${moved + 40}`);
      assert.deepEqual(json.map(({ duration }: { duration: number }) => duration), [moved + 40 - begin]);
      const changes = (await app.api("GET", `${PATH}/changes?start=${begin - 10}&end=${moved + 40}`)).json;
      assert.deepEqual(changes.gaps.map(({ duration }: { duration: number }) => duration), [10]);
    }
    const inputs: number[] = [];
    second.app.machine.runBytes = async (_argv, { input }) => {
      let size = 0;
      for await (const part of input!) size += part.length;
      inputs.push(size);
      return { code: 0, stdout: JPEG, stderr: "" };
    };
    for (const [at, since] of [[moved - 1, begin], [moved, moved], [moved + 1, moved]]) {
      const answer = await first.app.fetch(`${PATH}/picture.jpg?at=${at}`);
      assert.equal(answer.status, 200);
      assert.deepEqual(await answer.bytes(), JPEG);
      assert.equal(answer.headers.get("memento-datetime"), new Date(since * 1000).toUTCString());
    }
    assert.ok(inputs.length === 2 && inputs.every((size) => size > 100), "the bytes of both pieces");
    const asked = cluster.asked.filter((one) => one.endsWith("GET /api/pieces/ash"));
    assert.ok(asked.length > 0);
    assert.ok(asked.every((one) => one.startsWith(`${second.name} -> ${first.name}`)), "the home asks");
    const [one] = await second.app.service.placement.past.stays("ash" as StreamId);
    assert.equal(await second.app.service.rewind.since("ash" as StreamId), one.since);
  },
);

movedTest("a stream that never moved is asked of no other node", async ({ cluster }) => {
  await running(cluster, "birch");
  const before = cluster.asked.length;
  const where = cluster.nodes.find(({ name }) => cluster.runners("birch")[0] === name)!;
  assert.equal((await where.app.api("GET", "/api/streams/birch/rewind")).status, 200);
  assert.equal((await where.app.api("GET", "/api/streams/birch/rewind/changes")).status, 200);
  assert.equal((await where.app.api("GET", "/api/streams/birch/rewind/exports")).status, 200);
  assert.deepEqual(cluster.asked.slice(before), []);
  assert.deepEqual(where.app.service.placement.past.stays("birch" as StreamId), []);
});

movedTest(
  "a node that is away is a gap with its name, and is there again when it is back",
  async ({ cluster, first, second, begin, moved, again }) => {
    const { clock } = cluster;
    await cluster.end(first);
    await clock.advance(START_MS);
    const changes = () =>
      soon(clock, second.app.api("GET", `${PATH}/changes?start=${begin}&end=${moved + 40}`));
    const from = clock.now();
    const { gaps: [gap] } = (await changes()).json;
    assert.ok(clock.now() - from <= 1000, "nobody waits for a node that is not heard");
    assert.deepEqual([gap.reason, gap.node], ["away", first.name]);
    assert.equal(Date.parse(gap.start) / 1000 + gap.duration, moved);
    const { status, json } = await soon(clock, second.app.api("GET", `${PATH}/picture.jpg?at=${moved - 5}`));
    assert.deepEqual([status, json.reason, json.node], [404, "away", first.name]);
    assert.match(
      json.error.message,
      new RegExp(`: the node ${first.name}, which had the channel then, is not`),
    );
    await again(first.name);
    assert.deepEqual((await changes()).json.gaps, []);
  },
);

movedTest(
  "a node that is heard and silent costs some seconds once",
  async ({ cluster, first, second, begin, moved }) => {
    const { clock } = cluster;
    first.app.fetch = () => new Promise(() => {});
    const from = clock.now();
    const asked = await soon(
      clock,
      second.app.api("GET", `${PATH}/changes?start=${begin}&end=${moved + 40}`),
    );
    assert.ok(clock.now() - from <= 4000, `${clock.now() - from} ms`);
    assert.deepEqual(asked.json.gaps.map(({ node }: { node: string }) => node), [first.name]);
    const again = clock.now();
    const picture = await soon(clock, second.app.api("GET", `${PATH}/picture.jpg?at=${moved - 5}`));
    assert.deepEqual([picture.status, picture.json.node], [404, first.name]);
    assert.ok(clock.now() - again <= 4000, `${clock.now() - again} ms, though all times are looked through`);
  },
);

movedTest(
  "after a restart of everything, with one node away, the others know what it had",
  async ({ cluster, first, second, begin, moved, again }) => {
    await soon(cluster.clock, second.app.api("POST", "/api/streams/ash/stop"));
    await cluster.end(first);
    await cluster.end(second);
    const { app } = await again(second.name);
    const asked = app.api("GET", `${PATH}?start=${begin}&end=${moved + 40}`);
    const { json } = await soon(cluster.clock, asked);
    assert.deepEqual(json.map(({ duration }: { duration: number }) => duration), [40]);
    const changes = await soon(
      cluster.clock,
      app.api("GET", `${PATH}/changes?start=${begin}&end=${moved + 40}`),
    );
    const [gap] = changes.json.gaps;
    assert.deepEqual([gap.reason, gap.node], ["away", first.name]);
  },
);

movedTest(
  "a deleted stream leaves no past anywhere, nor at a node that was away",
  async ({ cluster, first, second, again }) => {
    const { clock, shared } = cluster;
    const noted = () =>
      [...shared.owners.keys()].filter((key) => shared.owners.get(key)!.text && key.startsWith("_"));
    assert.equal(noted().length, 2);
    await cluster.end(first);
    await clock.advance(START_MS);
    assert.equal((await soon(clock, second.app.api("DELETE", "/api/streams/ash"))).status, 204);
    await clock.advance(10_000);
    assert.ok(!await isThere(pastFolder(second.app.paths, "ash")));
    assert.deepEqual(noted(), []);
    assert.ok(await isThere(pastFolder(first.app.paths, "ash")));
    const back = await again(first.name);
    await clock.advance(10_000);
    assert.ok(!await isThere(pastFolder(back.app.paths, "ash")));
    assert.deepEqual(await namesIn(back.app.paths.rewindDir), []);
  },
);

movedTest(
  "a film that was made before the move is listed, downloaded and deleted after it",
  async (moved) => {
    const { cluster: { clock }, first, second, begin } = moved;
    await keep(first, 2, begin + 5, begin + 20);
    const machine = first.app.machine;
    machine.runBytes = async (argv) => {
      await Deno.writeTextFile(argv.at(-1)!, "the film");
      return { code: 0, stdout: new Uint8Array(), stderr: "" };
    };
    const { exports, rewind } = first.app.service;
    const id = "ash" as StreamId;
    const past = rewind.of({ id }, "operator");
    const film = await exports.add(id, past, { start: begin, end: begin + 10, speed: 1 }, "");
    while (exports.list(id, "")[0].state === "making") await clock.advance(10);
    assert.equal(exports.list(id, "")[0].state, "done");
    for (const { app } of [second, first]) {
      const { json } = await soon(clock, app.api("GET", `${PATH}/exports`));
      assert.deepEqual(json.map((one: { id: string; url: string }) => [one.id, one.url]), [
        [film.id, `http://127.0.0.1:3000${PATH}/exports/${film.id}.mp4`],
      ]);
      const answer = await soon(clock, app.fetch(`${PATH}/exports/${film.id}.mp4`));
      assert.deepEqual([answer.status, await answer.text()], [200, "the film"]);
      assert.match(answer.headers.get("content-disposition")!, /filename="ash-/);
    }
    assert.equal((await soon(clock, second.app.fetch(`${PATH}/exports/00000000.mp4`))).status, 404);
    const path = `${PATH}/exports/${film.id}`;
    assert.equal((await soon(clock, second.app.fetch(path, { method: "DELETE" }))).status, 204);
    for (const { app } of [second, first]) {
      assert.deepEqual((await soon(clock, app.api("GET", `${PATH}/exports`))).json, []);
    }
    assert.deepEqual(exports.list(id, ""), []);
  },
);

movedTest("the nodes' own address is not there for anybody else", async ({ first, begin }) => {
  const piece = `00000001-${begin}`;
  const queries = ["", `?first=${piece}&last=${piece}`, `?name=${piece}&from=0&to=100`];
  for (const query of queries) {
    const answer = await first.app.fetch(`/api/pieces/ash${query}`);
    const unknown = await first.app.fetch(`/api/peaces/ash${query}`);
    assert.equal(answer.status, 404);
    const text = (await unknown.text()).replace("peaces", "pieces");
    assert.equal(await answer.text(), text, "as any unknown address");
  }
  const forged = await first.app.fetch("/api/pieces/ash", { headers: { "x-browser-stream-pass": "a.b" } });
  assert.equal(forged.status, 403);
  await forged.body?.cancel();
});

movedTest("a node that was cut off and went on is no node of that time, as all nodes know", async (moved) => {
  const { cluster, first, second } = moved;
  const { clock } = cluster;
  second.reach(false);
  await clock.advance(START_MS);
  assert.deepEqual(cluster.runners("ash"), [first.name, second.name].toSorted(), "both record");
  const taken = seconds(cluster);
  second.reach(true);
  await clock.advance(START_MS);
  assert.deepEqual(cluster.runners("ash"), [first.name]);
  const [, { since }] = first.app.service.placement.past.stays("ash" as StreamId);
  for (const { app } of [first, second]) {
    const stays = app.service.placement.past.stays("ash" as StreamId);
    assert.deepEqual(stays.map(({ node }) => node), [first.name, second.name, first.name]);
    assert.equal(stays[1].since, since);
    assert.ok(stays[2].since / 1000 < taken);
  }
  const back = Math.floor(first.app.service.placement.past.stays("ash" as StreamId)[2].since / 1000);
  await keep(second, 2, back - 10, back + 20);
  await keep(first, 2, back - 3, back + 20);
  const { json } = await first.app.api("GET", `${PATH}?start=${back - 10}&end=${back + 30}`);
  assert.deepEqual(json.map(({ duration }: { duration: number }) => duration), [30], "once");
});
