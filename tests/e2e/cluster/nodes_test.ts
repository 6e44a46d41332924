/** Two services on this machine as nodes of one cluster, around three real NATS servers: one is lost, drained, stopped. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { LOST_MS } from "../../../lib/cluster/nodes.ts";
import { parseConfig } from "../../../lib/config.ts";
import { kill, processesOfRun } from "../../../lib/machine/os/orphans.ts";
import { filterProblem } from "../../../lib/machine/os/packet_filter.ts";
import { pathsOf } from "../../../lib/paths.ts";
import { type Attempt, attempt, reads } from "../../support/attacker.ts";
import { aStream } from "../../support/fixture.ts";
import { LiveRules } from "../../support/live_rules.ts";
import { hasBrowser, newest, nodeCluster } from "../../support/node_cluster.ts";
import { same, until } from "../../support/same.ts";
import { SMALL, type TestService } from "../../support/service.ts";
import { enter, openSocket, tokenOf } from "../../support/takeover.ts";
import { tellTime } from "../../support/times.ts";

const NOBODY = 65_534;

/** A page that gives each visitor who has none a cookie, and notes whom it has seen. */
function cookiePage() {
  const given: string[] = [];
  const known = new Set<string>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ headers, url }) => {
    if (new URL(url).pathname !== "/") return new Response(null, { status: 404 });
    const cookie = /visit=([\w-]+)/.exec(headers.get("cookie") ?? "")?.[1];
    const visit = cookie ?? crypto.randomUUID();
    if (cookie) known.add(cookie);
    else given.push(visit);
    return new Response("<!doctype html><title>Visit</title><p>A page", {
      headers: { "content-type": "text/html", "set-cookie": `visit=${visit}; Max-Age=86400` },
    });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    given,
    known,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Watches a channel at a node as a player does, a look at a time. */
function viewerOf({ url }: TestService, id: string) {
  const rules = new LiveRules();
  const file = async (name: string) => {
    const answer = await fetch(`${url}/api/hls/live/${id}/${name}`);
    const text = new TextDecoder().decode(await answer.bytes());
    if (!answer.ok || text === "") rules.problems.push(`${name}: ${answer.status}`);
    return text;
  };
  return {
    rules,
    async look(): Promise<void> {
      const update = rules.add(await file("index.m3u8"), performance.now());
      for (const { uri } of update?.added ?? []) await file(uri);
    },
  };
}

/** The answer to a question for the picture of a moment. @param at Unix time in s. */
async function pictureAt({ url }: TestService, id: string, at: number): Promise<number> {
  const { status, body } = await fetch(`${url}/api/streams/${id}/rewind/picture.jpg?at=${at}`);
  await body?.cancel();
  return status;
}

/** A moment of which a picture is kept, as Unix time in s: nothing is of a visit. */
async function keptAt(node: TestService, id: string): Promise<number> {
  return await until("a picture of the past", async () => {
    const at = Math.floor(Date.now() / 1000) - 3;
    return await pictureAt(node, id, at) === 200 && at;
  });
}

/** What a stream's user tries, as a page that broke out of its browser: NATS' ports, and the files with key and login. */
async function strangersAttempts(
  { env }: TestService,
  id: string,
  servers: string[],
  secrets: string[],
): Promise<void> {
  // users of their own have streams of root's service alone, and the kernel's rules where it lets us set them
  if (Deno.uid() !== 0) return;
  const paths = pathsOf(parseConfig(env));
  const { uid } = await Deno.stat(join(paths.profilesDir, id));
  const files = [...secrets, paths.clusterSecretFile, paths.clusterLoginFile];
  for (const file of files) await Deno.stat(file);
  const ports = servers.map((server): Attempt => {
    const { hostname, port } = new URL(server);
    const code = `socket.create_connection((${JSON.stringify(hostname)}, ${port}), 3)`;
    return { name: `connect to ${server}`, code };
  });
  const isFiltered = await filterProblem() === null;
  const all = [...files.map((file) => reads(file)), ...(isFiltered ? ports : [])];
  const got = (await attempt(uid!, all)).filter((outcome) => outcome.got).map(({ name }) => name);
  assert.deepEqual(got, []);
  const others = await attempt(NOBODY, ports);
  assert.ok(others.every((outcome) => outcome.got), "who has no stream is not kept from them");
}

Deno.test("two nodes: a stream of one is played at the other, which has it when its node is lost, drained or stopped", async () => {
  await using page = cookiePage();
  // what one of them had when it was alone
  const oak = "oak";
  const stored = aStream({ id: oak, name: "Oak", url: page.url, ...SMALL, desiredState: "running" });
  const files = { "streams/streams.json": JSON.stringify([stored]) };
  await using cluster = await nodeCluster(["wall-a", "wall-b"], { files });
  const { servers, files: [secret, login] } = cluster;
  const run = (word: string, name = "wall-a") => cluster.run(word, name);
  const founded = await run("init");
  assert.equal(founded.code, 0, founded.said);
  assert.match(founded.said, /is created, with 1 stream of this machine/);
  const nodes = await Promise.all([cluster.start("wall-a"), cluster.start("wall-b")]);
  const statuses = async () => await (await nodes[0].api("GET", "/api/streams/statuses")).json();
  const other = await until("a node to have the first stream", async () => {
    const { node = null } = (await statuses())[oak] ?? {};
    const its = nodes.find(({ env }) => env.NODE_NAME === node);
    return its && hasBrowser(its) && its;
  });
  const owner = nodes.find((node) => node !== other)!;
  // the next one is the other node's: one that gives its streams away takes none, and keeps what it has just started
  const told = async (word: string) =>
    (await nodes[0].api("POST", `/api/nodes/${other.env.NODE_NAME}/${word}`)).status;
  await same(() => told("drain"), 200);
  const id = await until("the cluster to take a stream", async () => {
    const answer = await nodes[0].api("POST", "/api/streams", {
      name: "Ash",
      url: nodes[0].pageUrl,
      ...SMALL,
    });
    return answer.status === 201 && String((await answer.json()).id);
  });
  await same(async () => (await statuses())[id].node, owner.env.NODE_NAME);
  assert.equal(await told("resume"), 200);
  for (const node of nodes) await node.untilState(id, "running");
  const before = await until("the channel at both", async () => {
    const [a, b] = [await newest(nodes[0], id), await newest(nodes[1], id)];
    return a !== null && b !== null && Math.max(a, b);
  });
  assert.ok(hasBrowser(owner), "it runs where its status says so");

  const attempts = strangersAttempts(owner, id, servers.at.addresses, [secret, login]);

  const token = await tokenOf(other, id);
  {
    await using viewer = await enter(other, token);
    assert.equal(viewer.framebuffer.width, 1280, "the display of the node that has it");
  }
  const socket = openSocket(other, "", `/api/ts/${id}`);
  socket.binaryType = "arraybuffer";
  const closed = new Promise((done) => socket.addEventListener("close", done));
  const first = await Promise.race([
    new Promise<number>((done) => socket.onmessage = ({ data }) => done(new Uint8Array(data)[0])),
    closed,
  ]);
  socket.close();
  await closed;
  assert.equal(first, 0x47, "a transport stream begins with its sync byte");
  await attempts;

  const lived = await keptAt(other, id);
  const from = performance.now();
  for (const pid of [owner.pid, ...processesOfRun(owner.runDir)]) kill(pid, "SIGKILL");
  // while the node is missed, the machine has little else to do
  const twice = run("init");
  const early = cluster.run("status", "wall-a", undefined, { CLUSTER_NAME: "halls" });
  const after = await until("the channel at the other", async () => {
    const number = await newest(other, id);
    return number !== null && number > before && number;
  });
  const seconds = (performance.now() - from) / 1000;
  tellTime("a channel of a node that is lost, at another", seconds, 30);
  assert.ok(seconds * 1000 > LOST_MS / 2, "the node was not lost");
  assert.match((await twice).said, /The cluster "walls" exists already\. Nothing was changed/);
  assert.equal((await early).code, 1);
  assert.match((await early).said, /There is no cluster "halls" yet/);
  const changed = await other.api("PATCH", `/api/streams/${id}`, { name: "Birch" });
  assert.equal(changed.status, 200, await changed.text());

  const again = await cluster.start(owner.env.NODE_NAME);
  await same(async () => (await (await again.api("GET", `/api/streams/${id}`)).json()).name, "Birch");
  await until("the channel at the node that is back", async () => (await newest(again, id) ?? 0) > after);
  // it has begun what it had if it found NATS too late
  await same(() => hasBrowser(again), false, "it leaves the stream to the other");

  await same(() => pictureAt(other, id, lived), 200, "its past is on the node that was lost, and is back");

  // who watches while a stream is given away misses nothing, and the page's cookie comes along
  assert.equal((await again.api("POST", `/api/streams/${id}/stop`)).status, 200);
  await other.untilState(oak, "running");
  // its channel may begin before its page is there
  await same(
    async () => (await (await other.api("GET", "/api/streams/statuses")).json())[oak].page?.state,
    "ok",
  );
  const viewers = [other, again].map((node) => viewerOf(node, oak));
  const visit = page.given.at(-1)!;
  page.known.clear();
  const given = await keptAt(again, oak);
  const drained = run("drain", other.env.NODE_NAME);
  const names = async () => (await run("status")).said.match(/wall-[ab](?= |:)/g)?.toSorted();
  const listed = same(names, ["wall-a", "wall-b"]);
  let isDrained = false;
  void drained.finally(() => isDrained = true);
  await until("the stream to be given away", async () => {
    for (const { look } of viewers) await look();
    return isDrained;
  });
  await listed;
  const { code, said } = await drained;
  assert.equal(code, 0, said);
  await until("its channel to go on at the other node", async () => {
    for (const { look } of viewers) await look();
    const [{ rules: { updates, newest } }] = viewers;
    const hasMoved = newest!.segments.at(-1)!.discontinuity > updates[0].added[0].discontinuity;
    return hasMoved && hasBrowser(again) && !hasBrowser(other);
  });
  if (viewers.some(({ rules }) => rules.problems.length > 0)) {
    for (const node of [other, again]) console.log(node.env.NODE_NAME, node.output().slice(-8000));
  }
  for (const { rules } of viewers) assert.deepEqual(rules.problems, []);
  // the page may come after its channel: with its cookie, and nobody without one
  await same(() => [page.known.has(visit), page.given.at(-1)], [true, visit]);

  for (const node of [other, again]) assert.equal(await pictureAt(node, oak, given), 200, "before the move");

  // who is stopped says so; how its channels go on is as where a node is lost
  const [resumed] = await Promise.all([run("resume", other.env.NODE_NAME), again.stop()]);
  assert.equal(resumed.code, 0, resumed.said);
  await same(async () => {
    const { events } = await (await other.api("GET", `/api/streams/${oak}/events`)).json();
    return events.map(({ text }: { text: string }) => text).join("\n");
  }, /^Moved from wall-[ab], which was stopped, to wall-[ab]\.$/m);
});
