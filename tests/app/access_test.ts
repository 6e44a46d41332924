/** Access tokens for apps: what /t/{token} opens, and that it opens nothing else. */
import { strict as assert } from "node:assert";
import { sessionCookie, type TestApp, testApp } from "../support/app.ts";
import { bytes, nginx, PLAYLIST, SEGMENT } from "../support/hls_fixture.ts";
import { type M3u, parseM3u } from "../support/m3u.ts";
import { rawRequest } from "../support/raw_http.ts";
import { fakeUpstream } from "../support/upstream.ts";
import { logged } from "../support/logged.ts";

const STREAMS = [
  { id: "clock", name: "Clock", group: "Walls" },
  { id: "news", name: "News", group: "Lobby" },
  { id: "third", name: "Third", group: "walls" },
];
const ORIGIN = "http://127.0.0.1:3000";

interface AccessTest extends TestApp {
  /** A new token. */
  token(settings?: Record<string, unknown>): Promise<{ id: string; token: string }>;
}

function accessTest(name: string, test: (app: AccessTest) => Promise<void>, env?: Record<string, string>) {
  Deno.test(name, async () => {
    await using upstream = fakeUpstream(nginx);
    await using app = await testApp({ env: { MEDIA_PORT: new URL(upstream.origin).port, ...env } });
    for (const stream of STREAMS) await app.create({ ...stream, desiredState: "stopped" });
    const token: AccessTest["token"] = async (settings) => {
      const { status, json } = await app.api("POST", "/api/access-tokens", { name: "TV", ...settings });
      assert.equal(status, 201, JSON.stringify(json));
      return json;
    };
    await test({ ...app, token });
  });
}

async function read(app: TestApp, path: string, init: RequestInit = {}) {
  const answer = await app.fetch(path, init);
  return { status: answer.status, headers: answer.headers, bytes: await answer.bytes() };
}

async function playlist(app: TestApp, token: string, query = ""): Promise<M3u> {
  const { status, bytes } = await read(app, `/t/${token}/playlist.m3u${query}`);
  assert.equal(status, 200);
  return parseM3u(bytes);
}

const ids = ({ channels }: M3u) => channels.map(({ attributes }) => attributes["tvg-id"]);

accessTest("a new token is told once, with the addresses for an app", async (app) => {
  const { status, headers, json } = await app.api("POST", "/api/access-tokens", { name: "TV" });
  assert.equal(status, 201);
  const { id, token, playlist, guide, tuner, ...info } = json;
  assert.equal(headers.get("location"), `/api/access-tokens/${id}`);
  assert.equal(headers.get("cache-control"), "no-store");
  assert.equal(playlist, `${ORIGIN}/t/${token}/playlist.m3u`);
  assert.equal(guide, `${ORIGIN}/t/${token}/epg.xml`);
  assert.equal(tuner, `${ORIGIN}/t/${token}/hdhr`);
  assert.deepEqual(Object.keys(info).sort(), [
    "createdAt",
    "expiresAt",
    "group",
    "lastUsedAt",
    "name",
    "streams",
  ]);
  const list = await read(app, "/api/access-tokens");
  assert.equal(list.headers.get("cache-control"), "no-store");
  assert.deepEqual(JSON.parse(new TextDecoder().decode(list.bytes)), [{ id, ...info }]);
});

accessTest("a token's addresses begin with the public one", async (app) => {
  const { token } = await app.token();
  const { header } = await playlist(app, token);
  assert.equal(header["x-tvg-url"], `https://tv.example.org/t/${token}/epg.xml`);
}, { PUBLIC_URL: "https://tv.example.org" });

accessTest("bad settings of a token are a 400 with the field", async (app) => {
  const { status, json } = await app.api("POST", "/api/access-tokens", { name: "TV", streams: ["gone"] });
  assert.equal(status, 400);
  assert.match(json.error.fields.streams, /no stream "gone"/);
});

accessTest(
  "what a token opens plays from the list to the segment by addresses that carry it",
  async (app) => {
    const { token } = await app.token();
    const { header, channels } = await playlist(app, token);
    const base = `${ORIGIN}/t/${token}/`;
    const guide = await read(app, header["x-tvg-url"]);
    assert.equal(guide.status, 200);
    const icons = [...new TextDecoder().decode(guide.bytes).matchAll(/src="([^"]+)"/g)].map(([, url]) => url);
    assert.equal(icons.length > 0, true);
    for (const url of [header["x-tvg-url"], header["url-tvg"], ...icons]) {
      assert.ok(
        url.startsWith(base),
        url,
      );
    }
    for (const { url, attributes } of channels) {
      assert.ok(url.startsWith(base) && attributes["tvg-logo"].startsWith(base), url);
      assert.equal((await read(app, attributes["tvg-logo"])).headers.get("content-type"), "image/jpeg");
    }
    const { url } = channels[0];
    const list = new TextDecoder().decode((await read(app, url)).bytes);
    const segment = new URL(list.split("\n").find((line) => line.endsWith(".ts"))!, url);
    assert.equal(segment.href, `${base}api/hls${SEGMENT}`);
    const part = await read(app, segment.href, { headers: { range: "bytes=10-19" } });
    assert.deepEqual([part.status, part.bytes], [206, bytes.slice(10, 20)]);
    const head = await read(app, url, { method: "HEAD" });
    assert.deepEqual([head.status, head.bytes.length], [200, 0]);
  },
);

accessTest("a token that is for a group or some streams lists and opens no other", async (app) => {
  const scopes: [Record<string, unknown>, string[]][] = [
    [{}, ["clock", "news", "third"]],
    [{ group: "WALLS" }, ["clock", "third"]],
    [{ streams: ["news"] }, ["news"]],
  ];
  for (const [scope, opened] of scopes) {
    const { token } = await app.token(scope);
    assert.deepEqual(ids(await playlist(app, token)), opened);
    const guide = new TextDecoder().decode((await read(app, `/t/${token}/epg.xml`)).bytes);
    assert.deepEqual([...guide.matchAll(/<channel id="([^"]+)"/g)].map(([, id]) => id), opened);
    const listed = await read(app, `/t/${token}/api/channels`);
    const channels: { id: string }[] = JSON.parse(new TextDecoder().decode(listed.bytes));
    assert.deepEqual(channels.map(({ id }) => id), opened);
    for (const { id } of STREAMS) {
      const logo = await read(app, `/t/${token}/api/streams/${id}/thumb`);
      assert.equal(logo.headers.get("content-type") === "image/svg+xml", opened.includes(id), id);
    }
    const channel = await read(app, `/t/${token}/api/hls${PLAYLIST}`);
    const segment = await read(app, `/t/${token}/api/hls${SEGMENT}`);
    const wanted = opened.includes("clock") ? 200 : 404;
    assert.deepEqual([channel.status, segment.status], [wanted, wanted], JSON.stringify(scope));
  }
});

accessTest("a stream that joins the group is opened, one that leaves it is not", async (app) => {
  const { token } = await app.token({ group: "Walls" });
  await app.api("PATCH", "/api/streams/news", { group: "Walls" });
  await app.api("PATCH", "/api/streams/clock", { group: "Lobby" });
  assert.deepEqual(ids(await playlist(app, token)), ["news", "third"]);
  assert.equal((await read(app, `/t/${token}/api/hls${PLAYLIST}`)).status, 404);
});

accessTest("the playlist's filters choose among what the token opens, and numbers stay", async (app) => {
  const { token } = await app.token({ streams: ["news", "third"] });
  assert.deepEqual(ids(await playlist(app, token, "?group=walls")), ["third"]);
  const numbers = (await playlist(app, token)).channels.map(({ attributes }) => attributes["tvg-chno"]);
  assert.deepEqual(numbers, ["2", "3"]);
});

accessTest("a deleted stream's id opens nothing to its tokens when another gets it", async (app) => {
  const { token } = await app.token({ streams: ["news", "clock"] });
  await app.api("DELETE", "/api/streams/clock");
  await app.create({ id: "clock", name: "Another" });
  assert.deepEqual(ids(await playlist(app, token)), ["news"]);
  assert.equal((await read(app, `/t/${token}/api/hls${PLAYLIST}`)).status, 404);
});

const OPENED = (token: string) => [
  `/t/${token}/playlist.m3u`,
  `/t/${token}/playlist.m3u8`,
  `/t/${token}/epg.xml`,
  `/t/${token}/api/hls${PLAYLIST}`,
  `/t/${token}/api/hls${SEGMENT}`,
];

accessTest("revoking refuses the very next request, although the cache has its answer", async (app) => {
  const [{ id, token }, { token: other }] = [await app.token(), await app.token()];
  for (const path of OPENED(token)) assert.equal((await read(app, path)).status, 200, path);
  assert.equal((await app.api("DELETE", `/api/access-tokens/${id}`)).status, 204);
  for (const path of OPENED(token)) assert.equal((await read(app, path)).status, 404, path);
  for (const path of OPENED(other)) assert.equal((await read(app, path)).status, 200, path);
  assert.equal((await app.api("DELETE", `/api/access-tokens/${id}`)).status, 404);
});

const METHODS = ["POST", "PUT", "PATCH", "DELETE", "FROBNICATE"];

/** Everything else there is, and ways to spell it. */
const CLOSED = String.raw`
  / /none /styles.css /healthz /login /api/walls /api/walls/lobby /wall/ /%77all /vendor/player.js
  /vendor/../api/walls /vnc/clock /player/clock /player/clock.html /static/clock /streams/clock/log
  /streams/clock /api/streams /api/streams/clock /api/streams/statuses /api/events /api/openapi.json
  /api/streams/export /api/streams/playlist /api/streams/clock/vnc /api/streams/clock/log
  /api/streams/clock/log/browser /api/streams/clock/start /api/access-tokens /api/config
  /api/player-html/clock /api/webvnc/core/rfb.js /api/webvnc/websockify /api/hls /api/hls/
  /api/hls/live/clock /api/hls/live/clock/ /api/hls/live/clock/index.m3u8/x /api/hls/stat
  /api/hls/live/index.m3u8 /api/hls/live/clock/.index.m3u8 /api/hls/live/clock/x.mp4 /../api/streams /..
  /../.. /playlist.m3u/.. /playlist.m3u/../api/streams /./playlist.m3u /api/hls/../streams
  /api/hls/live/../../streams /api/hls/live/clock/../../../streams /%2e%2e/api/streams /%2E%2E/api/streams
  /.%2e/api/streams /..%2fapi/streams /%2e%2e%2fapi%2fstreams /%252e%252e/api/streams /..%5capi%5cstreams
  /..\api\streams \..\api\streams /..;/api/streams //api/streams //playlist.m3u /playlist.m3u/
  /api//hls/live/clock/index.m3u8 //evil.example/epg.xml /api%2fhls/live/clock/index.m3u8
  /api/hls/live%2fclock/index.m3u8 /api/hls/live/clock%2findex.m3u8 /playlist%2em3u /PLAYLIST.M3U
  /playlist.m3u%00 /playlist.m3u%0a /playlist.m3u%23 /playlist.m3u;x /api/streams/clock/thumb/
  /api/streams/clock/thumb/../vnc /api/streams/clock%2fvnc%23/thumb /api/streams/__proto__/thumb
  /api/streams/none/thumb /api/streams/%63lock/thumb /t/playlist.m3u /api/hls/live/clock/index.m3u8%3f.ts
`.trim().split(/\s+/).concat("");

/** The same through a real server, where a path arrives just as it was sent. */
async function withServer(app: TestApp, test: (url: string) => Promise<void>) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, app.handler);
  try {
    await test(`http://127.0.0.1:${server.addr.port}`);
  } finally {
    await server.shutdown();
  }
}

accessTest("a token opens no other address, however it is spelled", async (app) => {
  const { token } = await app.token();
  await withServer(app, async (url) => {
    for (const rest of CLOSED) {
      const { status, text } = await rawRequest(url, { path: `/t/${token}${rest}` });
      const isRefused = status === 404 || (status === 400 && /%(?:zz|00)/.test(rest));
      assert.ok(isRefused, `${rest}: ${status} ${text.slice(0, 200)}`);
      assert.ok(!text.includes("clock.example.org"), rest);
    }
  });
});

accessTest("no way of writing the prefix goes around the gate", async (app) => {
  const { token } = await app.token({ streams: ["news"] });
  const prefixes = [
    "//t/",
    "/./t/",
    "/x/../t/",
    "/%74/",
    "/T/",
    "/t//",
    "/t/./",
    "\\t\\",
    "/t%2f",
    "/api/../t/",
  ];
  await withServer(app, async (url) => {
    for (const prefix of prefixes) {
      for (const rest of ["/playlist.m3u", `/api/hls${PLAYLIST}`, "/api/streams"]) {
        const { status } = await rawRequest(url, { path: `${prefix}${token}${rest}` });
        assert.ok(status === 404 || status === 400, `${prefix}${rest}: ${status}`);
      }
    }
  });
});

accessTest("a token is for reading: every other method is refused and changes nothing", async (app) => {
  const { token } = await app.token();
  const before = await Deno.readTextFile(app.paths.streamsFile);
  const paths = [...OPENED(token), `/t/${token}/api/streams/clock/thumb`, `/t/${token}/api/streams/clock`];
  for (const path of paths) {
    for (const method of METHODS) {
      const { status } = await read(app, path, { method, body: "{}" });
      assert.equal(status, method === "FROBNICATE" ? 501 : 404, `${method} ${path}`);
    }
  }
  assert.equal(await Deno.readTextFile(app.paths.streamsFile), before);
});

accessTest(
  "a web player on another site may ask whether it may read, for a channel's files alone",
  async (app) => {
    const { token } = await app.token();
    const preflight = async (path: string) => (await read(app, path, { method: "OPTIONS" })).status;
    const [m3u, m3u8, guide, ...files] = OPENED(token);
    for (const path of files) assert.equal(await preflight(path), 204, path);
    for (
      const path of [
        m3u,
        m3u8,
        guide,
        `/t/${token}/api/streams/clock/thumb`,
        `/t/x${token}/api/hls${PLAYLIST}`,
      ]
    ) {
      assert.equal(await preflight(path), 404, path);
    }
  },
);

accessTest("a token opens no WebSocket, not even with the key of a display", async (app) => {
  const { token } = await app.token();
  const { json: { token: key } } = await app.api("GET", "/api/streams/clock/vnc");
  await withServer(app, async (url) => {
    const headers = {
      host: new URL(url).host,
      origin: url,
      connection: "upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
    };
    const path = `/t/${token}/playlist.m3u?token=${key}`;
    const { status } = await rawRequest(url, { path, headers });
    assert.equal(status, 200, "the playlist, as if nobody had asked for more");
    assert.equal(
      (await rawRequest(url, { path: `/t/${token}/api/webvnc/websockify?token=${key}`, headers })).status,
      404,
    );
  });
});

accessTest("whatever is wrong, the answer is one and the same", async (app) => {
  const { id, token } = await app.token({ streams: ["news"] });
  const { token: over } = await app.token({ expiresAt: app.machine.now() + 1000 });
  app.machine.advance(2000);
  const wrong = "A".repeat(22);
  const paths = [
    `/t/${wrong}/playlist.m3u`,
    `/t/${over}/playlist.m3u`,
    `/t/${token}/api/streams`,
    `/t/${wrong}/api/streams`,
    `/t/${token}/api/hls/live/clock/index.m3u8`,
    `/t/${token}/api/streams/clock/thumb`,
    `/t/${token}/api/streams/none/thumb`,
    `/t/${id}/playlist.m3u`,
    `/t/${token.slice(1)}/playlist.m3u`,
    "/t//playlist.m3u",
    "/t/",
    "/t",
  ];
  const answers = await Promise.all(paths.map(async (path) => {
    const { status, headers, bytes } = await read(app, path);
    return JSON.stringify([status, [...headers], new TextDecoder().decode(bytes)]);
  }));
  assert.equal(new Set(answers).size, 1, answers.join("\n"));
  assert.match(answers[0], /^\[404,.*no-store.*Ask for a new address/);
});

accessTest(
  "a client that tries wrong tokens has to wait, one with a right token never has to",
  async (app) => {
    const { token } = await app.token();
    const peer = { peer: "10.1.2.3" };
    const ask = async (one: string, peer: string) => {
      const answer = await app.fetch(`/t/${one}/playlist.m3u`, { peer });
      await answer.body?.cancel();
      return answer;
    };
    const wrong = "B".repeat(22);
    for (let count = 0; count < 60; count++) assert.equal((await ask(wrong, peer.peer)).status, 404);
    const refused = await ask(wrong, peer.peer);
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    assert.equal((await ask(token, peer.peer)).status, 200);
    assert.equal((await ask(wrong, "10.1.2.4")).status, 404);
    app.machine.advance(60_000);
    assert.equal((await ask(wrong, peer.peer)).status, 404);
  },
);

accessTest("answers to a token are kept by its client alone, and name it to no other site", async (app) => {
  const { token } = await app.token();
  for (const path of [...OPENED(token), `/t/${token}/api/streams/clock/thumb`]) {
    const { headers } = await read(app, path);
    assert.match(headers.get("cache-control")!, /^private, /, path);
    assert.equal(headers.get("referrer-policy"), "no-referrer", path);
    assert.ok(headers.has("content-security-policy"), path);
    assert.equal(headers.get("set-cookie"), null, path);
  }
});

accessTest("a token is in no log line, whatever happens to its requests", async (app) => {
  const { token } = await app.token();
  const wrong = "C".repeat(22);
  const lines = await logged(async () => {
    app.service.streams.list = () => {
      throw new Error("on purpose");
    };
    const paths = OPENED(token).concat(OPENED(wrong), CLOSED.map((rest) => `/t/${token}${rest}`));
    for (const path of [...paths, `/x/../t/${token}/y`, `//t/${token}/playlist.m3u`]) {
      await read(app, path);
      await read(app, path, { headers: { host: "evil.example" } });
    }
    assert.equal((await read(app, `/t/${token}/epg.xml`)).status, 500);
  }, "debug");
  const said = lines.join("\n");
  assert.match(said, /on purpose/);
  for (const one of [token, wrong]) assert.ok(!said.includes(one), said);
});

const LOGIN = { AUTH_USER: "anna", AUTH_PASS: "correct horse battery staple" };

Deno.test("with a login on, a token opens what it opens, and nobody makes or revokes one without a session", async () => {
  await using upstream = fakeUpstream(nginx);
  const env = { MEDIA_PORT: new URL(upstream.origin).port, ...LOGIN };
  await using app = await testApp({ env });
  const session = sessionCookie(app.service);
  const send = (method: string, path: string, body?: unknown, cookie = session) =>
    read(app, path, {
      method,
      headers: { cookie, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  await send("POST", "/api/streams", { id: "clock", name: "Clock", url: "https://clock.example.org/" });
  const made = await send("POST", "/api/access-tokens", { name: "TV" });
  assert.equal(made.status, 201);
  const { id, token } = JSON.parse(new TextDecoder().decode(made.bytes));
  assert.equal((await send("POST", "/api/access-tokens", { name: "TV" }, "")).status, 401);
  assert.equal((await send("GET", "/api/access-tokens", undefined, "")).status, 401);
  assert.equal((await send("DELETE", `/api/access-tokens/${id}`, undefined, "")).status, 401);
  for (const path of OPENED(token)) {
    const opened = await read(app, path);
    assert.deepEqual([opened.status, opened.headers.get("set-cookie")], [200, null], path);
    assert.equal((await read(app, path.replace(/^\/t\/[^/]+/, ""))).status, 401, "not without the token");
    assert.equal((await read(app, path.replace(token, "D".repeat(22)))).status, 404);
  }
  for (const rest of ["/api/streams", "/vnc/clock", "/", "/login", "/api/access-tokens"]) {
    assert.equal((await read(app, `/t/${token}${rest}`)).status, 404, rest);
    assert.equal((await send("GET", `/t/${token}${rest}`)).status, 404, `${rest}, with a session`);
  }
  assert.equal((await send("DELETE", `/api/access-tokens/${id}`)).status, 204);
  for (const path of OPENED(token)) assert.equal((await read(app, path)).status, 404, path);
  await app.idle();
});
