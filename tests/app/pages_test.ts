/** The pages, their errors, the HTML players, and the health check. */
import { strict as assert } from "node:assert";
import type { Program } from "../../lib/machine/supervisor/status.ts";
import { appTest, type TestApp } from "../support/app.ts";
import { aProgram } from "../support/fixture.ts";
import { logged } from "../support/logged.ts";

const PAGES = [
  ["/", "Streams"],
  ["/incidents", "Incidents"],
  ["/messages", "Messages"],
  ["/player/clock", "Clock"],
  ["/vnc/clock", "Clock, remote"],
  ["/streams/clock", "Clock, state"],
  ["/streams/clock/log", "Log of Clock"],
];

async function page(app: TestApp, path: string, headers?: Record<string, string>) {
  const answer = await app.fetch(path, { headers });
  const html = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    html,
    title: /<title>(.*?)<\/title>/.exec(html)?.[1],
  };
}

appTest("every page has its title, and no shared cache keeps it", async (app) => {
  await app.create({ desiredState: "stopped" });
  for (const [path, title] of PAGES) {
    const { status, headers, title: found } = await page(app, path);
    assert.deepEqual([status, found], [200, `${title} · Browser Stream`], path);
    assert.match(headers.get("content-type")!, /^text\/html/);
    assert.match(headers.get("cache-control")!, /no-store|no-cache/, path);
  }
});

appTest("the first page is small with 60 streams, and has all their names and states", async (app) => {
  const streams = Array.from({ length: 60 }, (_, at) => ({
    name: `Screen ${at}`,
    url: `https://screens.example.org/${crypto.randomUUID()}`,
    note: "x".repeat(5000),
    desiredState: "stopped",
  }));
  assert.equal((await app.api("POST", "/api/streams/import", streams)).status, 200);
  const html = await (await app.fetch("/")).bytes();
  const zipped = new Response(html).body!.pipeThrough(new CompressionStream("gzip"));
  const size = (await new Response(zipped).bytes()).length;
  assert.ok(size < 60_000, `${size} bytes, compressed`);
  const text = new TextDecoder().decode(html);
  assert.equal(text.match(/<li class="card is-stopped/g)?.length, 60);
  for (const { name } of streams) assert.ok(text.includes(`>${name}</`), name);
  assert.ok(!text.includes("xxxx"), "what no card shows is not there");
});

appTest("the first page filters by its address, for those without JavaScript", async (app) => {
  await app.create({ name: "Alpha", group: "Walls", desiredState: "stopped" });
  await app.create({ name: "Bravo", desiredState: "stopped" });
  const cards = async (path: string) => {
    const { html } = await page(app, path);
    return [...html.matchAll(/<h2 id="name-(\w+)"/g)].map(([, id]) => id).join();
  };
  assert.equal(await cards("/"), "alpha,bravo");
  assert.equal(await cards("/?q=brav"), "bravo");
  assert.equal(await cards("/?group=walls"), "alpha");
  assert.equal(await cards("/?state=failed"), "");
  const { html } = await page(app, '/?q="><script>alert(1)</script>');
  assert.ok(!html.includes("<script>alert(1)"));
});

appTest("a page of a stream that there is not says so", async (app) => {
  for (const id of ["gone", "A", "__proto__", "x".repeat(64), "a%2fb"]) {
    for (
      const path of [`/player/${id}`, `/vnc/${id}`, `/static/${id}`, `/streams/${id}`, `/streams/${id}/log`]
    ) {
      const { status, html, title } = await page(app, path);
      assert.deepEqual([status, title], [404, "No such stream · Browser Stream"], path);
      assert.match(html, /href="\/"/);
    }
  }
});

appTest("a name in an address is text on the page that does not know it", async (app) => {
  const { html } = await page(app, `/player/${encodeURIComponent("<script>alert(1)</script>")}`);
  assert.ok(!html.includes("<script>alert(1)"));
});

appTest("an unknown address is a 404 page; below /api it is JSON", async (app) => {
  for (const path of ["/none", "/streams/x/y", "/player/", "/static/a/b"]) {
    const { status, title } = await page(app, path);
    assert.deepEqual([status, title], [404, "Page not found · Browser Stream"], path);
  }
  for (const path of ["/api/none", "/api/streams/x/none", "/api"]) {
    const answer = await app.fetch(path);
    assert.equal(answer.status, 404, path);
    await answer.body?.cancel();
  }
  assert.match((await app.api("GET", "/api/none")).json.error.message, /There is no GET \/api\/none/);
});

appTest("an unexpected error is logged, and its page tells nothing of it", async (app) => {
  await app.create({ desiredState: "stopped" });
  app.service.statuses.all = () => Promise.reject(new Error("ENOENT /root/secret"));
  const lines = await logged(async () => {
    const { status, html, title } = await page(app, "/");
    assert.deepEqual([status, title], [500, "The service has an error · Browser Stream"]);
    assert.doesNotMatch(html, /ENOENT|secret/);
  });
  assert.match(lines.join("\n"), /ENOENT/);
});

appTest("the players of a stream, and what they may load", async (app) => {
  await app.create({ desiredState: "stopped" });
  const minimal = await page(app, "/player/clock.html");
  assert.deepEqual((await page(app, "/api/player-html/clock")).html, minimal.html);
  assert.match(minimal.html, /<video/);
  const tv = await page(app, "/static/clock", { host: "wall.lan:3000" });
  assert.match(tv.html, /id="mute"/);
  const sources = (headers: Headers) => /media-src ([^;]*)/.exec(headers.get("content-security-policy")!)![1];
  assert.equal(sources(minimal.headers), "'self' blob:");
  assert.equal(sources(tv.headers), "'self' blob: http://127.0.0.1:8899");
}, { env: { MEDIA_PORT: "8899" } });

appTest("a player of a stream that there is not is a 404 page", async (app) => {
  for (const path of ["/player/gone.html", "/api/player-html/gone"]) {
    const { status, title } = await page(app, path);
    assert.deepEqual([status, title], [404, "No such stream · Browser Stream"], path);
  }
});

appTest("the health check is 200, and 503 while the supervisor does not answer", async (app) => {
  await app.create({ desiredState: "stopped" });
  assert.deepEqual((await app.api("GET", "/healthz")).json, { status: "ok" });
  const { programs } = app.machine;
  app.machine.programs = () => Promise.reject(new Error("connect ENOENT"));
  app.machine.advance(3000); // the status cache
  const { status, json } = await app.api("GET", "/healthz");
  assert.deepEqual([status, json], [503, {
    status: "unhealthy",
    reasons: ["The supervisor does not answer."],
  }]);
  app.machine.programs = programs;
  assert.equal((await app.api("GET", "/healthz")).status, 200);
});

appTest(
  "the health check is 503 without what channels need, and says what they can do without",
  async (app) => {
    const { programs } = app.machine;
    const health = async (name: string, state: Program["state"]) => {
      app.machine.programs = async () => [...await programs(), aProgram(name, { state })];
      app.machine.advance(3000);
      const { status, json } = await app.api("GET", "/healthz");
      return [status, json.status, json.reasons?.join()];
    };
    assert.deepEqual(await health("media", "RUNNING"), [200, "ok", undefined]);
    assert.deepEqual(await health("media", "BACKOFF"), [200, "ok", undefined], "it is being started again");
    assert.deepEqual(await health("media", "FATAL"), [503, "unhealthy", "The media server does not run."]);
    assert.deepEqual(await health("front", "STOPPED"), [503, "unhealthy", "The front door does not run."]);
    assert.deepEqual(await health("capture", "FATAL"), [200, "ok", "The capture program does not run."]);
  },
);

appTest(
  "a disk that is nearly full is said by the health check, which stays 200, and on the dashboard",
  async (app) => {
    const space = { totalBytes: 1e10, freeBytes: 1.2e8, totalFiles: 0, freeFiles: 0 };
    app.machine.space = (path) =>
      Promise.resolve(path === app.paths.runDir ? { ...space, freeBytes: 5e9 } : space);
    await app.service.disk.round();
    const { status, json } = await app.api("GET", "/healthz");
    assert.deepEqual([status, json.status, json.reasons.length], [200, "ok", 1]);
    assert.match(json.reasons[0], /^The disk of DATA_DIR is nearly full: 120 MB of 10 GB are free\. /);
    assert.match(await (await app.fetch("/")).text(), /120 MB of 10 GB are free/);
    space.freeBytes = 2e9;
    await app.service.disk.round();
    assert.deepEqual((await app.api("GET", "/healthz")).json, { status: "ok" });
  },
);

appTest("the licences of what is shipped are there as a text", async (app) => {
  const answer = await app.fetch("/licenses.txt");
  assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, "text/plain; charset=utf-8"]);
  const text = await answer.text();
  for (const name of ["Browser Stream contributors", "hls.js", "preact", "Deno"]) {
    assert.ok(text.includes(name), name);
  }
});
