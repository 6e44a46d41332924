/** Who may do what in a cluster: each node judges, and what is given or ended at one is so at all. */
import { strict as assert } from "node:assert";
import { PASS_HEADER, type PassedOn, Passes } from "../../lib/door/access/pass.ts";
import { LEAST_ROLES } from "../../lib/door/roles.ts";
import type { StreamId } from "../../lib/model/id.ts";
import { streamOf } from "../../lib/cluster/forward.ts";
import { WALL_HOST, wallAddress } from "../../lib/reach/wall_address.ts";
import { isAtLeast, type Role, ROLES } from "../../lib/role.ts";
import { textOf } from "../support/answers.ts";
import { sessionCookie } from "../support/app.ts";
import { same } from "../support/same.ts";
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
import { nodeOf } from "../support/cluster_node.ts";

const LOGIN = {
  AUTH_USER: "anna",
  AUTH_PASS: "sesame of anna",
  CLUSTER: "nats://n0",
  CLUSTER_SECRET_FILE: "/nowhere",
};

const HALL = { name: "Hall", slots: [{ row: 1, column: 1, stream: "ash" }] };

/** What a client sends that takes over a stream's browser; without a key the handshake of who is let in is a 400. */
const UPGRADE = { upgrade: "websocket", connection: "Upgrade", "sec-websocket-version": "13" };

/** What is asked of the node that has a stream, each with its least role. */
function passedOn(id: string): [method: string, path: string, least: Role][] {
  return Object.entries(LEAST_ROLES).flatMap(([address, least]): [string, string, Role][] => {
    const [method, pattern] = address.split(" ");
    const path = pattern.replace("{id}", id).replace("{program}", "browser").replace("{film}", "0")
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
  const where = await running(cluster, "ash", 0, { rewindFor: "viewers" });
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
    const passes = new Passes(SECRET, other.name, () => nodeOf(other.app).clusterNow());
    const found = {
      client: "10.0.0.9",
      publicUrl: "http://n0:3000/",
      addressBase: "http://n0:3000",
      isFromOwnPage: true,
      mayReadSecrets: true,
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
          ROLES.includes(role as Role)
            ? /^.*Only .*admins can do this/s
            : /^.*is not from a node of the cluster/s,
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
    const { clock } = cluster;
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
        /^\/api\/(?:hls\/|ts\/|streams\/ash\/(?:thumb|snapshot\.(?:jpg|png)|mjpeg|rewind(?:\/(?:(?:picture|small)\.jpg|index\.m3u8|segment\.ts))?)$)|^\/hdhr\/tune\//,
      ],
      [
        wallUrl.pathname.replace(/\/wall$/, ""),
        { host: WALL_HOST },
        /^\/api\/(?:hls\/|ts\/|streams\/ash\/(?:thumb|snapshot\.(?:jpg|png)|mjpeg|rewind(?:\/(?:(?:picture|small)\.jpg|index\.m3u8|segment\.ts))?)$)/,
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
  },
  { CLUSTER: "nats://n0", CLUSTER_SECRET_FILE: "/nowhere" },
);

clusterTest(
  "VNC's token is one at all nodes, and the proxy's own lets nobody in",
  2,
  async (cluster) => {
    const { nodes } = cluster;
    await running(cluster, "ash");
    const [token, other] = await Promise.all(nodes.map(vncToken));
    assert.equal(token, other);
    for (const node of nodes) {
      const own = node.app.service.tokens.get("ash" as StreamId)!;
      assert.equal(await entered(cluster, node, token), 400, "let in");
      for (const wrong of [token.replace(/.$/, "!"), own]) {
        assert.equal(await entered(cluster, node, wrong), 403);
      }
    }
  },
  LOGIN,
);

async function vncToken({ app }: TestNode): Promise<string> {
  const headers = { cookie: sessionCookie(app.service), ...OWN_SCRIPT };
  return (await (await app.fetch("/api/streams/ash/vnc", { headers })).json()).token;
}

/** The status of a takeover: 400 for who is let in, as the handshake has no key. */
async function entered(cluster: TestCluster, node: TestNode, token: string): Promise<number> {
  const cookie = sessionCookie(node.app.service);
  const headers = { ...UPGRADE, cookie, origin: "http://127.0.0.1:3000" };
  return (await status(cluster, node, `/?token=${token}`, { headers })).status;
}

/** What opens something, how it is made at a node, and how it is taken back at one. */
interface Kind {
  /** @returns whether it opens at a node what it is for. */
  give(cluster: TestCluster, at: TestNode): Promise<(node: TestNode) => Promise<boolean>>;
  takeBack(cluster: TestCluster, at: TestNode): Promise<unknown>;
}

/** An answer that may take a password's hash, whose time no clock has. */
async function answered<Answer>({ clock }: TestCluster, asked: Promise<Answer>): Promise<Answer> {
  let isThere = false;
  void asked.finally(() => isThere = true).catch(() => {});
  await same(async () => {
    await clock.advance(100);
    return isThere;
  }, true);
  return await asked;
}

async function asked(cluster: TestCluster, { app }: TestNode, method: string, path: string, body?: unknown) {
  const { status, json } = await answered(cluster, app.api(method, path, body));
  assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(json)}`);
  return json;
}

const PASSWORD = "correct horse battery";
const WALL = wallAddress("hall");
const CHANNEL = { name: "Mirror", url: WALL, desiredState: "stopped" };

/** @param path that the token opens. */
const accessToken = (path: string): Kind => ({
  async give(cluster, at) {
    const { token } = await asked(cluster, at, "POST", "/api/access-tokens", { name: "TV" });
    return async (node) => (await status(cluster, node, `/t/${token}${path}`)).status === 200;
  },
  async takeBack(cluster, at) {
    const [{ id }] = await asked(cluster, at, "GET", "/api/access-tokens");
    await asked(cluster, at, "DELETE", `/api/access-tokens/${id}`);
  },
});

const wallsChannel = (takeBack: Kind["takeBack"]): Kind => ({
  async give(cluster, at) {
    await asked(cluster, at, "POST", "/api/streams", CHANNEL);
    const { pathname } = new URL(at.app.service.pageAddress({ id: "mirror", url: WALL }));
    return async (node) =>
      (await status(cluster, node, pathname, { headers: { host: WALL_HOST } })).status === 200;
  },
  takeBack,
});

/** Removes a stream, and makes another one of its name: what opened the first is not to open it. */
const anew = (id: string, body: unknown): Kind["takeBack"] => async (cluster, at) => {
  await asked(cluster, at, "DELETE", `/api/streams/${id}`);
  await asked(cluster, at, "POST", "/api/streams", body);
};

const vnc = (takeBack: Kind["takeBack"]): Kind => ({
  async give(cluster, at) {
    const token = await vncToken(at);
    return async (node) => await entered(cluster, node, token) === 400;
  },
  takeBack,
});

/** @param cookieOf what a browser has that has logged in at the node. */
const session = (cookieOf: (node: TestNode) => string, takeBack: Kind["takeBack"]): Kind => ({
  async give(cluster, at) {
    const { users } = at.app.service.login;
    if (!users.find("cleo")) {
      await asked(cluster, at, "POST", "/api/users", { name: "cleo", role: "operator", password: PASSWORD });
    }
    const cookie = cookieOf(at);
    return async (node) =>
      (await status(cluster, node, "/api/streams", { headers: { cookie } })).status === 200;
  },
  takeBack,
});

const ofAnna = ({ app }: TestNode) => sessionCookie(app.service);
const ofCleo = ({ app: { service: { login } } }: TestNode) =>
  login.session.cookie(false, login.users.find("cleo")).split(";")[0];

let clients = 0;

const password: Kind = {
  async give(cluster, at) {
    await asked(cluster, at, "POST", "/api/users", { name: "dora", role: "viewer", password: PASSWORD });
    return async ({ app }) => {
      const body = new URLSearchParams({ user: "dora", pass: PASSWORD });
      // who fails waits, by address
      const peer = `10.0.1.${++clients}`;
      const answer = await answered(cluster, app.fetch("/login", { method: "POST", body, peer }));
      await answer.body?.cancel();
      return answer.status === 303;
    };
  },
  takeBack: async (cluster, at) => {
    await asked(cluster, at, "PATCH", "/api/users/dora", { password: `${PASSWORD} staple` });
  },
};

const logOutAll: Kind["takeBack"] = (cluster, { app }) => answered(cluster, app.service.logOutEverywhere());

const KINDS: Record<string, Kind> = {
  "a playlist's token": accessToken("/playlist.m3u"),
  "a shared wall": accessToken("/wall?layout=hall"),
  "what a shared wall asks for": accessToken("/api/walls/hall/view"),
  "a list of channels": accessToken("/api/channels"),
  "a wall's channel that shows another page": wallsChannel((cluster, at) =>
    asked(cluster, at, "PATCH", "/api/streams/mirror", { url: "https://oak.example.org/" })
  ),
  "a wall's channel that is made anew": wallsChannel(anew("mirror", CHANNEL)),
  "a stream's browser, by logging all out": vnc(logOutAll),
  "the browser of a stream that is made anew": vnc(
    anew("ash", { name: "ash", url: "https://ash.example.org/", desiredState: "stopped" }),
  ),
  "AUTH_USER's session": session(ofAnna, logOutAll),
  "a user's session, by logging all out": session(ofCleo, logOutAll),
  "a user's session, by logging that user out": session(
    ofCleo,
    (cluster, at) => asked(cluster, at, "POST", "/api/users/cleo/logout"),
  ),
  "a user's session, by another role": session(
    ofCleo,
    (cluster, at) => asked(cluster, at, "PATCH", "/api/users/cleo", { role: "viewer" }),
  ),
  "a user's session, by removing the user": session(
    ofCleo,
    (cluster, at) => asked(cluster, at, "DELETE", "/api/users/cleo"),
  ),
  "a password": password,
};

/** Whether a node has a user or stream that a kind makes. */
function knowsOne({ app: { service } }: TestNode): boolean {
  const { users } = service.login;
  return users.find("dora") !== undefined || users.find("cleo") !== undefined ||
    service.streams.list("admin").some(({ id }) => id === "mirror");
}

clusterTest(
  "what is given at one node opens at all, and what is taken back at one is over at all",
  2,
  async (cluster) => {
    const { nodes } = cluster;
    await running(cluster, "ash");
    await asked(cluster, nodes[0], "POST", "/api/walls", HALL);
    for (const [name, { give, takeBack }] of Object.entries(KINDS)) {
      for (const [giver, taker] of [nodes, nodes.toReversed()]) {
        const opens = await give(cluster, giver);
        const seen = async () => `${name}: ${[await opens(giver), await opens(taker)]}`;
        await same(seen, `${name}: true,true`);
        await takeBack(cluster, taker);
        await same(seen, `${name}: false,false`);
        for (const path of ["streams/mirror", "users/dora", "users/cleo"]) {
          await answered(cluster, giver.app.api("DELETE", `/api/${path}`));
        }
        await same(() => nodes.some(knowsOne), false);
      }
    }
  },
  LOGIN,
);

clusterTest("who is removed at one node is told nothing more at another", 2, async (cluster) => {
  const { nodes: [one, other] } = cluster;
  await asked(cluster, one, "POST", "/api/users", { name: "cleo", role: "viewer", password: PASSWORD });
  const feed = await one.app.fetch("/api/events", { headers: { cookie: ofCleo(one) } });
  assert.equal(feed.status, 200);
  await untilStored(other.app, "cleo", cluster.clock);
  await asked(cluster, other, "DELETE", "/api/users/cleo");
  await answered(cluster, feed.text());
}, LOGIN);
