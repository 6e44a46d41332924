/**
 * No answer at any address, and no log line, has a secret. A new secret is one more row of SECRETS. Files, command lines and
 * the real programs' logs are looked through by tests/e2e/secrets/secrets_test.ts.
 */
import { strict as assert } from "node:assert";
import { streamId } from "../../lib/model/id.ts";
import { addresses } from "../support/addresses.ts";
import { sessionCookie, type TestApp, testApp } from "../support/app.ts";
import { logged } from "../support/logged.ts";
import { tempDir } from "../support/fixture.ts";

const ENV = {
  AUTH_USER: "operator",
  AUTH_PASS: "login-7c1f",
  METRICS_TOKEN: "metrics-token-7c1f",
  WEBHOOK_URL: "http://user:hook-7c1f@127.0.0.1:1/topic-7c1f?token=key-7c1f",
  WEBHOOK_SECRET: "sign-7c1f",
  TIMINGS: '{"feed":{"longestMs":1},"login":{"firstDelayMs":1,"longestDelayMs":1}}',
};

const STREAM = {
  user: "ops",
  pass: "pass-7c1f",
  token: "tool-7c1f",
  desiredState: "stopped",
  extraHeaders: "X-Key: header-7c1f",
  extraCookies: "session=cookie-7c1f",
};

const RECEIVERS = [
  {
    name: "Mail",
    way: "mail",
    server: "smtp.example.org",
    from: "tv@example.org",
    to: "anna@example.org",
    user: "tv",
    password: "mail-7c1f",
  },
  { name: "Telegram", way: "telegram", token: "bot-7c1f", chat: "1" },
  { name: "JSON", way: "json", address: "http://127.0.0.1:1/given-7c1f", secret: "signed-7c1f" },
];

/** What it is, and the only addresses that may show it. */
const SECRETS: [what: string, text: (app: TestApp) => string, shownAt?: string][] = [
  ["the login's password", () => ENV.AUTH_PASS],
  ["a wrong password that somebody typed", () => "typed-7c1f"],
  ["the session", (app) => sessionCookie(app.service).split("=")[1]],
  ["the metrics' token", () => ENV.METRICS_TOKEN],
  ["the webhook's password", () => "hook-7c1f"],
  ["the webhook's path", () => "topic-7c1f"],
  ["the webhook's query", () => "key-7c1f"],
  ["the webhook's secret", () => ENV.WEBHOOK_SECRET],
  ["a mail server's password", () => "mail-7c1f"],
  ["a bot's token", () => "bot-7c1f"],
  ["a receiver's address", () => "given-7c1f"],
  ["what a receiver's messages are signed with", () => "signed-7c1f"],
  ["the stream's password", () => STREAM.pass],
  ["another tool's token in the stream", () => STREAM.token],
  ["the stream's header", () => "header-7c1f"],
  ["the stream's cookie", () => "cookie-7c1f"],
  ["the stream's VNC token", (app) => app.service.tokens.get(streamId("clock"))!, "/api/streams/clock/vnc"],
];

Deno.test("no answer at any address has a secret, and no log line", async () => {
  await using app = await testApp({ env: ENV });
  const secrets = [...SECRETS];
  const wrong: string[] = [];
  const lines = await logged(async () => {
    await app.create(STREAM);
    for (const receiver of RECEIVERS) {
      const made = await app.api("POST", "/api/receivers", receiver);
      assert.equal(made.status, 201);
      assert.doesNotMatch(JSON.stringify(made.json), /7c1f/);
    }
    const [, , { id }] = (await app.api("GET", "/api/receivers")).json;
    const tried = await app.api("POST", `/api/receivers/${id}/test`);
    assert.equal(tried.json.isDelivered, false);
    assert.doesNotMatch(JSON.stringify(tried.json), /7c1f/);
    const { json: { token } } = await app.api("POST", "/api/access-tokens", { name: "TV" });
    secrets.push(["an app's token", () => token]);
    const pass = "typed-7c1f";
    const form = await app.fetch("/login", {
      method: "POST",
      body: new URLSearchParams({ user: "ops", pass }),
    });
    assert.equal(form.status, 401);
    assert.ok(!(await form.text()).includes(pass));
    const headers = { cookie: sessionCookie(app.service), "x-requested-with": "browser-stream" };
    for (const path of await addresses("clock")) {
      for (const method of ["GET", "POST"]) {
        // what changes the stream has tests of its own
        if (method === "POST" && !path.startsWith("/api/webhook")) continue;
        const answer = await app.fetch(path, { method, headers });
        // a page renews its reader's own cookie
        const told = [...answer.headers].filter(([name]) => name !== "set-cookie").join("\n");
        const said = told + await answer.text();
        for (const [what, text, shownAt] of secrets) {
          if (said.includes(text(app)) && path !== shownAt) wrong.push(`${method} ${path} has ${what}`);
        }
      }
    }
    const playlist = await app.fetch(`/t/${token}/playlist.m3u`);
    await playlist.body?.cancel();
    assert.equal(playlist.status, 200);
    await app.idle();
  }, "debug");
  assert.ok(lines.length > 0, "something is logged");
  for (const [what, text] of secrets) {
    if (lines.join("\n").includes(text(app))) wrong.push(`the log has ${what}`);
  }
  assert.deepEqual(wrong, []);
});

/** What is for those that may edit a stream: a new setting that may hold a secret is one more row. */
const FOR_EDITORS = {
  url: "https://clock.example.org/path-9d2e?token=query-9d2e#part-9d2e",
  morePages: "https://clock.example.org/more-9d2e?kiosk 20\nhttps://clock.example.org/other-9d2e",
  plan: "daily 00:00-24:00 https://plan.example.org/plan-9d2e",
  pushTo: "rtmp://live.example.org/app/push-9d2e",
  proxy: "http://proxy-9d2e.example.org:3128",
  user: "user-9d2e",
  css: "#css-9d2e { color: red }",
  js: "const js = '9d2e'",
  hideSelectors: "#hidden-9d2e",
  userAgent: "agent-9d2e",
  note: { text: "other-tool-9d2e" },
};

/** What a viewer's script sends. */
async function asViewer(app: TestApp): Promise<Record<string, string>> {
  const viewer = { name: "vera", role: "viewer", password: "correct horse battery" };
  assert.equal((await app.api("POST", "/api/users", viewer)).status, 201);
  const body = new URLSearchParams({ user: viewer.name, pass: viewer.password });
  const entered = await app.fetch("/login", { method: "POST", body });
  await entered.body?.cancel();
  return {
    cookie: entered.headers.get("set-cookie")!.split(";")[0],
    "x-requested-with": "browser-stream",
  };
}

Deno.test("a viewer sees of a stream's addresses the servers, and nothing else that may hold a secret", async () => {
  await using app = await testApp({ env: ENV });
  const { id } = await app.create({ ...FOR_EDITORS, desiredState: "stopped" });
  const srt = { pushTo: "srt://live.example.org:9000?streamid=stream-9d2e", name: "SRT" };
  await app.create({ ...FOR_EDITORS, ...srt, desiredState: "stopped" });
  const slots = [{ row: 1, column: 1, stream: id, note: "slot-9d2e" }];
  assert.equal(
    (await app.api("POST", "/api/walls", { name: "Lobby", note: "wall-9d2e", slots })).status,
    201,
  );
  app.service.events.add(streamId(id), "console", "Failed to load https://x.example/?token=console-9d2e");
  app.service.events.add(streamId(id), "page", "It is at https://x.example/event-9d2e.");
  const headers = await asViewer(app);
  const wrong: string[] = [];
  const seen = new Set<number>();
  const walls = ["/api/walls/lobby", "/api/walls/lobby/view", "/wall?layout=lobby"];
  for (const path of [...await addresses(id), ...walls]) {
    const answer = await app.fetch(path, { headers });
    const text = await answer.text();
    seen.add(answer.status);
    const found = text.match(/[\w./?=:@-]{0,30}9d2e/);
    if (found) wrong.push(`${path} has ${found[0]}`);
  }
  assert.deepEqual(wrong, []);
  assert.ok(seen.has(200) && seen.has(403), "as a viewer");
  const [shown] = JSON.parse(await (await app.fetch("/api/streams", { headers })).text());
  const { url, morePages, plan, pushTo } = shown;
  assert.deepEqual({ url, morePages, plan, pushTo }, {
    url: "https://clock.example.org/",
    morePages: "https://clock.example.org/ 20\nhttps://clock.example.org/",
    plan: "daily 00:00-24:00 https://plan.example.org/",
    pushTo: "rtmp://live.example.org:1935",
  });
  const { json: whole } = await app.api("GET", `/api/streams/${id}`);
  for (const [field, value] of Object.entries(FOR_EDITORS)) assert.deepEqual(whole[field], value, field);
});

/** What of an address is a login, in each field that takes one, and how it is entered. */
const WITH_LOGIN = {
  url: "https://ann:word%407a3b@clock.example.org/",
  morePages: "https://ann:word%407a3b@clock.example.org/more 20\nhttps://ann:word%407a3b@sso.example.org/",
  plan: "daily 00:00-24:00 https://ann:word%407a3b@clock.example.org/plan",
};

const WITHOUT_LOGIN = {
  url: "https://clock.example.org/",
  morePages: "https://clock.example.org/more 20\nhttps://sso.example.org/",
  plan: "daily 00:00-24:00 https://clock.example.org/plan",
};

const ENTRIES: Record<string, (app: TestApp, id: string) => Promise<number>> = {
  "created": async (app, id) =>
    (await app.api("POST", "/api/streams", { id, name: id, ...WITH_LOGIN, desiredState: "stopped" })).status,
  "changed": async (app, id) => {
    await app.create({ id, name: id, desiredState: "stopped" });
    return (await app.api("PATCH", `/api/streams/${id}`, WITH_LOGIN)).status;
  },
  "replaced": async (app, id) => {
    await app.create({ id, name: id, user: "ben", pass: "old", desiredState: "stopped" });
    return (await app.api("PUT", `/api/streams/${id}`, { name: id, ...WITH_LOGIN })).status;
  },
  "imported": async (app, id) => {
    const streams = [{ id, name: id, ...WITH_LOGIN, desiredState: "stopped" }];
    return (await app.api("POST", "/api/streams/import", { streams })).status;
  },
};

for (const [how, enter] of Object.entries(ENTRIES)) {
  Deno.test(`a login in the addresses of a stream that is ${how} is kept, and nobody reads it anywhere`, async () => {
    await using app = await testApp({ env: ENV });
    const wrong: string[] = [];
    const lines = await logged(async () => {
      assert.ok(await enter(app, "clock") < 300);
      // as events of earlier versions, and pages, have them
      app.service.events.add(streamId("clock"), "page", "It is at https://ann:word%407a3b@x.example/.");
      const stored = JSON.parse(await Deno.readTextFile(app.paths.streamsFile));
      const [{ user, pass, loginOrigins }] = stored.streams ?? stored;
      assert.deepEqual([user, pass, loginOrigins], ["ann", "word@7a3b", "https://sso.example.org"]);
      for (const headers of [{ cookie: sessionCookie(app.service) }, await asViewer(app)]) {
        for (const path of await addresses("clock")) {
          const text = await (await app.fetch(path, { headers })).text();
          if (text.includes("7a3b")) wrong.push(path);
        }
      }
      await app.idle();
    }, "debug");
    if (lines.join("\n").includes("7a3b")) wrong.push("the log");
    assert.deepEqual(wrong, []);
    const { json: shown } = await app.api("GET", "/api/streams/clock");
    const { url, morePages, plan, passSet } = shown;
    assert.deepEqual({ url, morePages, plan, passSet }, { ...WITHOUT_LOGIN, passSet: true });
  });
}

Deno.test("a list of an earlier version with logins in addresses is read without a loss, and shows none", async () => {
  await using folder = await tempDir("/dev/shm");
  const other = "https://ben:other-7a3b@else.example.org/";
  const old = { id: "clock", name: "Clock", ...WITH_LOGIN, morePages: other, desiredState: "stopped" };
  await Deno.mkdir(`${folder.path}/data/streams`, { recursive: true });
  await Deno.writeTextFile(`${folder.path}/data/streams/streams.json`, JSON.stringify([old]));
  await using app = await testApp({ env: ENV, dir: folder.path });
  const cookie = sessionCookie(app.service);
  for (const path of await addresses("clock")) {
    const text = await (await app.fetch(path, { headers: { cookie } })).text();
    assert.ok(!text.includes("7a3b"), path);
  }
  assert.equal((await app.api("PATCH", "/api/streams/clock", { fps: 5 })).status, 200);
  const [{ url, user, pass, morePages, addressCredentials }] = JSON.parse(
    await Deno.readTextFile(`${folder.path}/data/streams/streams.json`),
  );
  assert.deepEqual({ url, user, pass, morePages, addressCredentials }, {
    url: "https://clock.example.org/",
    user: "ann",
    pass: "word@7a3b",
    morePages: "https://else.example.org/",
    addressCredentials: [other],
  });
});

Deno.test("an address with a login that has no place is a 400 that names its field, and repeats nothing of it", async () => {
  await using app = await testApp({ env: ENV });
  const withLogin = (scheme: string, host = "other.example.org") => `${scheme}://ann:word-7a3b@${host}/x`;
  const table: [field: string, value: string][] = [
    ["morePages", withLogin("https")],
    ["plan", `daily 00:00-24:00 ${withLogin("https")}`],
    ["channelLogo", withLogin("https")],
    ["pushTo", withLogin("rtmp")],
    ["pushTo", "srt://ann:word-7a3b@other.example.org:9000"],
    ["proxy", "http://ann:word-7a3b@proxy.example.org:3128"],
    ["loginOrigins", "https://ann:word-7a3b@sso.example.org"],
    ["sites", "https://ann:word-7a3b@news.example.org"],
    ["url", "ftp://ann:word-7a3b@other.example.org/"],
    ["url", "ann:word-7a3b@other.example.org"],
    ["url", "https://ann:word-7a3b@169.254.169.254/"],
    ["user", withLogin("https", "clock.example.org")],
    ["pass", withLogin("https", "clock.example.org")],
  ];
  const wrong: unknown[] = [];
  for (const [field, value] of table) {
    const isTwice = field === "user" || field === "pass";
    const change = isTwice ? { url: value, [field]: "another" } : { [field]: value };
    const { status, json } = await app.api("POST", "/api/streams", {
      name: "Clock",
      url: "https://clock.example.org/",
      ...change,
    });
    const text = JSON.stringify(json);
    const problem: string = json.error?.fields?.[field] ?? "";
    const isGood = status === 400 && !text.includes("7a3b") &&
      (/Example/.test(problem) || value.includes("169.254"));
    if (!isGood) wrong.push([field, value, status, text]);
  }
  assert.deepEqual(wrong, []);
});

Deno.test("a viewer's search does not tell what is in an address, letter by letter", async () => {
  await using app = await testApp({ env: ENV });
  const others = Array.from(
    { length: 20 },
    (_, at) => ({ name: `Other ${at}`, url: "https://other.example.org/" }),
  );
  const hidden = { ...FOR_EDITORS, id: "hidden", name: "Hidden" };
  const streams = [...others, hidden].map((stream) => ({ ...stream, desiredState: "stopped" }));
  assert.equal((await app.api("POST", "/api/streams/import", { streams })).status, 200);
  const viewer = await asViewer(app);
  // the server judges the cards that it does not render in full
  const finds = async (q: string, headers: Record<string, string>) =>
    (await (await app.fetch(`/?q=${q}`, { headers })).text()).includes('href="/player/hidden"');
  const operator = { cookie: sessionCookie(app.service) };
  assert.deepEqual([await finds("query-9d2e", operator), await finds("no-such", operator)], [true, false]);
  assert.deepEqual([await finds("query-9d2e", viewer), await finds("clock.example", viewer)], [false, true]);
});
