/** The gate stands in front of everything; whatever comes out is hardened; reading changes nothing. */
import { strict as assert } from "node:assert";
import { streamId } from "../../lib/model/id.ts";
import { OWN_SCRIPT } from "../support/service.ts";
import { filled, routePatterns } from "../support/addresses.ts";
import { textOf } from "../support/answers.ts";
import { appTest, type TestApp } from "../support/app.ts";
import { namesIn } from "../support/fixture.ts";
import { logged } from "../support/logged.ts";

const PATTERNS = await routePatterns();
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const CHANGES = ["POST", "PUT", "PATCH", "DELETE"];

async function send(app: TestApp, method: string, path: string, headers: Record<string, string> = {}) {
  const hasBody = CHANGES.includes(method);
  const answer = await app.fetch(path, {
    method,
    headers: hasBody ? { "content-type": "application/json", ...headers } : headers,
    body: hasBody ? "{}" : undefined,
  });
  return { status: answer.status, headers: answer.headers, text: await textOf(answer) };
}

/** All there is of the streams: the list on disk, files, and what the supervisor was told. */
async function state(app: TestApp) {
  const { streamsFile, programsDir, profilesDir, specsDir, logsDir } = app.paths;
  const list = await Deno.readTextFile(streamsFile);
  const names = await Promise.all([programsDir, profilesDir, specsDir, logsDir].map(namesIn));
  return {
    list,
    names,
    commands: app.machine.supervisord.commands(),
    version: app.service.streams.version(),
  };
}

function gateTest(name: string, test: (app: TestApp) => Promise<void>) {
  appTest(name, async (app) => {
    await app.create();
    app.machine.supervisord.commands();
    await test(app);
  }, {
    env: {
      TRUSTED_PROXIES: "10.0.0.5",
      TIMINGS: '{"feed":{"longestMs":1}}', // else its answer has no end
    },
  });
}

gateTest("every address is refused under a name that is not ours", async (app) => {
  const before = await state(app);
  const hosts: [Record<string, string>, number][] = [
    [{ host: "evil.example" }, 421],
    [{ host: "x.localhost:3000", origin: "http://x.localhost:3000" }, 421],
    [{ host: "user@127.0.0.1" }, 400],
    [{ host: 'evil"onload=' }, 400],
  ];
  await logged(async () => {
    for (const path of [...PATTERNS, "/styles.css", "/none"].filter((one) => one !== "/healthz")) {
      for (const method of METHODS) {
        for (const [headers, wanted] of hosts) {
          const { status } = await send(app, method, filled(path, "clock"), headers);
          assert.equal(status, wanted, `${method} ${path} ${headers.host}`);
        }
      }
    }
  });
  assert.deepEqual(await state(app), before);
});

gateTest("a name that is not ours is logged once", async (app) => {
  const lines = await logged(async () => {
    for (let count = 0; count < 3; count++) await send(app, "GET", "/", { host: "evil.example" });
  });
  assert.equal(lines.filter((line) => line.includes('"host":"evil.example"')).length, 1, lines.join("\n"));
});

gateTest("the health check answers to every name, but lets no other site change anything", async (app) => {
  assert.equal((await send(app, "GET", "/healthz", { host: "evil.example" })).status, 200);
  assert.equal((await send(app, "POST", "/healthz", { origin: "https://evil.example" })).status, 403);
});

gateTest("a Host that is none is a 400 on the health check too, and no error of ours", async (app) => {
  for (const host of ["a b", 'evil"x', "[::1", "127.0.0.1:99999", "a@b", "-", "/"]) {
    for (const method of METHODS) {
      assert.equal((await send(app, method, "/healthz", { host })).status, 400, `${method} ${host}`);
    }
  }
});

gateTest("no other site's page changes anything, at any address", async (app) => {
  const before = await state(app);
  const origins: Record<string, string>[] = [
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: "http://127.0.0.1:8888" },
    { origin: "http://localhost:3000" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site", origin: "http://127.0.0.1:3000" },
  ];
  for (const path of [...PATTERNS, "/styles.css", "/none"]) {
    for (const method of [...CHANGES, "FROBNICATE"]) {
      for (const headers of origins) {
        const { status } = await send(app, method, filled(path, "clock"), headers);
        assert.equal(status, 403, `${method} ${path} ${JSON.stringify(headers)}`);
      }
    }
  }
  assert.deepEqual(await state(app), before);
});

appTest(
  "pages of the public address may change things, and a proxy's word counts from its address alone",
  async (app) => {
    const forwarded = { "x-forwarded-proto": "https", "x-forwarded-host": "tv.example.org" };
    const post = async (headers: Record<string, string>, peer: string) => {
      const answer = await app.fetch("/api/streams", {
        method: "POST",
        peer,
        headers: { "content-type": "application/json", ...headers },
        body: "{}", // 400 if it gets that far
      });
      await answer.body?.cancel();
      return answer.status;
    };
    const own = { ...forwarded, origin: "https://tv.example.org" };
    assert.equal(await post(own, "10.0.0.5"), 400);
    assert.equal(await post(own, "10.0.0.6"), 403);
    assert.equal(await post({ ...forwarded, origin: "https://evil.example" }, "10.0.0.5"), 403);
  },
  { env: { TRUSTED_PROXIES: "10.0.0.5", ALLOWED_HOSTS: "tv.example.org" } },
);

gateTest("what is read changes nothing, at any address", async (app) => {
  const before = await state(app);
  for (const path of PATTERNS) {
    for (const method of ["GET", "HEAD", "OPTIONS"]) {
      const { status } = await send(app, method, filled(path, "clock"));
      assert.ok(status < 500 || status === 502, `${method} ${path}: ${status}`);
    }
  }
  await app.service.fleet.get(streamId("clock")).thumbnail.capture().catch(() => {}); // GET may have begun one
  assert.deepEqual(await state(app), before);
});

const BAD_IDS = [
  ...[
    "none",
    "CLOCK",
    "-clock",
    "clock.",
    "clock%00",
    "clock%0a",
    "clock%3f",
    "clock%23",
    "%20clock",
    "a".repeat(64),
    "__proto__",
  ],
  ...[
    "..%2fclock",
    "..%2f..%2fetc",
    "%2e%2e%2f%2e%2e%2fetc",
    "..%5cclock",
    "%252e%252e",
    "clock%2f..%2fclock",
  ],
  ...["constructor", "%5bprogram:x%5d", "$(id)", "clock;id", "%zz", "%ff", "📺"],
];

gateTest("what is no stream's id is no stream's, at any address and by any method", async (app) => {
  const before = await state(app);
  for (const pattern of PATTERNS.filter((one) => one.includes("[id]"))) {
    for (const id of BAD_IDS) {
      for (const method of METHODS) {
        const { status, text } = await send(app, method, filled(pattern, id), OWN_SCRIPT);
        const isNone = status === 404 || (status === 400 && id.includes("%")) ||
          (method === "OPTIONS" && status < 300 && text === "");
        assert.ok(isNone, `${method} ${filled(pattern, id)}: ${status}`);
      }
    }
  }
  assert.deepEqual(await state(app), before);
});

gateTest("every kind of answer is hardened", async (app) => {
  await app.service.fleet.get(streamId("clock")).thumbnail.capture();
  const { headers } = await send(app, "GET", "/api/streams/clock/thumb");
  const { version } = await state(app);
  assert.ok(version);
  const cases: [number, string, string, Record<string, string>?][] = [
    [200, "GET", "/"],
    [404, "GET", "/none"],
    [404, "GET", "/player/none"],
    [200, "GET", "/static/clock"],
    [200, "GET", "/player/clock.html"],
    [200, "GET", "/styles.css"],
    [200, "GET", "/playlist.m3u"],
    [200, "GET", "/epg.xml"],
    [200, "GET", "/healthz"],
    [200, "GET", "/api/streams"],
    [200, "HEAD", "/api/streams"],
    [200, "GET", "/api/streams/export"],
    [200, "GET", "/api/streams/clock/thumb"],
    [304, "GET", "/api/streams/clock/thumb", { "if-none-match": headers.get("etag")! }],
    [400, "POST", "/api/streams"],
    [404, "GET", "/api/none"],
    [403, "POST", "/api/streams", { origin: "https://evil.example" }],
    [400, "GET", "/", { host: "a b" }],
    [403, "GET", "/", { upgrade: "websocket", "sec-websocket-version": "13" }],
    [404, "GET", "/api/hls/none"],
    [502, "GET", "/api/webvnc/core/rfb.js"],
    [204, "DELETE", "/api/streams/clock"],
  ];
  for (const [wanted, method, path, sent] of cases) {
    const what = `${method} ${path}`;
    const { status, headers } = await send(app, method, path, sent);
    assert.equal(status, wanted, what);
    assert.match(headers.get("content-security-policy") ?? "", /default-src '(self|none)'/, what);
    assert.equal(headers.get("x-content-type-options"), "nosniff", what);
    assert.equal(headers.get("referrer-policy"), "same-origin", what);
    assert.equal(headers.get("x-frame-options"), "SAMEORIGIN", what);
    // of the page that has it
    const isPart = headers.get("content-type")?.startsWith("text/css");
    if (!isPart) assert.match(headers.get("permissions-policy") ?? "", /camera=\(\)/, what);
    const isForOthers = path.startsWith("/api/hls/");
    assert.equal(
      headers.get("cross-origin-resource-policy"),
      isForOthers ? "cross-origin" : "same-origin",
      what,
    );
    assert.doesNotMatch(headers.get("content-security-policy")!, /unsafe-(?:inline|eval)/, what);
  }
});

appTest("unknown methods are a 501, addresses that are no text a 400, for programs in JSON", async (app) => {
  for (
    const [method, path, expected] of [
      ["FOO", "/", 501],
      ["PROPFIND", "/api/streams", 501],
      ["GET", "/%zz", 400],
      ["GET", "/streams/%ff/log", 400],
      ["GET", "/api/streams/%E0%A4%A", 400],
      ["POST", "/api/streams/%/start", 400],
      ["GET", "/api/streams/a%2fb", 404],
      ["GET", "/api/streams/%C3%A4", 404],
    ] as const
  ) {
    const { status, headers, body } = await app.fetch(path, { method });
    await body?.cancel();
    assert.equal(status, expected, `${method} ${path}`);
    assert.equal(/json/.test(headers.get("content-type")!), path.startsWith("/api/"), path);
  }
});
