/** Users and roles: who may do what, at every address; and what ends when somebody may no longer. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { hashPassword } from "../../lib/door/access/password_hash.ts";
import { isFree } from "../../lib/door/access.ts";
import { LEAST_ROLES } from "../../lib/door/roles.ts";
import { streamId } from "../../lib/model/id.ts";
import { isAtLeast, type Role, ROLES } from "../../lib/role.ts";
import { formatUsersFile } from "../../lib/store/users_file.ts";
import { routePatterns } from "../support/addresses.ts";
import { textOf } from "../support/answers.ts";
import { appTest, sessionCookie, type TestApp, testApp } from "../support/app.ts";
import { FeedListener } from "../support/feed_listener.ts";
import { root, tempDir } from "../support/fixture.ts";
import { logged } from "../support/logged.ts";
import { same } from "../support/same.ts";
import { OWN_SCRIPT } from "../support/service.ts";

/** The people whom a refusal names, by the least role. */
const WHO: Record<Role, string> = { viewer: "nobody", operator: "operators and admins", admin: "admins" };

const PASSWORD = "correct horse battery";
const TIMINGS = JSON.stringify({ login: { firstDelayMs: 1, longestDelayMs: 2 }, feed: { longestMs: 1 } });
const ENV = { AUTH_USER: "anna", AUTH_PASS: "correct horse", TIMINGS };

interface Sent {
  method?: string;
  cookie?: string;
  headers?: Record<string, string>;
  body?: unknown;
  peer?: string;
}

async function send(
  app: TestApp,
  path: string,
  { method = "GET", cookie, headers = {}, body, peer }: Sent = {},
) {
  const isChange = !["GET", "HEAD", "OPTIONS"].includes(method);
  const answer = await app.fetch(path, {
    method,
    peer,
    headers: {
      ...(isChange ? { "content-type": "application/json" } : {}),
      ...(cookie ? { cookie } : {}),
      ...headers,
    },
    body: isChange ? JSON.stringify(body ?? {}) : undefined,
  });
  return { status: answer.status, headers: answer.headers, text: await textOf(answer) };
}

/** The cookie of a login. */
async function logIn(app: TestApp, user: string, pass = PASSWORD): Promise<string> {
  const answer = await app.fetch("/login", { method: "POST", body: new URLSearchParams({ user, pass }) });
  await answer.body?.cancel();
  return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}

/** One for all tests: each takes a tenth of a second of a processor. */
let hash: Promise<string> | null = null;

/** A user of each role, named like it, as if a command had added them: their cookies. */
async function withUsers({ service, paths }: TestApp): Promise<Record<Role, string>> {
  hash ??= hashPassword(PASSWORD);
  const stored = { hash: await hash, createdAt: 0 };
  const users = ROLES.map((role) => ({ name: role, role, epoch: crypto.randomUUID(), ...stored }));
  await Deno.writeTextFile(paths.usersFile, formatUsersFile({ users, wrapper: {} }));
  await service.login.users.reload();
  const cookies = users.map((user) => [user.role, service.login.session.cookie(false, user).split(";")[0]]);
  return Object.fromEntries(cookies);
}

function rolesTest(name: string, test: (app: TestApp, cookies: Record<Role, string>) => Promise<void>): void {
  appTest(`roles: ${name}`, async (app) => {
    await app.create({ desiredState: "stopped" });
    await test(app, await withUsers(app));
  }, { env: ENV });
}

/** "GET /api/streams/{id}" for all that routes/ answers; pages answer GET. */
async function routes(): Promise<string[]> {
  const found = await Promise.all((await routePatterns()).map(async (pattern) => {
    const base = join(root, "routes", pattern);
    const files = [`${base}.ts`, `${base}.tsx`, join(base, "index.ts"), join(base, "index.tsx")];
    const there = await Promise.all(files.map((file) => Deno.stat(file).then(() => true, () => false)));
    const { handler } = await import(files[there.indexOf(true)]);
    const path = pattern.replaceAll(/\[(?:\.\.\.)?(\w+)\]/g, "{$1}");
    return Object.keys(handler).filter((method) => method !== "HEAD" && method !== "OPTIONS")
      .map((method) => `${method} ${path}`);
  }));
  return found.flat();
}

const isOpen = (address: string) => isFree(new Request(`http://127.0.0.1${address.replace(/^\w+ /, "")}`));

Deno.test("roles: the table has every address with its methods, and no other", async () => {
  assert.deepEqual(
    Object.keys(LEAST_ROLES).toSorted(),
    (await routes()).filter((one) => !isOpen(one)).toSorted(),
  );
});

appTest("roles: OpenAPI tells the least role of each operation, and of no other one", async (app) => {
  const { paths } = (await app.api("GET", "/api/openapi.json")).json;
  type Told = Record<string, { "x-role"?: Role }>;
  const told = Object.entries(paths as Record<string, Told>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const isRead = ["head", "options"].includes(method);
      return [`${isRead ? "GET" : method.toUpperCase()} ${path}`, operation["x-role"]] as const;
    })
  );
  const isAsked = ([address]: readonly [string, unknown]) => address in LEAST_ROLES;
  assert.ok(told.filter(isAsked).length > 50);
  for (const [address, role] of told) assert.equal(role, LEAST_ROLES[address], address);
  for (const [address] of told.filter((one) => !isAsked(one))) assert.ok(isOpen(address), address);
});

/** An address for nothing that is there: what is let in changes nothing. */
function addressOf(path: string): string {
  return path.replaceAll(/\{(?:id|name|program)\}/g, "gone").replace("{path}", "live/gone/index.m3u8");
}

rolesTest("each address takes its role, by every method, and says which", async (app, cookies) => {
  const { "POST /logout": _own, ...table } = LEAST_ROLES;
  const visitors: [Role | null, string | undefined][] = [
    [null, undefined],
    [null, "browser-stream=forged"],
    ["admin", sessionCookie(app.service)],
    ...ROLES.map((role): [Role, string] => [role, cookies[role]]),
  ];
  // the webhook is not set, and what is wrong is logged
  await logged(async () => {
    for (const [address, least] of Object.entries(table)) {
      const [method, path] = address.split(" ");
      const methods = method === "GET" ? ["GET", "HEAD"] : [method];
      for (const one of methods) {
        for (const [role, cookie] of visitors) {
          const { status, text } = await send(app, addressOf(path), {
            method: one,
            cookie,
            headers: OWN_SCRIPT,
          });
          const what = `${role} ${one} ${path}: ${status} ${text.slice(0, 100)}`;
          if (role === null) assert.ok(status === 401 || status === 303, what);
          else if (isAtLeast(role, least)) assert.ok(status !== 403 && status !== 401, what);
          else assert.equal(status, 403, what);
          if (status === 403 && one !== "HEAD") {
            assert.match(text, new RegExp(`Only ${WHO[least]} can do this\\. Your role is ${role}\\.`), what);
          }
        }
      }
    }
  });
});

rolesTest("what the table does not know takes an admin, in every spelling", async (app, { viewer }) => {
  const paths = [
    ...["/api/none", "/api/streams/clock/none", "/api//streams/clock/stop", "/vnc/clock/", "/vnc//clock"],
    ...["/api/streams/clock/%73top", "/%76nc/clock", "/nodes/", "/api/streams/export/", "/api/users/"],
    ...["/player/../vnc/clock", "/api/hls/../users", "/api/webvnc/client.js", "/api/webvnc/core/rfb.js"],
    ...["/metrics", "/streams/clock/log", "/api/streams/clock/log/encoder", "/api/streams/clock/vnc"],
  ];
  for (const path of paths) {
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]) {
      const { status } = await send(app, path, { method, cookie: viewer });
      assert.equal(status, 403, `${method} ${path}`);
    }
  }
  assert.equal((await send(app, "/VNC/clock", { cookie: viewer })).status, 404);
  assert.equal((await send(app, "/styles.css", { cookie: viewer })).status, 200);
});

const UPGRADE = {
  upgrade: "websocket",
  connection: "Upgrade",
  "sec-websocket-version": "13",
  host: "127.0.0.1:3000",
  origin: "http://127.0.0.1:3000",
};

rolesTest(
  "a WebSocket to a browser takes an operator on every path, one to a channel a viewer",
  async (app, cookies) => {
    const token = app.service.tokens.get(streamId("clock"));
    const status = async (path: string, cookie: string) =>
      (await send(app, path, { cookie, headers: UPGRADE })).status;
    // a 400 is let in: the handshake has no key
    for (const path of ["/", "/websockify", "/styles.css", "/login", "/api/channels", "/api/webvnc/x"]) {
      const at = `${path}?token=${token}`;
      assert.deepEqual(
        [await status(at, cookies.viewer), await status(at, cookies.operator)],
        [403, 400],
        path,
      );
    }
    assert.equal(await status("/api/ts/clock", cookies.viewer), 404, "let in: the channel is off");
  },
);

rolesTest("OK starts a stopped channel on a television for those that may start it", async (app, cookies) => {
  for (const [role, mayStart] of [["viewer", ""], ["operator", "true"], ["admin", "true"]] as const) {
    const { text } = await send(app, "/static/clock", { cookie: cookies[role] });
    assert.ok(text.includes(`data-may-start="${mayStart}"`), role);
  }
});

rolesTest("an access token opens what it opens, whoever shows it", async (app, { admin, viewer }) => {
  const made = await send(app, "/api/access-tokens", { method: "POST", cookie: admin, body: { name: "TV" } });
  const { token } = JSON.parse(made.text);
  for (const cookie of [undefined, viewer, admin]) {
    assert.equal((await send(app, `/t/${token}/playlist.m3u`, { cookie })).status, 200);
    for (const path of ["/api/users", "/api/access-tokens", "/people", "/vnc/clock", "/api/streams"]) {
      assert.equal((await send(app, `/t/${token}${path}`, { cookie })).status, 404, path);
    }
  }
});

rolesTest(
  "a user changes the own password, with the present one, and stays logged in there alone",
  async (app, cookies) => {
    const elsewhere = await logIn(app, "viewer");
    const sent = async (
      cookie: string,
      now: string,
      password: string,
      headers: Record<string, string> = {},
    ) => {
      const body = new URLSearchParams({ now, password });
      const answer = await app.fetch("/password", { method: "POST", body, headers: { cookie, ...headers } });
      return { status: answer.status, text: await textOf(answer), cookie: answer.headers.get("set-cookie") };
    };
    const wrong = await sent(cookies.viewer, "not it", "another long one");
    assert.equal(wrong.status, 403);
    assert.match(wrong.text, /The current password is wrong/);
    const short = await sent(cookies.viewer, PASSWORD, "short");
    assert.equal(short.status, 400);
    assert.match(short.text, /role="alert"[^>]*>[^<]*8/);
    assert.equal((await send(app, "/api/streams", { cookie: elsewhere })).status, 200, "nothing was changed");
    const foreign = await sent(cookies.viewer, PASSWORD, "another long one", {
      origin: "https://evil.example",
    });
    assert.equal(foreign.status, 403);

    const done = await sent(cookies.viewer, PASSWORD, "another long one");
    assert.equal(done.status, 200, done.text);
    const renewed = done.cookie!.split(";")[0];
    const status = async (cookie: string) => (await send(app, "/api/streams", { cookie })).status;
    assert.deepEqual([await status(renewed), await status(elsewhere), await status(cookies.viewer)], [
      200,
      401,
      401,
    ]);
    assert.equal(await status(await logIn(app, "viewer", "another long one")), 200);
    assert.equal(await status(cookies.operator), 200, "of nobody else");
  },
);

rolesTest("the password of AUTH_USER and of who comes by a proxy is not changed here", async (app) => {
  const cookie = await logIn(app, ENV.AUTH_USER, ENV.AUTH_PASS);
  assert.match((await send(app, "/password", { cookie })).text, /AUTH_PASS sets your password/);
  const body = new URLSearchParams({ now: ENV.AUTH_PASS, password: "another long one" });
  const answer = await app.fetch("/password", { method: "POST", body, headers: { cookie } });
  assert.equal(answer.status, 409);
  await answer.body?.cancel();
});

rolesTest(
  "people whose role is not enough get a page that says so, and programs a text",
  async (app, { viewer }) => {
    const { status, text } = await send(app, "/people", {
      cookie: viewer,
      headers: { accept: "text/html,*/*" },
    });
    assert.equal(status, 403);
    assert.match(text, /<h1>You cannot open this page<[^]*Only admins can do this[^]*href="\/"/);
    assert.match(
      (await send(app, "/people", { cookie: viewer })).text,
      /^Only admins can do this\. Your role is viewer\./,
    );
  },
);

/** What ends a user's sessions. */
const ENDINGS: [what: string, method: string, path: string, body?: unknown][] = [
  ["another password", "PATCH", "/api/users/viewer", { password: "another long one" }],
  ["another role", "PATCH", "/api/users/viewer", { role: "operator" }],
  ["a logout by an admin", "POST", "/api/users/viewer/logout"],
  ["the removal", "DELETE", "/api/users/viewer"],
];

for (const [what, method, path, body] of ENDINGS) {
  appTest(`roles: ${what} ends a user's sessions and open feeds at once, and nobody else's`, async (app) => {
    const { viewer, operator, admin } = await withUsers(app);
    await using listener = new FeedListener(await app.fetch("/api/events", { headers: { cookie: viewer } }));
    await using other = new FeedListener(await app.fetch("/api/events", { headers: { cookie: operator } }));
    await Promise.all([listener.until("state"), other.until("state")]);
    assert.equal(app.service.feed.listeners, 2);
    const { status, text } = await send(app, path, { method, cookie: admin, body });
    assert.ok(status < 300, text);
    assert.equal(app.service.feed.listeners, 1);
    assert.equal((await send(app, "/api/streams", { cookie: viewer })).status, 401);
    assert.equal((await send(app, "/api/streams", { cookie: operator })).status, 200);
  }, { env: { AUTH_USER: "anna", AUTH_PASS: "correct horse" } });
}

Deno.test("roles: who may no longer use a stream's browser is let out of it, and nobody else", async () => {
  // keeps its viewers
  const proxy = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => Deno.upgradeWebSocket(request).response,
  );
  const held: Deno.Conn[] = [];
  await using app = await testApp({ env: { ...ENV, VNC_PROXY_PORT: String(proxy.addr.port) } });
  const clock = streamId((await app.create({ desiredState: "stopped" })).id);
  const { operator, admin } = await withUsers(app);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, app.handler);
  const enter = async (cookie: string) => {
    const conn = await Deno.connect({ port: server.addr.port });
    held.push(conn);
    const head = [
      `GET /?token=${app.service.tokens.get(clock)} HTTP/1.1`,
      ...Object.entries({ ...UPGRADE, cookie }).map(([name, value]) => `${name}: ${value}`),
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    ];
    await conn.write(new TextEncoder().encode(head.join("\r\n") + "\r\n\r\n"));
    const bytes = new Uint8Array(4096);
    await conn.read(bytes);
    return new TextDecoder().decode(bytes.subarray(9, 12));
  };
  try {
    assert.deepEqual([await enter(operator), await enter(admin)], ["101", "101"]);
    await same(() => app.service.vnc.bridges.viewers(clock), 2);
    await app.service.login.users.change("operator", { role: "viewer" });
    const goodbye = new Uint8Array(128);
    await held[0].read(goodbye);
    assert.equal(goodbye[0], 0x88, "a WebSocket's close frame");
    held.shift()!.close();
    await same(() => app.service.vnc.bridges.viewers(clock), 1);
  } finally {
    for (const conn of held) conn.close();
    await app.service.vnc.closeAll({ code: 1001, reason: "" });
    await server.shutdown();
    await proxy.shutdown();
  }
});

rolesTest(
  "a user logs out everywhere alone; AUTH_USER logs everybody out",
  async (app, { viewer, operator }) => {
    assert.equal((await send(app, "/logout?everywhere", { method: "POST", cookie: viewer })).status, 303);
    const status = async (cookie: string) => (await send(app, "/api/streams", { cookie })).status;
    const own = sessionCookie(app.service);
    assert.deepEqual([await status(viewer), await status(operator), await status(own)], [401, 200, 200]);
    await send(app, "/logout?everywhere", { method: "POST", cookie: own });
    assert.deepEqual([await status(operator), await status(own)], [401, 401]);
    assert.equal(await status(await logIn(app, "operator")), 200);
  },
);

rolesTest("pages hide from a viewer each control that takes an operator", async (app, { viewer }) => {
  await app.create({ name: "Lobby", desiredState: "running" });
  for (const path of ["/", "/streams/lobby", "/streams/clock"]) {
    const { text } = await send(app, path, { cookie: viewer });
    assert.match(text, /<html[^>]* data-role="viewer"/);
    const controls = [...text.matchAll(/<(button|a)\b[^>]*>(?:(?!<\/\1>)[^])*/g)].map(([control]) => control);
    const those = controls.filter((one) => />(VNC|Start|Stop|Restart|Edit|Try now|Add stream)\b/.test(one));
    assert.ok(those.length >= 3, path);
    for (const one of those) assert.match(one, /data-least="operator"/, `${path}: ${one}`);
  }
});

rolesTest("passwords and their hashes are in no answer, and in no log", async (app, { admin }) => {
  let text = "";
  const lines = await logged(async () => {
    const body = { name: "dora", role: "viewer", password: "dora's own secret" };
    const added = await send(app, "/api/users", { method: "POST", cookie: admin, body });
    assert.equal(added.headers.get("location"), "/api/users/dora");
    text += added.text + (await send(app, "/api/users", { cookie: admin })).text;
    assert.equal(await logIn(app, "dora", "wrong wrong wrong"), "");
    assert.ok(await logIn(app, "dora", body.password));
  });
  assert.deepEqual(JSON.parse((await send(app, "/api/users", { cookie: admin })).text)[0], {
    name: "anna",
    role: "admin",
    by: "environment",
    createdAt: null,
  });
  assert.doesNotMatch(text + lines.join(), /secret|scrypt|hash|epoch/);
  const { mode } = await Deno.stat(app.paths.usersFile);
  assert.equal(mode! & 0o777, 0o600);
  assert.doesNotMatch(await Deno.readTextFile(app.paths.usersFile), /secret|correct horse/);
});

appTest("roles: the first user is an admin, turns the login on, and the last one stays", async (app) => {
  const add = (name: string, role: Role, cookie?: string) =>
    send(app, "/api/users", { method: "POST", cookie, body: { name, role, password: PASSWORD } });
  assert.equal((await send(app, "/api/streams")).status, 200);
  assert.equal((await add("vera", "viewer")).status, 409);
  assert.equal((await send(app, "/api/streams")).status, 200);
  await using listener = new FeedListener(await app.fetch("/api/events"));
  await listener.until("state");
  assert.equal((await add("cleo", "admin")).status, 201);
  assert.equal((await send(app, "/api/streams")).status, 401);
  assert.equal(app.service.feed.listeners, 0, "what was open without a login is closed");
  const cookie = await logIn(app, "cleo");
  assert.equal((await add("Cleo", "viewer", cookie)).status, 409);
  const change = (method: string, body?: unknown) => send(app, "/api/users/cleo", { method, cookie, body });
  assert.equal((await change("DELETE")).status, 409);
  assert.equal((await change("PATCH", { role: "viewer" })).status, 409);
  assert.equal((await change("PATCH", { role: "admin" })).status, 200, "as it was");
  assert.equal((await send(app, "/api/streams", { cookie })).status, 200);
});

Deno.test("roles: a restart keeps users and sessions, and takes what a command has written meanwhile", async () => {
  await using dir = await tempDir("/dev/shm");
  let cookie = "";
  {
    await using app = await testApp({ dir: dir.path });
    await app.service.login.users.add({ name: "cleo", role: "admin", password: PASSWORD });
    cookie = await logIn(app, "cleo");
  }
  await using app = await testApp({ dir: dir.path });
  assert.equal((await send(app, "/api/streams", { cookie })).status, 200);
  assert.equal((await send(app, "/api/streams")).status, 401);
  const { Users } = await import("../../lib/door/access/users.ts");
  const command = await Users.open({ path: app.paths.usersFile, now: Date.now, isAtMachine: true });
  await command.remove("cleo");
  await app.service.login.users.reload();
  assert.equal((await send(app, "/api/streams", { cookie })).status, 401);
  assert.equal((await send(app, "/api/streams")).status, 401, "who removes the last user opens nothing");
});

const PROXY = "10.0.0.5";
const SSO = { TRUSTED_PROXIES: PROXY, TRUSTED_USER_HEADER: "Remote-User", TIMINGS };
const GROUPS = {
  ...SSO,
  TRUSTED_GROUPS_HEADER: "Remote-Groups",
  ROLE_GROUPS: "admin=tv admins,operator=tv-ops,viewer=staff",
};

appTest(
  "single sign-on: a trusted proxy's groups give the role; nobody else's headers count",
  async (app) => {
    const status = async (groups: string, peer = PROXY, path = "/api/extensions", user = "eva") => {
      const headers = { "remote-user": user, "remote-groups": groups };
      return (await send(app, path, { headers, peer })).status;
    };
    const operator = await Promise.all(
      ["staff", "tv-ops", "x,tv admins", "a|tv-ops", "TV-OPS", ""].map((one) => status(one)),
    );
    assert.deepEqual(operator, [403, 200, 200, 200, 403, 403]);
    assert.equal(await status("staff", PROXY, "/api/streams"), 200);
    assert.equal(await status("none", PROXY, "/api/streams"), 403, "of no group that has a role");
    assert.equal(await status("tv admins", PROXY, "/api/users"), 200);
    for (const peer of ["127.0.0.1", "10.0.0.6", "192.168.1.5"]) {
      assert.equal(await status("tv admins", peer, "/api/streams"), 401, `spoofed by ${peer}`);
    }
    // a header that comes twice, and one that names nobody
    for (const user of ["eva, root", "", " "]) {
      assert.equal(
        await status("tv admins", PROXY, "/api/streams", user),
        401,
      );
    }
    const page = await send(app, "/", {
      headers: { "remote-user": "eva", "remote-groups": "staff" },
      peer: PROXY,
    });
    assert.equal(page.headers.get("set-cookie"), null, "the proxy has the session");
    assert.match(page.headers.get("vary")!, /Cookie, Remote-User, Remote-Groups/);
  },
  { env: GROUPS },
);

appTest(
  "single sign-on without groups: a user's role here, else viewer; a cookie works without the proxy",
  async (app) => {
    await withUsers(app);
    const by = async (user: string) =>
      (await send(app, "/api/extensions", { headers: { "remote-user": user }, peer: PROXY })).status;
    assert.deepEqual([await by("operator"), await by("viewer"), await by("stranger")], [200, 403, 403]);
    const cookie = await logIn(app, "operator");
    assert.equal((await send(app, "/api/extensions", { cookie })).status, 200);
    const both = { cookie, headers: { "remote-user": "viewer" }, peer: PROXY };
    assert.equal((await send(app, "/api/extensions", both)).status, 403, "the proxy's word counts first");
    await app.service.login.users.change("operator", { role: "viewer" });
    assert.equal(await by("operator"), 403);
  },
  { env: SSO },
);
