/** Two and three machines as nodes of one cluster, in process: each stream runs on one of them, whatever happens. */
import { strict as assert } from "node:assert";
import { dirname, join } from "node:path";
import { DRAINING, setDraining } from "../../lib/cluster/draining.ts";
import { LOST_MS } from "../../lib/cluster/nodes.ts";
import { SharedTexts } from "../../lib/cluster/shared_texts.ts";
import type { StreamStatus } from "../../lib/model/answers/shapes.ts";
import type { StreamId } from "../../lib/model/id.ts";
import { sessionCookie } from "../support/app.ts";
import { aStream, isThere, tempDir } from "../support/fixture.ts";
import { same } from "../support/same.ts";
import { clusterTest, running, soon, START_MS, type TestNode, untilStored } from "../support/test_cluster.ts";
import { nodeOf } from "../support/cluster_node.ts";

clusterTest("what is added by any node runs on one, and all nodes list it", 3, async (cluster) => {
  const where = [];
  for (const [at, id] of ["ash", "birch", "cedar"].entries()) where.push(await running(cluster, id, at));
  assert.equal(new Set(where).size, 3, `the emptiest node takes the next: ${where}`);
  for (const { app } of cluster.nodes) {
    const { json } = await app.api("GET", "/api/streams");
    assert.deepEqual(json.map(({ id }: { id: string }) => id), ["ash", "birch", "cedar"]);
    assert.equal(nodeOf(app).origin("ash" as StreamId), where[0]);
  }
});

clusterTest(
  "a stream that is stopped by another node ends, and one that is deleted is gone",
  2,
  async (cluster) => {
    const { clock, nodes, runners } = cluster;
    const where = await running(cluster, "ash");
    const other = nodes.find(({ name }) => name !== where)!;
    assert.equal((await other.app.api("POST", "/api/streams/ash/stop")).status, 200);
    await clock.advance(5000);
    assert.deepEqual(nodes.map(({ app }) => app.living!.pid("browser-ash")), [0, 0]);
    const started = other.app.api("POST", "/api/streams/ash/start");
    await clock.advance(START_MS);
    await started;
    assert.deepEqual(runners("ash"), [where], "where it was");
    const deleted = other.app.api("DELETE", "/api/streams/ash");
    await clock.advance(5000);
    assert.equal((await deleted).status, 204);
    await clock.advance(5000);
    for (const { app } of nodes) {
      assert.equal((await app.api("GET", "/api/streams/ash")).status, 404);
      assert.equal(app.living!.pid("browser-ash"), 0);
    }
  },
);

clusterTest("a node is lost: another one has its stream, whose numbers go on", 2, async (cluster) => {
  const { clock, nodes, end, runners } = cluster;
  const where = await running(cluster, "ash");
  const node = nodes.find(({ name }) => name === where)!;
  const sequence = (node.app.service.fleet.get("ash" as StreamId).spec!).sequence!;
  await end(node);
  await clock.advance(START_MS);
  const [other] = nodes;
  assert.deepEqual(runners("ash"), [other.name]);
  const says = `Moved from ${where}, which is lost, to ${other.name}.`;
  assert.ok(other.app.service.events.list("ash" as StreamId).some(({ text }) => text === says));
  assert.ok(other.app.service.fleet.get("ash" as StreamId).spec!.sequence! > sequence + START_MS / 1000);
});

clusterTest("a node that is stopped says so, and another one has its stream at once", 2, async (cluster) => {
  const { clock, nodes, end, runners } = cluster;
  const where = await running(cluster, "ash");
  const node = nodes.find(({ name }) => name === where)!;
  const { sequence } = node.app.service.fleet.get("ash" as StreamId).spec!;
  const leaving = node.app.service.placement.leave();
  await clock.advance(LOST_MS / 2);
  await leaving;
  const [other] = nodes.filter((one) => one !== node);
  assert.equal(
    other.app.service.placement.owner("ash" as StreamId),
    other.name,
    "sooner than one that is lost",
  );
  const says = `Moved from ${where}, which was stopped, to ${other.name}.`;
  assert.ok(other.app.service.events.list("ash" as StreamId).some(({ text }) => text === says));
  await end(node);
  await clock.advance(START_MS);
  assert.deepEqual(runners("ash"), [other.name]);
  assert.ok(other.app.service.fleet.get("ash" as StreamId).spec!.sequence! > sequence!);
});

clusterTest(
  "without the cluster a node goes on, and changes nothing",
  2,
  async (cluster) => {
    const { clock, nodes, runners } = cluster;
    const where = await running(cluster, "ash");
    for (const node of nodes) node.reach(false);
    await clock.advance(600_000);
    assert.deepEqual(runners("ash"), [where]);
    const refused = nodes[0].app.api("PATCH", "/api/streams/ash", { name: "Oak" });
    await clock.advance(10_000);
    assert.equal((await refused).status, 503);
    for (const node of nodes) node.reach(true);
    await clock.advance(START_MS);
    assert.deepEqual(runners("ash"), [where]);
  },
);

clusterTest(
  "a machine that starts without the cluster runs what it had, and gives up what others have by then",
  1,
  async (cluster) => {
    const { clock, nodes, join, end, runners } = cluster;
    await using folder = await tempDir("/dev/shm");
    await end(nodes[0]);
    const first = await join("n0", { dir: folder.path });
    await clock.advance(10_000);
    await running(cluster, "ash");
    await end(first);
    const again = await join("n0", { dir: folder.path, isThere: false });
    // what its last run has left is removed by a program, which virtual time does not wait for
    await same(
      async () => {
        await clock.advance(1000);
        return runners("ash");
      },
      ["n0"],
      "from its own copy of the list",
    );
    await join("n1");
    await clock.advance(START_MS);
    assert.deepEqual(runners("ash"), ["n0", "n1"], "nobody hears the first one");
    again.reach(true);
    await clock.advance(START_MS);
    assert.deepEqual(runners("ash"), ["n1"]);
    const events = again.app.service.events.list("ash" as StreamId);
    assert.ok(events.some(({ text }) => /runs on another machine/.test(text)));
  },
);

clusterTest(
  "access tokens and walls of one node are those of all, also when two change them at once",
  2,
  async (cluster) => {
    const { clock, nodes: [one, other] } = cluster;
    /** The answer, once the cluster has taken the change. */
    const done = async <Answer>(asked: Promise<Answer>) => {
      await clock.advance(3000);
      return await asked;
    };
    const make = ({ app }: TestNode, name: string) => app.api("POST", "/api/access-tokens", { name });
    const [{ json: a }, { json: b }] = await done(Promise.all([make(one, "Kodi"), make(other, "TV")]));
    const opens = async ({ app }: TestNode, token: string) => {
      const answer = await app.fetch(`/t/${token}/playlist.m3u`);
      await answer.body?.cancel();
      return answer.status;
    };
    for (const node of [one, other]) {
      assert.deepEqual([await opens(node, a.token), await opens(node, b.token)], [200, 200]);
      const { json } = await node.app.api("GET", "/api/access-tokens");
      assert.deepEqual(json.map(({ name }: { name: string }) => name).toSorted(), ["Kodi", "TV"]);
    }
    assert.equal((await done(other.app.api("DELETE", `/api/access-tokens/${a.id}`))).status, 204);
    assert.deepEqual([await opens(one, a.token), await opens(one, b.token)], [404, 200]);
    const wall = await done(other.app.api("POST", "/api/walls", { name: "Hall" }));
    assert.equal(wall.status, 201, JSON.stringify(wall.json));
    const { json } = await one.app.api("GET", `/api/walls/${wall.json.id}`);
    assert.equal(json.name, "Hall");
    const kept = await Deno.readTextFile(join(one.app.dir, "data/streams/walls.json"));
    assert.match(kept, /"Hall"/, "its own copy, for when it is alone");
    one.reach(false);
    assert.equal((await done(one.app.api("POST", "/api/walls", { name: "Lobby" }))).status, 503);
    assert.equal(await opens(one, b.token), 200, "what is known goes on");
  },
);

clusterTest("users of one node are those of all, and so are their sessions", 2, async (cluster) => {
  const { clock, nodes: [one, other] } = cluster;
  const done = async (asked: Promise<unknown>) => {
    await clock.advance(3000);
    await asked;
  };
  const { users } = one.app.service.login;
  const added = users.add({ name: "cleo", role: "admin", password: "correct horse battery" });
  await untilStored(one.app, "cleo", clock);
  await done(added);
  const status = async ({ app }: TestNode, cookie = "") => {
    const answer = await app.fetch("/api/streams", { headers: { cookie } });
    await answer.body?.cancel();
    return answer.status;
  };
  assert.deepEqual([await status(one), await status(other)], [401, 401], "the login is on at both");
  const cookie = one.app.service.login.session.cookie(false, users.find("cleo")).split(";")[0];
  assert.deepEqual([await status(one, cookie), await status(other, cookie)], [200, 200]);
  await done(other.app.service.login.users.logOut("cleo"));
  assert.deepEqual([await status(one, cookie), await status(other, cookie)], [401, 401]);
}, { CLUSTER: "nats://n0", CLUSTER_SECRET_FILE: "/nowhere" });

clusterTest(
  "who is logged in at one node is at all, and is logged out of all",
  2,
  async ({ clock, nodes }) => {
    const cookies = nodes.map(({ app }) => sessionCookie(app.service));
    assert.equal(cookies[0], cookies[1]);
    const isIn = async ({ app }: TestNode) => {
      const answer = await app.fetch("/api/streams", { headers: { cookie: cookies[0] } });
      await answer.body?.cancel();
      return answer.status;
    };
    for (const node of nodes) assert.equal(await isIn(node), 200);
    const ending = nodes[1].app.service.logOutEverywhere();
    await clock.advance(1000);
    await ending;
    for (const node of nodes) assert.equal(await isIn(node), 401);
    const [after, other] = nodes.map(({ app }) => sessionCookie(app.service));
    assert.equal(after, other);
    assert.notEqual(after, cookies[0]);
  },
  { AUTH_USER: "anna", AUTH_PASS: "sesame of anna", CLUSTER: "nats://n0", CLUSTER_SECRET_FILE: "/nowhere" },
);

clusterTest(
  "a node that is drained gives its streams away and takes none, until it is told so",
  2,
  async (cluster) => {
    const { clock, runners, shared, profiles, nodes } = cluster;
    const where = await running(cluster, "ash");
    const cookiesAt = (name: string) => {
      const { app } = nodes.find((node) => node.name === name)!;
      return join(app.service.paths.profilesDir, "ash/Default/Cookies");
    };
    await Deno.mkdir(dirname(cookiesAt(where)), { recursive: true });
    await Deno.writeTextFile(cookiesAt(where), "signed in by hand");
    const leaving = new AbortController();
    const draining = (await SharedTexts.open(shared.texts.view(), leaving.signal)).of(DRAINING);
    await setDraining(draining, where, true);
    await clock.advance(2 * START_MS);
    const [other] = cluster.nodes.map(({ name }) => name).filter((name) => name !== where);
    assert.deepEqual(runners("ash"), [other]);
    const says = `Moved from ${where}, which has given it away, to ${other}.`;
    for (const { app } of cluster.nodes) {
      const told = app.service.events.list("ash" as StreamId).filter(({ text }) => text === says);
      assert.equal(told.length, 1, "each node knows of it, once");
    }
    const { app } = cluster.nodes.find(({ name }) => name === other)!;
    const told = () => app.service.events.list("ash" as StreamId).map(({ text }) => text);
    assert.equal(await Deno.readTextFile(cookiesAt(other)), "signed in by hand");
    assert.ok(told().includes(`The page's stored data came along from the node ${where}: sign-ins go on.`));
    assert.ok(profiles.kept.has("ash"));
    const recreated = app.api("POST", "/api/streams/ash/recreate");
    await clock.advance(10_000);
    assert.equal((await recreated).status, 202);
    assert.ok(!profiles.kept.has("ash"), "an emptied profile is no node's any more");
    await clock.advance(START_MS);
    assert.ok(profiles.kept.has("ash"), "what the new browser stores is kept as any other's");
    assert.equal(await running(cluster, "birch"), other);
    await setDraining(draining, where, false);
    assert.equal(await running(cluster, "cedar"), where);
    leaving.abort();
  },
);

clusterTest(
  "a stream is let in where any node has room, and a refusal names the room of all",
  2,
  async (cluster) => {
    const { clock, nodes } = cluster;
    const where = await running(cluster, "ash");
    const full = nodes.findIndex(({ name }) => name === where);
    assert.notEqual(await running(cluster, "birch", full), where, "the full node was asked");
    await clock.advance(5000);
    const refused = nodes[full].app.api("POST", "/api/streams", {
      name: "cedar",
      url: "https://cedar.example.org/",
    });
    await clock.advance(5000);
    const { status, json } = await refused;
    assert.equal(status, 409);
    assert.match(json.error.message, /“cedar” was not started: no node .* \(free: n0 0 %, n1 0 %\)\./);
    assert.equal(
      json.capacity.reason,
      "no node of the cluster has room for the stream (free: n0 0 %, n1 0 %)",
    );
  },
  { MAX_STREAMS: "1" },
);

clusterTest(
  "of a stream that no node has room for, one node tells all, until one has",
  3,
  async (cluster) => {
    const { clock, nodes, end, runners } = cluster;
    const where: string[] = [];
    for (const [at, id] of ["ash", "birch", "cedar"].entries()) where.push(await running(cluster, id, at));
    await end(nodes.find(({ name }) => name === where[0])!);
    await clock.advance(START_MS);
    const rooms = where.slice(1).toSorted().map((name) => `${name} 0 %`).join(", ");
    for (const { app } of nodes) {
      const { ash } = (await app.api("GET", "/api/streams/statuses")).json;
      assert.deepEqual(
        [ash.state, ash.reason],
        ["failed", `No node of the cluster has room for the stream (free: ${rooms}).`],
      );
    }
    const tellers = nodes.filter(({ app }) => app.service.placement.tells("ash" as StreamId));
    assert.deepEqual(tellers.map(({ name }) => name), where.slice(1).toSorted().slice(0, 1));
    await soon(clock, nodes[0].app.api("POST", "/api/streams/birch/stop"));
    await clock.advance(START_MS);
    assert.deepEqual(runners("ash"), [where[1]]);
    for (const { app } of nodes) {
      assert.equal((await app.api("GET", "/api/streams/statuses")).json.ash.state, "running");
    }
  },
  { MAX_STREAMS: "1" },
);

clusterTest(
  "an export at any node has all streams, and an import at any is all nodes'",
  2,
  async (cluster) => {
    const { clock, nodes } = cluster;
    for (const [at, id] of ["ash", "birch"].entries()) await running(cluster, id, at);
    const exported = await Promise.all(
      nodes.map(async ({ app }) => (await app.api("GET", "/api/streams/export")).json.streams),
    );
    assert.deepEqual(exported[0].map(({ id }: { id: string }) => id), ["ash", "birch"]);
    assert.deepEqual(exported[0], exported[1]);
    assert.equal((await soon(clock, nodes[0].app.api("DELETE", "/api/streams/ash"))).status, 204);
    const imported = nodes[1].app.api("POST", "/api/streams/import", { streams: exported[0] });
    assert.deepEqual((await soon(clock, imported)).json.added.map(({ id }: { id: string }) => id), ["ash"]);
    await clock.advance(START_MS);
    assert.equal(cluster.runners("ash").length, 1);
    for (const { app } of nodes) {
      const { json } = await app.api("GET", "/api/streams");
      assert.deepEqual(json.map(({ id }: { id: string }) => id).toSorted(), ["ash", "birch"]);
    }
  },
);

clusterTest("a machine that was alone keeps its own list beside the cluster's", 1, async (cluster) => {
  const { clock, join } = cluster;
  await running(cluster, "ash");
  await using folder = await tempDir("/dev/shm");
  await Deno.mkdir(`${folder.path}/data/streams`, { recursive: true });
  const own = JSON.stringify([aStream({ id: "oak" })]);
  await Deno.writeTextFile(`${folder.path}/data/streams/streams.json`, own);
  const others = ["access-tokens", "walls", "users", "receivers"];
  for (const name of others) {
    const list = name === "access-tokens" ? "tokens" : name;
    await Deno.writeTextFile(
      `${folder.path}/data/streams/${name}.json`,
      JSON.stringify({ [list]: [], own: 1 }),
    );
  }
  const node = await join("n1", { dir: folder.path });
  await clock.advance(10_000);
  assert.deepEqual((await node.app.api("GET", "/api/streams")).json.map(({ id }: { id: string }) => id), [
    "ash",
  ]);
  await node.app.idle();
  const read = (name: string) => Deno.readTextFile(`${folder.path}/data/streams/${name}`);
  const names = Array.from(Deno.readDirSync(`${folder.path}/data/streams`), ({ name }) => name);
  const kept = names.filter((name) => name.includes(".alone-")).toSorted();
  assert.deepEqual(kept.map((name) => name.split(".")[0]), [...others, "streams"].toSorted());
  assert.equal(await read(kept.find((name) => name.startsWith("streams"))!), own);
  assert.match(await read("streams.json"), /"ash"/);
  await cluster.end(node);
});

clusterTest("another cluster's list stops nothing, nor does one that came up empty", 1, async (cluster) => {
  const { clock, nodes, runners, shared } = cluster;
  await running(cluster, "ash");
  const [node] = nodes;
  await using folder = await tempDir("/dev/shm");
  await Deno.mkdir(`${folder.path}/data/streams`, { recursive: true });
  for (const name of ["streams.json", "own-streams.json"]) {
    await Deno.copyFile(`${node.app.dir}/data/streams/${name}`, `${folder.path}/data/streams/${name}`);
  }
  await cluster.end(node);
  const { revision } = shared.streams.get("_cluster")!;
  await shared.streams.view().put("_cluster", JSON.stringify({ id: "another" }), revision);
  const again = await cluster.join("n0", { dir: folder.path });
  await clock.advance(START_MS);
  assert.deepEqual(runners("ash"), ["n0"]);
  assert.match(again.app.service.placement.problem!, /belongs to another cluster/);
  await cluster.end(again);
  for (const key of [...shared.streams.keys()]) {
    const { text, revision } = shared.streams.get(key)!;
    if (text !== null) await shared.streams.view().remove(key, revision);
  }
  const once = await cluster.join("n0", { dir: folder.path });
  await clock.advance(START_MS);
  assert.deepEqual(runners("ash"), ["n0"]);
  assert.match(once.app.service.placement.problem!, /no founding record/);
});

clusterTest(
  "what is about a running stream is answered by the node that has it, whichever is asked",
  2,
  async (cluster) => {
    const { clock, nodes, asked } = cluster;
    const where = await running(cluster, "ash");
    const [owner, other] = nodes[0].name === where ? nodes : nodes.toReversed();
    const browser = () => owner.app.living!.pid("browser-ash");
    const before = browser();
    asked.length = 0;
    const restarted = other.app.api("POST", "/api/streams/ash/restart");
    await clock.advance(START_MS);
    const { status, json } = await restarted;
    assert.deepEqual([status, json.id], [200, "ash"]);
    assert.ok(browser() !== before && browser() > 0);
    assert.deepEqual(asked, [`${other.name} -> ${where}: POST /api/streams/ash/restart`]);
    const events = async ({ app }: TestNode) => (await app.api("GET", "/api/streams/ash/events")).json.events;
    assert.deepEqual(await events(other), await events(owner));
    assert.ok((await events(other)).some(({ text }: { text: string }) => /^Restarted on request/.test(text)));
    assert.equal(asked.length, 3, "the owner answers by itself");
    const page = await other.app.fetch("/streams/ash/log");
    assert.equal(page.status, 200);
    assert.ok(page.headers.has("content-security-policy"));
    await page.body?.cancel();
    // who has it does not answer
    nodes.splice(nodes.indexOf(owner), 1);
    const asking = other.app.api("GET", "/api/streams/ash/events");
    await clock.advance(6000);
    const lost = await asking;
    assert.deepEqual([lost.status, lost.headers.get("retry-after")], [502, "2"]);
    assert.match(
      lost.json.error.message,
      new RegExp(`The node ${where}, which has this stream, does not answer`),
    );
    nodes.push(owner);
  },
);

clusterTest(
  "a node takes no request as passed on that no node of the cluster has let in",
  2,
  async (cluster) => {
    const where = await running(cluster, "ash");
    const { app } = cluster.nodes.find(({ name }) => name === where)!;
    for (const pass of ["{}.x", "x", `${encodeURIComponent('{"to":"n0"}')}.AAAA`]) {
      const { status } = await app.fetch("/api/streams/ash/restart", {
        method: "POST",
        headers: { "x-browser-stream-pass": pass },
        peer: "10.0.0.1",
      });
      assert.equal(status, 403, pass);
    }
  },
);

clusterTest("a node's metrics bear its name, and are of its own streams", 2, async (cluster) => {
  const where = await running(cluster, "ash");
  await running(cluster, "birch");
  for (const { app, name } of cluster.nodes) {
    const text = await (await app.fetch("/metrics")).text();
    const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    assert.deepEqual(lines.filter((line) => !line.includes(`node="${name}"`)), []);
    const [own, other] = name === where ? ["ash", "birch"] : ["birch", "ash"];
    assert.ok(lines.includes(`browserstream_stream_viewers{stream="${own}",node="${name}"} 0`));
    assert.ok(!text.includes(`stream="${other}"`));
    const health = await app.fetch("/healthz");
    assert.deepEqual([health.status, await health.json()], [200, { status: "ok" }], "of this node alone");
  }
});

clusterTest("each node shows how all streams are, and tells the webhook of its own", 2, async (cluster) => {
  const { clock, nodes } = cluster;
  const where = await running(cluster, "ash");
  await running(cluster, "birch");
  const states = async ({ app }: TestNode) => {
    const { json } = await app.api("GET", "/api/streams/statuses");
    return Object.fromEntries(
      Object.values<StreamStatus>(json).map(({ id, state, page }) => [id, `${state} ${page?.state}`]),
    );
  };
  for (const node of nodes) assert.deepEqual(await states(node), { ash: "running ok", birch: "running ok" });
  for (const { app } of nodes) {
    assert.equal((await app.api("GET", "/api/streams/statuses")).json.ash.node, where);
  }
  for (const { app, name } of nodes) {
    assert.deepEqual(Object.keys(await app.service.statuses.own()), [name === where ? "ash" : "birch"]);
  }
  const owner = nodes.find(({ name }) => name === where)!;
  const stopped = owner.app.api("POST", "/api/streams/ash/stop");
  await clock.advance(8000);
  assert.equal((await stopped).status, 200);
  for (const node of nodes) assert.equal((await states(node)).ash, "stopped undefined");
});

clusterTest(
  "who has a stream follows what another node changes, and all forget what one removes",
  2,
  async (cluster) => {
    const { clock, nodes } = cluster;
    const where = await running(cluster, "ash");
    const [owner, other] = nodes[0].name === where ? nodes : nodes.toReversed();
    const page = () => owner.app.service.fleet.get("ash" as StreamId).spec!.stream.url;
    const changed = other.app.api("PATCH", "/api/streams/ash", { url: "https://oak.example.org/" });
    await clock.advance(START_MS);
    assert.equal((await changed).status, 200);
    assert.equal(page(), "https://oak.example.org/");
    for (const { app } of nodes) {
      assert.match(
        app.service.tokens.get("ash" as StreamId) ?? "",
        /^[0-9a-f]{32}$/,
      );
    }
    const stopped = owner.app.api("POST", "/api/streams/ash/stop");
    await clock.advance(5000);
    await stopped;
    const folders = ["profiles/ash", "logs/ash"].map((path) => join(owner.app.dir, "data", path));
    await Deno.mkdir(folders[0], { recursive: true });
    assert.ok(await isThere(folders[0]));
    const deleted = other.app.api("DELETE", "/api/streams/ash");
    await clock.advance(5000);
    assert.equal((await deleted).status, 204);
    await clock.advance(5000);
    for (const folder of folders) assert.ok(!await isThere(folder), folder);
    for (const { app } of nodes) assert.equal(app.service.tokens.get("ash" as StreamId), undefined);
  },
);
