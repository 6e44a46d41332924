/** Who may do what in a cluster: each node judges, and what is given or ended at one is so at all. */
import { strict as assert } from "node:assert";
import { PASS_HEADER, type PassedOn, Passes } from "../../lib/auth/pass.ts";
import { LEAST_ROLES } from "../../lib/http/roles.ts";
import type { StreamId } from "../../lib/model/id.ts";
import { streamOf } from "../../lib/node/forward.ts";
import { WALL_HOST, wallAddress } from "../../lib/net/wall_address.ts";
import { isAtLeast, type Role, ROLES } from "../../lib/role.ts";
import { textOf } from "../support/answers.ts";
import { sessionCookie } from "../support/app.ts";
import { OWN_SCRIPT } from "../support/service.ts";
import {
  clusterTest,
  running,
  SECRET,
  soon,
  type TestCluster,
  type TestNode,
  untilStored,
} from "../support/test_cluster.ts";

const LOGIN = {
  ...{ AUTH_USER: "anna", AUTH_PASS: "sesame of anna" },
  ...{ CLUSTER: "nats://n0", CLUSTER_SECRET_FILE: "/nowhere" },
};

const HALL = { name: "Hall", slots: [{ row: 1, column: 1, stream: "ash" }] };

/** What a client sends that takes over a stream's browser; without a key the handshake of who is let in is a 400. */
const UPGRADE = { upgrade: "websocket", connection: "Upgrade", "sec-websocket-version": "13" };

/** What is asked of the node that has a stream, each with its least role. */
function passedOn(id: string): [method: string, path: string, least: Role][] {
  return Object.entries(LEAST_ROLES).flatMap(([address, least]): [string, string, Role][] => {
    const [method, pattern] = address.split(" ");
    const path = pattern.replace("{id}", id).replace("{program}", "browser")
      .replace("{path}", `live/${id}/index.m3u8`);
    return streamOf(path) ? [[method, path, least]] : [];
  });
}

async function status({ clock }: TestCluster, { app }: TestNode, path: string, init: RequestInit = {}) {
  const answer = await soon(clock, app.fetch(path, { peer: "10.0.0.9", ...init }));
  return { status: answer.status, text: await textOf(answer) };
}

/** A cookie of each role. */
async function withUsers({ clock, nodes: [{ app }] }: TestCluster): Promise<Record<Role, string>> {
  const { users, session } = app.service.login;
  for (const name of ROLES) {
    const added = users.add({ name, role: name, password: "correct horse battery" });
    await untilStored(app, name, clock);
    await added;
  }
  return Object.fromEntries(
    ROLES.map((role) => [role, session.cookie(false, users.find(role)).split(";")[0]]),
  ) as Record<Role, string>;
}

/** A cluster with a stream, and each route that is passed on to the node that has it. */
async function withStream(cluster: TestCluster) {
  const where = await running(cluster, "ash");
  const [owner, other] = cluster.nodes[0].name === where ? cluster.nodes : cluster.nodes.toReversed();
  const routes = passedOn("ash");
  assert.ok(routes.length > 15, String(routes.length));
  assert.ok(ROLES.slice(0, 2).every((role) => routes.some(([, , least]) => least === role)));
  return { owner, other, routes };
}

clusterTest(
  "each route takes its role at the asked node, which passes on nothing else",
  2,
  async (cluster) => {
    const { other, routes } = await withStream(cluster);
    const cookies = await withUsers(cluster);
    for (const [method, path, least] of routes) {
      for (const role of ROLES) {
        cluster.asked.length = 0;
        const headers = { cookie: cookies[role], ...OWN_SCRIPT };
        const got = await status(cluster, other, path, { method, headers });
        const what = `${role} ${method} ${path}: ${got.status} ${got.text.slice(0, 100)}`;
        if (isAtLeast(role, least)) {
          assert.ok(![401, 403].includes(got.status), what);
          assert.ok(
            cluster.asked.some((one) => one.endsWith(`: ${method} ${path}`)),
            `not passed on: ${what}`,
          );
        } else {
          assert.equal(got.status, 403, what);
          assert.deepEqual(cluster.asked, [], what);
        }
      }
    }
  },
  LOGIN,
);

clusterTest(
  "the node that has a stream judges the role of what is passed on once more",
  2,
  async (cluster) => {
    const { owner, other, routes } = await withStream(cluster);
    const passes = new Passes(SECRET, other.name, () => other.app.service.cluster!.clusterNow());
    const found = {
      ...{ client: "10.0.0.9", publicUrl: "http://n0:3000/", addressBase: "http://n0:3000" },
      ...{ isFromOwnPage: true, mayReadSecrets: true },
    };
    const pass = (method: string, path: string, role: unknown) => ({
      [PASS_HEADER]: passes.make(owner.name, method, path, { ...found, role } as PassedOn),
    });
    const admins: typeof routes = [
      ["GET", "/api/streams/export", "admin"],
      ["POST", "/api/users", "admin"],
      ["GET", "/api/streams/ash/takeover", "admin"],
      ["GET", "/api/streams/ash/vnc", "operator"],
      ["DELETE", "/api/streams/ash", "operator"],
    ];
    for (const [method, path, least] of [...routes, ...admins]) {
      const refused = ROLES.filter((role) => !isAtLeast(role, least));
      for (const role of [...refused, "root", undefined]) {
        const got = await status(cluster, owner, path, { method, headers: pass(method, path, role) });
        const what = `${role} ${method} ${path}: ${got.status} ${got.text.slice(0, 100)}`;
        assert.equal(got.status, 403, what);
        assert.match(
          got.text,
          ROLES.includes(role as Role) ? /takes the role/ : /^.*No node of the cluster/s,
          what,
        );
      }
    }
    for (const role of ROLES) {
      const path = "/api/streams/ash/takeover";
      const headers = { ...UPGRADE, ...pass("GET", path, role) };
      const got = await status(cluster, owner, path, { headers });
      assert.equal(got.status === 403, role === "viewer", `${role}: ${got.status} ${got.text}`);
    }
  },
  LOGIN,
);

clusterTest(
  "a playlist's token and a wall's open at the asked node what they open at one",
  2,
  async (cluster) => {
    const { clock, nodes } = cluster;
    const { owner, other, routes } = await withStream(cluster);
    const made = await soon(clock, owner.app.api("POST", "/api/access-tokens", { name: "TV" }));
    assert.equal(made.status, 201);
    const wall = await soon(clock, other.app.api("POST", "/api/walls", HALL));
    const url = wallAddress(wall.json.id);
    const channel = { name: "Hall", url, desiredState: "stopped" };
    assert.equal((await soon(clock, other.app.api("POST", "/api/streams", channel))).status, 201);
    const wallUrl = new URL(other.app.service.pageAddress({ id: "hall", url }));
    const tokens: [prefix: string, headers: Record<string, string>, opens: RegExp][] = [
      [
        `/t/${made.json.token}`,
        {},
        /^\/api\/(?:hls\/|ts\/|streams\/ash\/(?:thumb|snapshot\.(?:jpg|png)|mjpeg)$)|^\/hdhr\/tune\//,
      ],
      [
        wallUrl.pathname.replace(/\/wall$/, ""),
        { host: WALL_HOST },
        /^\/api\/(?:hls\/|ts\/|streams\/ash\/(?:thumb|snapshot\.(?:jpg|png)|mjpeg)$)/,
      ],
    ];
    for (const [prefix, headers, opens] of tokens) {
      for (const [method, path] of routes) {
        cluster.asked.length = 0;
        const abort = new AbortController();
        const answer = await soon(
          clock,
          other.app.fetch(prefix + path, { method, headers, signal: abort.signal, peer: "10.0.0.9" }),
        );
        await answer.body?.cancel();
        abort.abort();
        const what = `${method} ${prefix}${path}: ${answer.status}`;
        const isPassed = cluster.asked.some((one) => one.endsWith(`: ${method} ${path}`));
        assert.equal(isPassed, method === "GET" && opens.test(path), what);
        if (!isPassed) assert.equal(answer.status, 404, what);
      }
    }
    const revoked = other.app.api("DELETE", `/api/access-tokens/${made.json.id}`);
    assert.equal((await soon(clock, revoked)).status, 204);
    for (const node of nodes) {
      const got = await status(cluster, node, `/t/${made.json.token}/api/streams/ash/thumb`);
      assert.equal(got.status, 404, `revoked at ${node.name}, too`);
    }
  },
  { CLUSTER: "nats://n0", CLUSTER_SECRET_FILE: "/nowhere" },
);

clusterTest(
  "VNC's token of one node opens the browser at all, until all are logged out",
  2,
  async (cluster) => {
    const { clock, nodes } = cluster;
    await running(cluster, "ash");
    const tokens = async () =>
      await Promise.all(nodes.map(async ({ app }) => {
        const headers = { cookie: sessionCookie(app.service), ...OWN_SCRIPT };
        const answer = await app.fetch("/api/streams/ash/vnc", { headers });
        return (await answer.json()).token as string;
      }));
    const entered = ({ app, name }: TestNode, token: string) =>
      status(cluster, { app, name } as TestNode, `/?token=${token}`, {
        headers: { ...UPGRADE, cookie: sessionCookie(app.service), origin: "http://127.0.0.1:3000" },
      });
    const [token, same] = await tokens();
    assert.equal(token, same);
    assert.notEqual(token, nodes[0].app.service.tokens.get("ash" as StreamId), "the proxy's own is not told");
    for (const node of nodes) {
      assert.equal((await entered(node, token)).status, 400, "let in");
      assert.equal((await entered(node, token.replace(/.$/, "!"))).status, 403);
      assert.equal((await entered(node, node.app.service.tokens.get("ash" as StreamId)!)).status, 403);
    }
    await soon(clock, nodes[1].app.service.logOutEverywhere());
    for (const node of nodes) assert.equal((await entered(node, token)).status, 403, node.name);
    const [after, other] = await tokens();
    assert.equal(after, other);
    for (const node of nodes) assert.equal((await entered(node, after)).status, 400);
  },
  LOGIN,
);
