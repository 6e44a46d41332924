/** The login, with every address of the service behind it. */
import { strict as assert } from "node:assert";
import { createHandler } from "../../lib/handler.ts";
import { isPage } from "../../lib/door/access.ts";
import { streamId } from "../../lib/model/id.ts";
import { addresses } from "../support/addresses.ts";
import { appTest, sessionCookie, type TestApp, testApp, type TestAppOptions } from "../support/app.ts";
import { isThere, tempDir } from "../support/fixture.ts";
import { logged } from "../support/logged.ts";

const CREDENTIALS = { AUTH_USER: "anna", AUTH_PASS: "correct horse" };
const SHORT = { firstDelayMs: 1, longestDelayMs: 2 };
/** The answer with events would have no end. */
const BRIEF = { longestMs: 1 };
const LOGIN: TestAppOptions = {
  env: {
    ...CREDENTIALS,
    MEDIA_HOST: "0.0.0.0",
    TRUSTED_PROXIES: "10.0.0.5",
    TIMINGS: JSON.stringify({ login: SHORT, feed: BRIEF }),
  },
};
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const FREE = [
  ...["/healthz", "/login", "/styles.css", "/icon.svg", "/favicon.ico", "/manifest.webmanifest"],
  ...["/icon-192.png", "/icon-512.png", "/icon-maskable-512.png"],
];

const ADDRESSES = await addresses("clock");

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  peer?: string;
  cookie?: string;
}

async function send(app: TestApp, path: string, { method = "GET", headers = {}, peer, cookie }: Sent = {}) {
  const isChange = !["GET", "HEAD", "OPTIONS"].includes(method);
  const answer = await app.fetch(path, {
    method,
    peer,
    headers: {
      ...(isChange ? { "content-type": "application/json" } : {}),
      ...(cookie === undefined ? {} : { cookie }),
      ...headers,
    },
    body: isChange ? "{}" : undefined,
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** Sends the login form. */
async function logIn(
  app: TestApp,
  fields: Record<string, string> = {},
  { headers = {}, peer }: Sent = {},
): Promise<{ status: number; headers: Headers; text: string; cookie: string }> {
  const form = { user: CREDENTIALS.AUTH_USER, pass: CREDENTIALS.AUTH_PASS, ...fields };
  const answer = await app.fetch("/login", {
    method: "POST",
    peer,
    headers,
    body: new URLSearchParams(form),
  });
  const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  return { status: answer.status, headers: answer.headers, text: await answer.text(), cookie };
}

function loginTest(
  name: string,
  test: (app: TestApp, cookie: string) => Promise<void>,
  options = LOGIN,
): void {
  appTest(name, async (app) => {
    await app.create({ desiredState: "stopped" });
    await test(app, sessionCookie(app.service));
  }, options);
}

loginTest("without a session every address asks for the login, by every method", async (app) => {
  assert.ok(ADDRESSES.length > 50, ADDRESSES.join());
  for (const path of ADDRESSES.filter((one) => !FREE.includes(one))) {
    for (const method of METHODS) {
      const { status, headers, text } = await send(app, path, { method });
      const what = `${method} ${path}`;
      assert.equal(headers.get("set-cookie"), null, what);
      assert.equal(headers.get("cache-control"), "no-store", what);
      const isRedirect = isPage(path) && ["GET", "HEAD"].includes(method) || path === "/logout";
      if (isRedirect) {
        const next = path === "/" || path === "/logout" ? "" : `?next=${encodeURIComponent(path)}`;
        assert.deepEqual([status, headers.get("location")], [303, `/login${next}`], what);
        assert.equal(text, "", what);
      } else {
        assert.equal(status, 401, what);
        if (path.startsWith("/api/") && !isPage(path)) assert.match(JSON.parse(text).error.message, /Log in/);
      }
    }
  }
  assert.equal(app.service.streams.list("admin").length, 1, "nothing was changed");
});

loginTest("pages lead to the login, and programs get a 401", async (app) => {
  const pages = [
    "/",
    "/incidents",
    "/messages",
    "/nodes",
    "/password",
    "/people",
    "/player/clock",
    "/player/clock.html",
    "/static/clock",
    "/vnc/clock",
    "/streams/clock/log",
    "/streams/clock/rewind",
    "/streams/clock",
    "/wall?layout=running",
    "/wall/rewind",
  ];
  for (const path of [...pages, "/api/player-html/clock", "/none"]) {
    assert.equal((await send(app, path)).status, 303, path);
  }
  const programs = [
    ...["/api/hls/live/clock/index.m3u8", "/api/streams/clock/thumb", "/playlist.m3u", "/playlist.m3u8"],
    ...["/epg.xml", "/api/streams", "/api/streams/statuses", "/api/channels", "/api/webvnc/client.html"],
    ...["/vendor/player.js", "/vendor/wall.js", "/wall.css", "/api/walls", "/api/walls/running/view"],
  ];
  for (const path of programs) assert.equal((await send(app, path)).status, 401, path);
  const { headers } = await send(app, "/streams/clock/log?program=browser");
  assert.equal(headers.get("location"), "/login?next=%2Fstreams%2Fclock%2Flog%3Fprogram%3Dbrowser");
});

loginTest(
  "the login page, what it is made of and the health check are free, in no other spelling",
  async (app) => {
    for (const path of FREE) assert.equal((await send(app, path)).status, 200, path);
    const { text } = await send(app, "/login");
    const used = [...text.matchAll(/(?:href|src)="(\/[^"?]*)/g)].map(([, path]) => path);
    assert.deepEqual(used.filter((path) => !FREE.includes(path)), []);
    const spellings = [
      "/%73tyles.css",
      "http://127.0.0.1:3000//styles.css",
      "/Login",
      "/login.",
      "/healthz/x",
      "/styles.css/x",
      "/login%2f",
    ];
    for (const path of spellings) {
      const { status } = await send(app, path);
      assert.ok(status === 303 || status === 401, `${path}: ${status}`);
    }
  },
);

loginTest("with a session every address answers as it does without a login", async (app, cookie) => {
  await using open = await testApp({
    env: { TIMINGS: JSON.stringify({ feed: BRIEF }) },
  });
  await open.create({ desiredState: "stopped" });
  for (const path of ADDRESSES.filter((one) => !/^\/log(in|out)$/.test(one))) {
    for (const method of ["GET", "OPTIONS"]) {
      const [closed, free] = [await send(app, path, { cookie, method }), await send(open, path, { method })];
      assert.equal(closed.status, free.status, `${method} ${path}`);
    }
  }
  const stopped = await send(app, "/api/streams/clock/stop", { method: "POST", cookie });
  assert.equal(stopped.status, 200);
});

loginTest("the cookie is renewed on pages, and on nothing else", async (app, cookie) => {
  const renewed: string[] = [];
  for (const path of ADDRESSES.filter((one) => one !== "/logout")) {
    const { headers } = await send(app, path, { cookie });
    if (headers.get("set-cookie") !== null) renewed.push(path);
    if (!FREE.includes(path)) assert.match(headers.get("vary") ?? "", /Cookie/, path);
  }
  const pages = [
    "/",
    "/incidents",
    "/messages",
    "/nodes",
    "/password",
    "/people",
    "/player/clock",
    "/player/clock.html",
    "/static/clock",
    "/streams/clock",
    "/streams/clock/log",
    "/streams/clock/rewind",
    "/vnc/clock",
    "/wall",
    "/wall/rewind",
  ];
  assert.deepEqual(renewed.sort(), pages);
  const { headers } = await send(app, "/", { cookie });
  assert.match(
    headers.get("set-cookie")!,
    new RegExp(`^${cookie}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax$`),
  );
});

loginTest("the right form gets the cookie and leads on, to our own paths alone", async (app) => {
  const { status, headers, cookie } = await logIn(app, { next: "/player/clock" });
  assert.deepEqual([status, headers.get("location")], [303, "/player/clock"]);
  assert.match(headers.get("set-cookie")!, /; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
  assert.equal((await send(app, "/api/streams", { cookie })).status, 200);
  assert.equal((await send(app, "/login?next=/vnc/clock", { cookie })).headers.get("location"), "/vnc/clock");
  for (
    const next of ["//evil.example", "/\\evil.example", "https://evil.example", "/.//evil.example", "/login"]
  ) {
    assert.equal((await logIn(app, { next })).headers.get("location"), "/", next);
    const { text } = await send(app, `/login?next=${encodeURIComponent(next)}`);
    assert.match(text, /name="next" value="\/"/, next);
  }
});

loginTest("a wrong form is a 401 that says so, keeps the name and never shows the password", async (app) => {
  const typed: Record<string, string>[] = [{ user: 'ot"to<b>', pass: CREDENTIALS.AUTH_PASS }, {
    pass: "hunter2",
  }, {
    user: "",
    pass: "",
  }];
  for (const fields of typed) {
    const { status, headers, text } = await logIn(app, { next: "/vnc/clock", ...fields });
    assert.deepEqual([status, headers.get("set-cookie")], [401, null]);
    assert.match(text, /class="problem"[^>]*>The user name or the password is wrong\.</);
    assert.match(text, /name="next" value="\/vnc\/clock"/);
    assert.doesNotMatch(text, /hunter2|correct horse/);
  }
  assert.ok((await logIn(app, typed[0])).text.includes('value="ot&quot;to&lt;b>"'));
});

loginTest("no other site sends the form, and nothing but a form is read", async (app) => {
  const strangers: Record<string, string>[] = [
    { origin: "https://evil.example" },
    { "sec-fetch-site": "cross-site" },
    { origin: "null" },
  ];
  for (const headers of strangers) {
    const { status, cookie } = await logIn(app, {}, { headers });
    assert.deepEqual([status, cookie], [403, ""]);
  }
  assert.equal((await send(app, "/login", { method: "POST" })).status, 415);
  assert.equal((await logIn(app, { pass: "x".repeat(20_000) })).status, 413);
});

loginTest("the eleventh wrong form is a 429 that says when, and shuts nobody else out", async (app) => {
  for (let count = 0; count < 10; count++) assert.equal((await logIn(app, { pass: "x" })).status, 401);
  const { status, headers, text } = await logIn(app);
  assert.equal(status, 429);
  const seconds = Number(headers.get("retry-after"));
  assert.ok(seconds > 590 && seconds <= 600, String(seconds));
  assert.match(text, /Too many tries\. Try again in 10 minutes\./);
  assert.equal((await logIn(app, {}, { peer: "192.168.1.7" })).status, 303);
  const spoofed = await logIn(app, {}, { headers: { "x-forwarded-for": "192.168.1.7" } });
  assert.equal(spoofed.status, 429, "a header of the client's own changes nothing");
  const proxied = (client: string) =>
    logIn(app, {}, { peer: "10.0.0.5", headers: { "x-forwarded-for": client } });
  assert.deepEqual([(await proxied("127.0.0.1")).status, (await proxied("192.168.1.8")).status], [429, 303]);
  app.machine.advance(600_000);
  assert.equal((await logIn(app)).status, 303);
});

loginTest("a user of this machine who guesses keeps none of its other users out", async (app) => {
  let user: number | null = 65_534;
  app.machine.connectionOwner = () => Promise.resolve(user);
  for (const peer of ["127.0.0.1", "127.0.0.2", "::1", "127.0.0.1"]) {
    await logIn(app, { pass: "x" }, { peer });
    await logIn(app, { pass: "x" }, { peer });
  }
  for (let count = 0; count < 2; count++) await logIn(app, { pass: "x" });
  assert.equal((await logIn(app)).status, 429, "whatever address of loopback was taken");
  user = 1000;
  assert.equal((await logIn(app)).status, 303);
  // where the kernel's tables do not show it, and for a client behind a proxy, the address counts
  user = null;
  assert.equal((await logIn(app)).status, 303);
  const proxied = () => logIn(app, {}, { peer: "10.0.0.5", headers: { "x-forwarded-for": "127.0.0.1" } });
  user = 65_534;
  assert.equal((await proxied()).status, 303, "that user is the proxy's");
});

loginTest(
  "wrong passwords of others at the same address keep out neither another name nor a browser that was in before",
  async (app) => {
    const right = { name: "cleo", password: "cleo's own words" };
    await app.service.login.users.add({ ...right, role: "viewer" });
    const cleo = { user: right.name, pass: right.password };
    const known = (headers: Headers) =>
      headers.getSetCookie().map((one) => one.split(";")[0]).find((one) => one.includes("-known="))!;
    const ofAnna = known((await logIn(app)).headers);
    const wrong = async (fields: Record<string, string> = {}, cookie = "") =>
      (await logIn(app, { pass: "x", ...fields }, { headers: { cookie } })).status;
    for (let count = 0; count < 2; count++) assert.equal(await wrong(), 401);
    assert.equal(await wrong({ pass: CREDENTIALS.AUTH_PASS }), 429, "guessed at, and not known");
    const { status, headers, cookie: session } = await logIn(app, cleo);
    assert.equal(status, 303, "a name that was not guessed at");
    assert.equal(
      await wrong({ pass: CREDENTIALS.AUTH_PASS }),
      429,
      "an own password pays for no guess at another's",
    );
    const ofCleo = known(headers);
    assert.equal(await wrong({ pass: CREDENTIALS.AUTH_PASS }, ofCleo), 429, "another's cookie");
    assert.equal(await wrong({ pass: CREDENTIALS.AUTH_PASS }, `${ofAnna}x`), 429, "a forged one");
    assert.equal((await send(app, "/api/streams", { cookie: ofAnna })).status, 401, "it opens nothing");
    assert.equal(await wrong({ pass: CREDENTIALS.AUTH_PASS }, ofAnna), 303);
    // it has a limit of its own
    for (let count = 0; count < 2; count++) assert.equal(await wrong({}, ofAnna), 401);
    assert.equal(await wrong({ pass: CREDENTIALS.AUTH_PASS }, ofAnna), 429);
    // who is logged in changes the password, whatever others guess
    for (let count = 0; count < 2; count++) assert.equal(await wrong({ user: "cleo" }), 401);
    assert.equal(await wrong(cleo), 429);
    const change = (now: string) =>
      app.fetch("/password", {
        method: "POST",
        headers: { cookie: session },
        body: new URLSearchParams({ now, password: "another of cleo's" }),
      });
    assert.equal((await change("x")).status, 403);
    assert.equal((await change(right.password)).status, 200);
    const out = await send(app, "/logout", { method: "POST", cookie: session });
    assert.equal(known(out.headers), undefined, "that session had ended");
  },
  { env: { ...LOGIN.env, TIMINGS: JSON.stringify({ login: { ...SHORT, maxFailures: 2 } }) } },
);

loginTest(
  "names that are guessed at are told by no answer, and wrong ones of many names only delay",
  async (app) => {
    const statuses = async (user: string) => {
      const all: number[] = [];
      for (let count = 0; count < 11; count++) all.push((await logIn(app, { user, pass: "x" })).status);
      return all;
    };
    assert.deepEqual(await statuses("anna"), await statuses("nobody of that name"));
    for (const user of ["a", "b", "c"]) assert.equal((await logIn(app, { user, pass: "x" })).status, 401);
  },
);

loginTest("the cookie is for https alone where the client came by it", async (app) => {
  const https = { peer: "10.0.0.5", headers: { "x-forwarded-proto": "https" } };
  const { headers, cookie } = await logIn(app, {}, https);
  assert.match(headers.get("set-cookie")!, /; Secure$/);
  for (const sent of [https, { ...https, peer: "10.0.0.6" }]) {
    const renewed = (await send(app, "/", { ...sent, cookie })).headers.get("set-cookie")!;
    assert.equal(renewed.endsWith("; Secure"), sent === https);
  }
});

loginTest("over http, the form of a service whose public address is https says where to go", async (app) => {
  const { status, cookie, text } = await logIn(app, {}, { headers: { origin: "http://127.0.0.1:3000" } });
  assert.deepEqual([status, cookie], [400, ""]);
  assert.match(text, /Log in at https:\/\/tv\.example\.org/);
}, { env: { ...CREDENTIALS, PUBLIC_URL: "https://tv.example.org" } });

loginTest("a logout makes this browser forget the session", async (app, cookie) => {
  const { status, headers } = await send(app, "/logout", { method: "POST", cookie });
  assert.deepEqual([status, headers.get("location")], [303, "/login?out"]);
  assert.match((await send(app, "/login?out")).text, /You are logged out/);
  const [pair, ...attributes] = headers.get("set-cookie")!.split("; ");
  assert.equal(pair, `${cookie.split("=")[0]}=`);
  assert.ok(attributes.includes("Max-Age=0"));
  assert.equal((await send(app, "/api/streams", { cookie })).status, 200, "others stay");
  assert.equal((await send(app, "/logout", { cookie })).status, 404, "no link logs out");
});

loginTest("a logout everywhere ends all sessions, for good", async (app, cookie) => {
  await send(app, "/logout?everywhere", { method: "POST" });
  assert.equal((await send(app, "/api/streams", { cookie })).status, 200, "only who is logged in may do it");
  await send(app, "/logout?everywhere", { method: "POST", cookie });
  assert.equal((await send(app, "/api/streams", { cookie })).status, 401);
  await using restarted = await testApp({ ...LOGIN, dir: app.dir });
  assert.equal((await send(restarted, "/api/streams", { cookie })).status, 401);
  const { cookie: next } = await logIn(restarted);
  assert.equal((await send(restarted, "/api/streams", { cookie: next })).status, 200);
});

loginTest(
  "a page that was asked for before a logout everywhere does not renew the session after it",
  async (app, cookie) => {
    const handler = createHandler(app.service, async () => {
      await app.service.logOutEverywhere();
      return new Response("<p>", { headers: { "content-type": "text/html" } });
    });
    const info: Deno.ServeHandlerInfo = {
      remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 5 },
      completed: Promise.resolve(),
    };
    const answer = await handler(new Request("http://127.0.0.1:3000/", { headers: { cookie } }), info);
    assert.equal(await answer.text(), "<p>");
    assert.equal(answer.headers.get("set-cookie"), null);
  },
);

Deno.test("a restart keeps the sessions, another password ends them", async () => {
  await using dir = await tempDir("/dev/shm");
  const statusWith = async (AUTH_PASS: string, cookie?: string) => {
    await using app = await testApp({ dir: dir.path, env: { AUTH_USER: "anna", AUTH_PASS } });
    const own = sessionCookie(app.service);
    return { own, status: (await send(app, "/api/streams", { cookie: cookie ?? own })).status };
  };
  const { own } = await statusWith("one");
  assert.equal((await statusWith("one", own)).status, 200);
  assert.equal((await statusWith("two", own)).status, 401);
});

loginTest("a WebSocket needs the session, our own origin and a token", async (app, cookie) => {
  const path = `/api/webvnc/websockify?token=${app.service.tokens.get(streamId("clock"))}`;
  const upgrade = { upgrade: "websocket", connection: "Upgrade", "sec-websocket-version": "13" };
  const own = { origin: "http://127.0.0.1:3000" };
  // the last ones need no session as long as nobody wants a WebSocket there
  const others = ["/", "/login/api", "/login", "/healthz", "/styles.css"];
  for (const address of [path, ...others.map((other) => path.replace("/api/webvnc/websockify", other))]) {
    const status = async (headers: Record<string, string>, cookie?: string) =>
      (await send(app, address, { headers: { ...upgrade, ...headers }, cookie })).status;
    assert.equal(await status(own), 401, address);
    assert.equal(await status(own, "session=x"), 401);
    assert.equal(await status({ origin: "https://evil.example" }, cookie), 403);
    assert.equal(await status(own, cookie), 400, "let in; this handshake has no key");
  }
});

loginTest("the TV player asks the web app alone, and its policy names nothing else", async (app, cookie) => {
  const { text, headers } = await send(app, "/static/clock", { cookie });
  assert.match(text, /data-media-port=""/);
  assert.match(headers.get("content-security-policy")!, /connect-src 'self';/);
});

loginTest("the log says who failed to log in, and who did", async (app) => {
  const lines = await logged(async () => {
    await logIn(app, { pass: "wrong" });
    await logIn(app);
  });
  assert.match(lines.join("\n"), /"a login failed","address":"127\.0\.0\.1"[^]*"somebody logged in"/);
});

appTest("without a login nothing asks for one, sets a cookie or makes a secret", async (app) => {
  await app.create({ desiredState: "stopped" });
  for (const path of ["/", "/player/clock", "/api/streams"]) {
    const { status, headers } = await send(app, path);
    assert.deepEqual([status, headers.get("set-cookie"), headers.get("vary")], [200, null, null], path);
  }
  const login = await send(app, "/login?next=/vnc/clock");
  assert.deepEqual([login.status, login.headers.get("location")], [303, "/vnc/clock"]);
  assert.equal((await logIn(app)).headers.get("location"), "/");
  assert.equal((await send(app, "/logout", { method: "POST" })).headers.get("location"), "/");
  assert.equal(await isThere(app.paths.sessionSecretFile), false);
});
