/** Takeover over HTTP: the token, the WebSocket's refusals, and noVNC's own files. */
import { strict as assert } from "node:assert";
import { streamId } from "../../lib/model/id.ts";
import { appTest, type TestApp, testApp } from "../support/app.ts";
import { OWN_SCRIPT } from "../support/service.ts";
import { rawRequest } from "../support/raw_http.ts";
import { type Exchange, type FakeUpstream, fakeUpstream } from "../support/upstream.ts";

const OWN = { origin: "http://127.0.0.1:3000" };

function streamTest(name: string, test: (app: TestApp) => Promise<void>) {
  appTest(name, async (app) => {
    await app.create({ desiredState: "stopped" });
    await test(app);
  });
}

streamTest("the token is for our own pages and for programs, and in no cache", async (app) => {
  for (
    const headers of [{}, OWN, { "sec-fetch-site": "same-origin" }, {
      ...OWN,
      "sec-fetch-site": "same-origin",
    }]
  ) {
    const answer = await app.fetch("/api/streams/clock/vnc", {
      headers: { ...OWN_SCRIPT, ...headers } as Record<string, string>,
    });
    assert.deepEqual([answer.status, answer.headers.get("cache-control")], [200, "no-store"]);
    assert.deepEqual(await answer.json(), { token: app.service.tokens.get(streamId("clock")) });
  }
});

streamTest("no other site's page reads the token, nor does a typed address show it", async (app) => {
  const token = app.service.tokens.get(streamId("clock"))!;
  const readers: Record<string, string>[] = [
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: "http://127.0.0.1:8888" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
    { ...OWN, "sec-fetch-site": "cross-site" },
  ];
  for (const headers of readers) {
    const answer = await app.fetch("/api/streams/clock/vnc", { headers: { ...OWN_SCRIPT, ...headers } });
    assert.equal(answer.status, 403, JSON.stringify(headers));
    assert.ok(!(await answer.text()).includes(token));
  }
});

streamTest("a navigation, which has no header of our scripts, does not get the token", async (app) => {
  // what Chromium sends to an address of a local network, where it leaves Sec-Fetch-Site out
  const readers: Record<string, string>[] = [{}, OWN, { "x-requested-with": "XMLHttpRequest" }, {
    host: "0.0.0.0:3000",
    "upgrade-insecure-requests": "1",
  }];
  for (const headers of readers) {
    assert.equal((await app.fetch("/api/streams/clock/vnc", { headers })).status, 403);
  }
});

/** The status of a WebSocket's request. One that is let in is a 400, as its handshake has no key. */
async function upgraded(app: TestApp, path: string, headers: Record<string, string>): Promise<number> {
  const answer = await app.fetch(path, {
    headers: {
      upgrade: "websocket",
      connection: "Upgrade",
      "sec-websocket-version": "13",
      ...headers,
    },
  });
  await answer.body?.cancel();
  return answer.status;
}

streamTest("a WebSocket needs the origin of our own pages, whatever its token", async (app) => {
  const path = `/websockify?token=${app.service.tokens.get(streamId("clock"))}`;
  assert.equal(await upgraded(app, path, OWN), 400, "let in");
  const strangers: Record<string, string>[] = [
    {},
    { origin: "" },
    { origin: "https://evil.example" },
    { origin: `${OWN.origin}.evil.example` },
    { origin: "null" },
    { origin: "http://localhost:3000" },
    { origin: "http://127.0.0.1:8888" },
  ];
  for (const headers of strangers) {
    assert.equal(await upgraded(app, path, headers), 403, JSON.stringify(headers));
  }
  assert.equal(await upgraded(app, path, { host: "evil.example", origin: "http://evil.example" }), 421);
});

streamTest("a WebSocket's origin and host may name a default port, either of them or both", async (app) => {
  const path = `/websockify?token=${app.service.tokens.get(streamId("clock"))}`;
  const own = [
    ["tv.local:443", "https://tv.local"],
    ["tv.local", "https://tv.local:443"],
    ["tv.local:443", "https://tv.local:443"],
    ["tv.local:80", "http://tv.local"],
    ["tv.local", "http://tv.local:80"],
    ["192.168.1.20:443", "https://192.168.1.20"],
    ["[fd00::20]:443", "https://[fd00::20]"],
    ["tv.local:8443", "https://tv.local:8443"],
  ];
  for (const [host, origin] of own) {
    assert.equal(await upgraded(app, path, { host, origin }), 400, `${host} ${origin}: let in`);
  }
  const foreign = [
    ["tv.local", "https://tv.local:8443"],
    ["tv.local:443", "https://tv.local:8443"],
    ["tv.local:8443", "https://tv.local"],
    ["tv.local:443", "https://other.local"],
  ];
  for (const [host, origin] of foreign) {
    assert.equal(await upgraded(app, path, { host, origin }), 403, `${host} ${origin}`);
  }
});

streamTest("a WebSocket needs a stream's token, on every path", async (app) => {
  const token = app.service.tokens.get(streamId("clock"))!;
  for (const wrong of ["", "clock", token.slice(1), `${token}0`, token.toUpperCase(), "__proto__"]) {
    for (const path of ["/", "/websockify", "/api/streams", "/vnc/clock", "/api/hls/live/clock/index.m3u8"]) {
      assert.equal(await upgraded(app, `${path}?token=${wrong}`, OWN), 403, `${path} ${wrong}`);
    }
  }
  await app.api("DELETE", "/api/streams/clock");
  assert.equal(await upgraded(app, `/?token=${token}`, OWN), 403, "of a deleted stream");
});

streamTest("only version 13 of WebSocket is spoken", async (app) => {
  assert.equal(await upgraded(app, "/", { ...OWN, "sec-websocket-version": "8" }), 426);
});

/** A VNC proxy that has noVNC's core. */
function websockify({ path, headers, answer }: Exchange): Promise<void> {
  const stamp = { "last-modified": "Thu, 01 Jan 2026 00:00:00 GMT" };
  if (path !== "/core/rfb.js") return answer(404, { server: "WebSockify" }, "Directory listing");
  if (headers.get("if-modified-since") === stamp["last-modified"]) return answer(304, stamp);
  return answer(200, { "content-type": "text/javascript", server: "WebSockify", ...stamp }, "class RFB {}");
}

function clientTest(name: string, test: (app: TestApp, upstream: FakeUpstream) => Promise<void>) {
  Deno.test(name, async () => {
    await using upstream = fakeUpstream(websockify);
    await using app = await testApp({ env: { VNC_PROXY_PORT: new URL(upstream.origin).port } });
    await test(app, upstream);
  });
}

clientTest("noVNC's files come with type, validator and a while in caches", async (app) => {
  const answer = await app.fetch("/api/webvnc/core/rfb.js");
  assert.equal(await answer.text(), "class RFB {}");
  assert.match(answer.headers.get("content-type")!, /javascript/);
  assert.equal(answer.headers.get("cache-control"), "public, max-age=3600");
  assert.equal(answer.headers.get("server"), null);
  const headers = { "if-modified-since": answer.headers.get("last-modified")! };
  const again = await app.fetch("/api/webvnc/core/rfb.js", { headers });
  assert.deepEqual([again.status, again.headers.get("cache-control")], [304, "public, max-age=3600"]);
});

clientTest(
  "nothing of another program that has the VNC proxy's port gets into our pages",
  async (app, upstream) => {
    app.service.vncProxy.isOurs = () => Promise.resolve(false);
    const { status, headers } = await app.api("GET", "/api/webvnc/core/rfb.js");
    assert.deepEqual([status, headers.get("cache-control")], [502, "no-store"]);
    assert.deepEqual(upstream.requests, []);
  },
);

clientTest("HEAD works, nothing else changes or posts anything", async (app, upstream) => {
  const head = await app.fetch("/api/webvnc/core/rfb.js", { method: "HEAD" });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
  for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
    const answer = await app.fetch("/api/webvnc/core/rfb.js", { method });
    assert.equal(answer.status, 404, method);
    await answer.body?.cancel();
  }
  assert.deepEqual(upstream.requests, ["HEAD /core/rfb.js"]);
});

clientTest("our own page lies beside noVNC's files", async (app) => {
  for (const [name, type] of [["client.html", "text/html"], ["client.js", "javascript"]]) {
    const answer = await app.fetch(`/api/webvnc/${name}`);
    assert.equal(answer.status, 200);
    assert.ok(answer.headers.get("content-type")!.includes(type));
    await answer.body?.cancel();
  }
});

/** After `/api/webvnc`, as a client may send it. */
const ATTACKS = [
  ...["", "/", "/core", "/core/", "/core/../", "/..", "/../etc/passwd", "/../../etc/passwd", "/etc/passwd"],
  ...["/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd", "/%252e%252e/etc/passwd.js", "/..%5c..%5cx.js"],
  ...[
    "/core/..%2frfb.js",
    "/core//rfb.js",
    "//core/rfb.js",
    "/core/rfb.js%00",
    "/core/rfb.js%0d%0aHost:%20x",
  ],
  ...["/core\\rfb.js", "/.git/config.json", "/core/.hidden.js", "/core/rfb", "/utils/launch.sh"],
  ...["/@evil.example/x.js", "/core/rfb.js/", "/core/rfb.js;x", "/proc/self/environ"],
];

clientTest("nothing leads out of noVNC's folder, and no folder is listed", async (app, upstream) => {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, app.handler);
  try {
    for (const attack of ATTACKS) {
      const path = `/api/webvnc${attack}`;
      const { status, text } = await rawRequest(`http://127.0.0.1:${server.addr.port}`, { path });
      assert.ok(status === 404 || status === 400, `${attack}: ${status}`);
      assert.doesNotMatch(text, /root:|Directory listing|class RFB/, attack);
    }
  } finally {
    await server.shutdown();
  }
  assert.doesNotMatch(upstream.requests.join(), /passwd|%|\.\.|hidden|environ|utils/);
});

clientTest("a missing file is a 404 of ours", async (app) => {
  const { status, json } = await app.api("GET", "/api/webvnc/no-such.js");
  assert.deepEqual([status, json.error.message], [404, "There is no such file."]);
});

appTest("without the VNC proxy: 502, try again", async (app) => {
  const { status, headers, json } = await app.api("GET", "/api/webvnc/core/rfb.js");
  assert.deepEqual([status, headers.get("retry-after")], [502, "1"]);
  assert.match(json.error.message, /^The VNC proxy does not answer/);
});

/** What Traefik and others say of a WebSocket's handshake. Sources: traefik/traefik#6388, #9736. */
const SCHEMES = ["wss", "ws", "WSS", "wss,http", "https, wss", "https", "http", "ws, ws"];

Deno.test("a trusted proxy may call the scheme of a WebSocket that of WebSockets", async () => {
  await using app = await testApp({
    env: {
      TRUSTED_PROXIES: "10.0.0.5",
      ALLOWED_HOSTS: "tv.example.org",
      TIMINGS: '{"vnc":{"closeMs":150}}',
    },
  });
  await app.create();
  const token = app.service.tokens.get(streamId("clock"))!;
  const wrong: string[] = [];
  for (const path of [`/api/webvnc/websockify?token=${token}`, "/api/ts/clock"]) {
    for (const scheme of SCHEMES) {
      const answer = await app.fetch(path, {
        peer: "10.0.0.5",
        headers: {
          "host": "tv.example.org",
          "origin": `${/^(?:https|wss)/i.test(scheme) ? "https" : "http"}://tv.example.org`,
          "upgrade": "websocket",
          "connection": "Upgrade",
          "sec-websocket-version": "13",
          "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
          "x-forwarded-for": "192.0.2.1",
          "x-forwarded-host": "tv.example.org",
          "x-forwarded-port": /^(?:https|wss)/i.test(scheme) ? "443" : "80",
          "x-forwarded-proto": scheme,
          "x-forwarded-server": "traefik",
          "x-real-ip": "192.0.2.1",
        },
      });
      if (answer.status !== 101) wrong.push(`${scheme} ${path}: ${answer.status} ${await answer.text()}`);
    }
  }
  assert.deepEqual(wrong, []);
});

const FEW_VIEWERS = JSON.stringify({ vnc: { maxOfPeer: 2, closeMs: 150 } });

Deno.test("viewers are counted by client: behind a trusted proxy by what it says, IPv6 by the /64", async () => {
  // keeps its viewers
  const proxy = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => Deno.upgradeWebSocket(request).response,
  );
  const held: Deno.Conn[] = [];
  await using app = await testApp({
    env: { VNC_PROXY_PORT: String(proxy.addr.port), TRUSTED_PROXIES: "127.0.0.1", TIMINGS: FEW_VIEWERS },
  });
  await app.create({ desiredState: "stopped" });
  const token = app.service.tokens.get(streamId("clock"))!;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, app.handler);
  const enter = async (client: string): Promise<number> => {
    const conn = await Deno.connect({ port: server.addr.port });
    held.push(conn);
    const lines = [
      `GET /?token=${token} HTTP/1.1`,
      "Host: 127.0.0.1:3000",
      `Origin: ${OWN.origin}`,
      "Upgrade: websocket",
      "Connection: Upgrade",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
      `X-Forwarded-For: 198.51.100.1, ${client}`,
    ];
    await conn.write(new TextEncoder().encode(lines.join("\r\n") + "\r\n\r\n"));
    const bytes = new Uint8Array(4096);
    const length = await conn.read(bytes) ?? 0;
    return Number(new TextDecoder().decode(bytes.subarray(9, Math.min(length, 12))));
  };
  try {
    assert.deepEqual([await enter("192.0.2.1"), await enter("192.0.2.1"), await enter("192.0.2.1")], [
      101,
      101,
      503,
    ]);
    assert.equal(await enter("192.0.2.2"), 101, "another client");
    assert.deepEqual([await enter("2001:db8::1"), await enter("2001:db8::2:1"), await enter("2001:db8::3")], [
      101,
      101,
      503,
    ]);
    assert.equal(await enter("2001:db8:0:1::1"), 101, "another network");
  } finally {
    await app.service.vnc.closeAll({ code: 1001, reason: "" });
    for (const conn of held) conn.close();
    await server.shutdown();
    await proxy.shutdown();
  }
});
