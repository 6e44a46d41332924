import assert from "node:assert/strict";
import { clusterFailure, clusterFinding, type HeardNode } from "../../../../lib/run/checks/cluster.ts";
import { AwayError, OtherClusterError } from "../../../../lib/cluster/buckets.ts";
import { PROTOCOL } from "../../../../lib/cluster/protocol.ts";
import { VERSION } from "../../../../lib/machine/tools/version.ts";

const SELF = { own: "wall-a", url: "http://10.0.0.1:3000", isRunning: true };
const node = (name: string, aheadMs = 0, version = VERSION): HeardNode => ({
  name,
  beat: { version, protocol: PROTOCOL },
  aheadMs,
  silentAt: null,
});

Deno.test("doctor names the cluster's nodes, and where this one is reached", () => {
  const { state, says } = clusterFinding([node("wall-a"), node("wall-b", 900)], SELF);
  assert.equal(state, "ok");
  assert.equal(says, "wall-a is reached at http://10.0.0.1:3000; other nodes: wall-b");
  assert.match(clusterFinding([], { ...SELF, isRunning: false }).says, /other nodes: none/);
});

Deno.test("doctor tells clocks that are off, versions that differ, and a service that is not in its cluster", () => {
  const clocks = clusterFinding([node("wall-a"), node("wall-b", -61_000), node("wall-c", 7000)], SELF);
  assert.equal(clocks.state, "warning");
  assert.equal(clocks.says, "clocks are off: wall-b by 61 s behind, wall-c by 7 s ahead");
  const versions = clusterFinding([node("wall-a"), node("wall-b", 0, "0.9.0")], SELF);
  assert.equal(versions.state, "warning");
  assert.match(versions.says, /wall-b has 0\.9\.0, here it is/);
  const away = clusterFinding([node("wall-b")], SELF);
  assert.equal(away.state, "problem");
  assert.match(away.says, /has not heard from wall-a/);
});

Deno.test("doctor names nodes that do not answer here, and those that this one cannot ask", () => {
  const silent = { ...node("wall-b"), silentAt: "http://10.0.0.2:3000" };
  const ports = clusterFinding([node("wall-a"), silent], SELF);
  assert.equal(ports.state, "problem");
  assert.match(ports.says, /^nobody answers this machine at http:\/\/10\.0\.0\.2:3000 \(wall-b\)$/);
  const strange = { ...node("wall-b", 0, "9.0.0"), beat: { version: "9.0.0", protocol: PROTOCOL + 1 } };
  const versions = clusterFinding([node("wall-a"), strange], SELF);
  assert.equal(versions.state, "problem");
  assert.match(versions.says, /^wall-b \(9\.0\.0\) and this machine .* cannot ask each other/);
});

Deno.test("doctor says where NATS does not answer, and where it has another cluster", () => {
  const config = { CLUSTER_NAME: "walls", CLUSTER: ["nats://10.0.0.1:4222", "nats://10.0.0.2:4222"] };
  const away = clusterFailure(new AwayError("connection refused"), config);
  assert.equal(away.state, "problem");
  assert.equal(away.says, "nats://10.0.0.1:4222, nats://10.0.0.2:4222: connection refused");
  assert.match(
    JSON.stringify(away),
    /Start NATS with JetStream there, or correct CLUSTER and CLUSTER_LOGIN_FILE/,
  );
  const other = clusterFailure(new OtherClusterError("the bucket belongs to another cluster"), config);
  assert.match(other.says, /^the servers have no cluster "walls": the bucket belongs to another cluster/);
  assert.match(JSON.stringify(other), /browser-stream cluster init/);
});
