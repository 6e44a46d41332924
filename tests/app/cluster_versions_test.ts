/** Two versions side by side in a cluster: what each gives the other, what it leaves alone, and how all are upgraded. */
import { strict as assert } from "node:assert";
import type { StreamId } from "../../lib/model/id.ts";
import type { Claim } from "../../lib/cluster/cluster_streams.ts";
import { OWN_SCRIPT } from "../support/service.ts";
import {
  clusterTest,
  running,
  soon,
  START_MS,
  type TestCluster,
  type TestNode,
} from "../support/test_cluster.ts";

/** What a version speaks that understands this one, and one that does not. */
const NEXT = { protocol: 2, oldest: 1 };
const STRANGE = { protocol: 9, oldest: 9 };

const STRANGERS = { "x-hologram": { depth: 3, of: ["a", null] } };

/** Changes a record as a node of another version does. */
async function write({ shared, clock }: TestCluster, key: string, fields: Record<string, unknown>) {
  const { text, revision } = shared.streams.get(key)!;
  await shared.streams.view().put(key, JSON.stringify({ ...JSON.parse(text!), ...fields }), revision);
  await clock.advance(0);
}

const newestClaim = ({ shared }: TestCluster, id: string): Claim => {
  const claims = [...shared.owners.keys()].filter((key) => key.startsWith(`${id}.`))
    .map((key): Claim | null => JSON.parse(shared.owners.get(key)!.text ?? "null"));
  return claims.filter((claim) => claim !== null).toSorted((a, b) => b.term - a.term)[0];
};

clusterTest(
  "all nodes are upgraded, one after the other: streams go on, and no version loses what another one wrote",
  2,
  async (cluster) => {
    const { clock, nodes, asked, runners, end, join } = cluster;
    await running(cluster, "ash");
    await write(cluster, "ash", STRANGERS);
    const drain = (name: string, word: "drain" | "resume") =>
      soon(clock, nodes[0].app.api("POST", `/api/nodes/${name}/${word}`));
    for (const name of ["n0", "n1"]) {
      await drain(name, "drain");
      await clock.advance(2 * START_MS);
      assert.deepEqual(runners("ash"), nodes.map((one) => one.name).filter((one) => one !== name));
      await end(nodes.find((one) => one.name === name)!);
      await join(name, { spoken: NEXT });
      await clock.advance(10_000);
      await drain(name, "resume");
      for (const [at, { app, name: by }] of nodes.entries()) {
        asked.length = 0;
        const events = await soon(clock, app.api("GET", "/api/streams/ash/events"));
        assert.equal(events.status, 200, by);
        assert.equal(asked.length, runners("ash").includes(by) ? 0 : 1, "it asks the other version");
        const named = `By ${name} ${at}`;
        const changed = await soon(clock, app.api("PATCH", "/api/streams/ash", { name: named }));
        assert.deepEqual([changed.status, changed.json.name], [200, named]);
        const { text } = cluster.shared.streams.get("ash")!;
        const { name: kept, "x-hologram": hologram } = JSON.parse(text!);
        assert.deepEqual([kept, hologram], [named, STRANGERS["x-hologram"]]);
      }
      assert.equal(runners("ash").length, 1);
    }
  },
);

clusterTest(
  "a node is given nothing of what it does not understand, and goes on with what it has",
  1,
  async (cluster) => {
    const { clock, nodes, asked, join, runners } = cluster;
    await join("n1", { spoken: STRANGE });
    await clock.advance(10_000);
    const where = await running(cluster, "ash");
    await running(cluster, "birch");
    const its = { [where]: "ash", [where === "n0" ? "n1" : "n0"]: "birch" };
    asked.length = 0;
    for (const { app, name } of nodes) {
      const other = nodes.find((one) => one.name !== name)!;
      const id = its[other.name];
      const refusal = new RegExp(`^The node ${other.name}, which has this stream, .* cannot ask each other`);
      const questions: [method: string, path: string][] = [
        ...["events", "log", "log/browser", "thumb", "mjpeg"].map((
          name,
        ): [string, string] => ["GET", `/api/streams/${id}/${name}`]),
        ...["restart", "recreate", "home"].map((
          name,
        ): [string, string] => ["POST", `/api/streams/${id}/${name}`]),
        ["GET", `/api/hls/live/${id}/index.m3u8`],
        ["GET", `/api/ts/${id}`],
      ];
      for (const [method, path] of questions) {
        const answer = await soon(clock, app.fetch(path, { method, headers: OWN_SCRIPT }));
        const text = await answer.text();
        assert.equal(answer.status, 502, `${name}: ${method} ${path} ${text}`);
        assert.match(JSON.parse(text).error.message, refusal);
      }
      const { json: statuses } = await app.api("GET", "/api/streams/statuses");
      assert.deepEqual(
        [statuses.ash.state, statuses.birch.state],
        ["running", "running"],
        "as far as it is understood",
      );
      assert.equal(
        (await soon(clock, app.api("GET", "/api/system"))).status,
        200,
        "without the other's figures",
      );
      const takeover = app.service.placement.elsewhere!.takeover(
        id as StreamId,
        { isPassedOn: false } as never,
      );
      assert.equal(takeover, null);
    }
    assert.deepEqual(asked, [], "none asks the other");
    const at = (node: TestNode) => node.app.api("PATCH", "/api/streams/birch", { name: `By ${node.name}` });
    for (const node of nodes) {
      assert.equal(
        (await soon(clock, at(node))).json.name,
        `By ${node.name}`,
        "the list is one",
      );
    }
    await clock.advance(START_MS);
    assert.deepEqual(
      [runners("ash"), runners("birch")].map(String),
      Object.keys(its).toSorted((a, b) => its[a] < its[b] ? -1 : 1),
    );
  },
);

clusterTest("a stream that its node cannot read any more is left to those that can", 2, async (cluster) => {
  const { clock, nodes, shared, runners } = cluster;
  const where = await running(cluster, "ash");
  await write(cluster, "ash", { fps: { least: 5, most: 60 } });
  await clock.advance(START_MS);
  assert.deepEqual(runners("ash"), [], "no node of these can read it");
  const left = newestClaim(cluster, "ash");
  assert.deepEqual([left.node, left.state], [where, "left"]);
  for (const { app } of nodes) {
    assert.equal((await app.api("GET", "/api/streams/ash")).status, 404);
    const added = await soon(clock, app.create({ name: "Ash", id: "ash" }).catch((error) => error.message));
    assert.match(String(added), /409|A newer version has a stream "ash"/);
  }
  assert.match(shared.streams.get("ash")!.text!, /"most":60/, "nothing of it is written over");
  await write(cluster, "ash", { fps: 10 });
  await clock.advance(START_MS);
  assert.deepEqual(runners("ash"), [where], "it is theirs again when they can read it");
});
