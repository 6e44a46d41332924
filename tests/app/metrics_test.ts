/** What Prometheus gets, and who may have it. */
import { strict as assert } from "node:assert";
import { METRICS } from "../../lib/reports/metrics_table.ts";
import { streamId } from "../../lib/model/id.ts";
import { appTest, sessionCookie, type TestApp, testApp, type TestAppOptions } from "../support/app.ts";
import { readExposition, type ReadFamily, valueOf } from "../support/exposition.ts";
import { aProgram } from "../support/fixture.ts";
import { bytes, nginx, PLAYLIST, SEGMENT } from "../support/hls_fixture.ts";
import { fakeUpstream } from "../support/upstream.ts";

const TOKEN = "a-token-for-prometheus";
const LOGIN = { AUTH_USER: "anna", AUTH_PASS: "secret" };

async function scrape(app: TestApp, headers: HeadersInit = {}): Promise<Map<string, ReadFamily>> {
  const answer = await app.fetch("/metrics", { headers });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  assert.equal(answer.headers.get("cache-control"), "no-store");
  return readExposition(await answer.text());
}

/** Gives every running program a pid, a minute on a processor at each measurement, and 50 MiB; the shared ones, too. */
function withCosts({ machine }: TestApp): void {
  const { programs } = machine;
  machine.programs = async () => {
    const all = [...await programs(), aProgram("media"), aProgram("capture"), aProgram("web")];
    return all.map((program, at) => ({ ...program, pid: program.state === "RUNNING" ? at + 1 : 0 }));
  };
  let ms = 0;
  machine.processorTimes = (pids) => {
    ms += 60_000;
    return Promise.resolve(new Map(pids.map((pid) => [pid, ms])));
  };
  machine.memory = (pids) => Promise.resolve(new Map(pids.map((pid) => [pid, 50 * 1024 * 1024])));
}

appTest("a scrape has every metric of the table with its labels, and no other", async (app) => {
  await app.create();
  withCosts(app);
  app.machine.frames = () =>
    Promise.resolve(new Map([[101, { sent: 250, dropped: 3, changedAt: app.machine.now() }]]));
  await app.service.disk.round();
  const families = await scrape(app);
  assert.deepEqual([...families.keys()].sort(), Object.keys(METRICS).sort());
  for (const [name, { type, samples }] of families) {
    const row = METRICS[name as keyof typeof METRICS];
    assert.equal(type, row.type, name);
    const labels = Object.keys(samples[0].labels).filter((label) => label !== "le");
    assert.deepEqual(labels, [...row.labels], name);
  }
});

appTest("Prometheus' own checker finds nothing to complain of", async (app) => {
  await app.create();
  await app.create({ name: "Sales", desiredState: "stopped" });
  withCosts(app);
  app.machine.frames = () =>
    Promise.resolve(new Map([[101, { sent: 250, dropped: 3, changedAt: app.machine.now() }]]));
  await app.service.disk.round();
  const answer = await app.fetch("/metrics");
  const checker = new Deno.Command("/usr/bin/promtool", {
    args: ["check", "metrics"],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  await answer.body!.pipeTo(checker.stdin);
  const { code, stderr } = await checker.output();
  assert.deepEqual([code, new TextDecoder().decode(stderr)], [0, ""]);
});

appTest("a stream's figures are those that the API tells", async (app) => {
  await app.create();
  await app.create({ name: "Sales", desiredState: "stopped" });
  withCosts(app);
  app.machine.frames = () =>
    Promise.resolve(new Map([[101, { sent: 250, dropped: 3, changedAt: app.machine.now() }]]));
  await scrape(app);
  app.machine.advance(5000);
  const families = await scrape(app);
  const value = (name: string, labels?: Record<string, string>) =>
    valueOf(families, `browserstream_${name}`, labels);
  assert.deepEqual(["running", "stopped", "failed"].map((state) => value("streams", { state })), [1, 1, 0]);
  assert.equal(value("stream_state", { stream: "clock", state: "running" }), 1);
  assert.equal(value("stream_state", { stream: "sales", state: "running" }), 0);
  const encoder = { stream: "clock", program: "encoder" };
  assert.deepEqual(
    [value("program_cpu_seconds_total", encoder), value("program_memory_bytes", encoder)],
    [60, 50 * 1024 * 1024],
  );
  assert.equal(value("program_memory_bytes", { stream: "sales", program: "encoder" }), undefined);
  assert.equal(value("program_cpu_seconds_total", { stream: "", program: "capture" }), 60);
  assert.equal(value("stream_frames_total", { stream: "clock" }), 250);
  assert.equal(value("stream_frames_dropped_total", { stream: "clock" }), 3);
  assert.ok(value("stream_segment_age_seconds", { stream: "clock" })! < 60);
  assert.equal(value("stream_segment_age_seconds", { stream: "sales" }), undefined);
  assert.equal(value("supervisor_up"), 1);
});

Deno.test("viewers and the bytes that they were sent are counted by channel", async () => {
  await using upstream = fakeUpstream(nginx);
  await using app = await testApp({ env: { MEDIA_PORT: new URL(upstream.origin).port } });
  await app.create();
  const ask = async (path: string, init: RequestInit = {}) =>
    (await (await app.fetch(`/api/hls${path}`, init)).bytes()).length;
  const playlist = await ask(PLAYLIST);
  await ask(SEGMENT);
  await ask(SEGMENT, { headers: { range: "bytes=0-9" } });
  await ask(SEGMENT, { method: "HEAD" });
  await ask(SEGMENT, { headers: { "if-none-match": '"a-1"' } });
  await ask("/live/none/index.m3u8");
  const counted = async () => {
    const families = await scrape(app);
    return ["viewers", "sent_bytes_total"].map((name) =>
      valueOf(families, `browserstream_stream_${name}`, { stream: "clock" })
    );
  };
  assert.deepEqual(await counted(), [1, playlist + bytes.length + 10]);
  await app.api("DELETE", "/api/streams/clock");
  await app.create({ desiredState: "stopped" });
  assert.deepEqual(await counted(), [0, 0], "another stream of the same id");
});

appTest("names stand in labels as they are, whatever they are made of", async (app) => {
  const name = 'He said "C:\\new" {a="b"} é 🎬';
  await app.create({ id: "odd", name, group: "Walls\\", desiredState: "stopped" });
  const [{ labels }] = (await scrape(app)).get("browserstream_stream_info")!.samples;
  assert.deepEqual(labels, { stream: "odd", name, group: "Walls\\" });
});

appTest(
  "restarts are counted by program and cause, and of a removed stream no more by stream",
  async (app) => {
    const { id } = await app.create({ desiredState: "stopped" });
    const before = await scrape(app);
    const restarts = "browserstream_program_restarts_total";
    assert.equal(
      valueOf(before, restarts, { program: "browser", cause: "memory" }),
      0,
      "so that the first one is seen",
    );
    assert.equal(valueOf(before, "browserstream_stream_restarts_total", { stream: id }), 0);
    app.service.fleet.get(streamId(id)).programs.count(["browser", "encoder"], "memory");
    app.service.restarts.count("media", "starved");
    const after = await scrape(app);
    assert.equal(valueOf(after, restarts, { program: "browser", cause: "memory" }), 1);
    assert.equal(valueOf(after, restarts, { program: "media", cause: "starved" }), 1);
    assert.equal(valueOf(after, "browserstream_stream_restarts_total", { stream: id }), 2);
    await app.api("DELETE", `/api/streams/${id}`);
    await app.create({ desiredState: "stopped" });
    assert.equal(valueOf(await scrape(app), "browserstream_stream_restarts_total", { stream: id }), 0);
  },
);

appTest("while the supervisor or the capture program does not answer, the rest is told", async (app) => {
  await app.create();
  app.machine.programs = () => Promise.reject(new Error("connect ENOENT"));
  app.machine.frames = () => Promise.reject(new Error("connect ENOENT"));
  app.machine.advance(3000); // the status cache
  const families = await scrape(app);
  assert.equal(valueOf(families, "browserstream_supervisor_up"), 0);
  assert.equal(valueOf(families, "browserstream_stream_viewers", { stream: "clock" }), 0);
  const missing = ["streams", "stream_state", "program_cpu_seconds_total", "stream_frames_total"];
  for (const name of missing) assert.equal(families.has(`browserstream_${name}`), false, name);
});

/** The statuses that these headers get, for GET unless the case says otherwise. */
async function statuses(env: TestAppOptions["env"], cases: Record<string, [number, string, RequestInit?]>) {
  await using app = await testApp({ env });
  const session = app.service.login.isOn ? sessionCookie(app.service) : "";
  for (const [what, [status, path, init = {}]] of Object.entries(cases)) {
    const headers = new Headers(init.headers);
    if (headers.get("cookie") === "session") headers.set("cookie", session);
    const answer = await app.fetch(path, { ...init, headers, redirect: "manual" });
    await answer.body?.cancel();
    assert.equal(answer.status, status, what);
  }
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

Deno.test("with a login the metrics are for who is logged in, or has their token, which opens nothing else", async () => {
  const upgrade = { upgrade: "websocket", connection: "upgrade", origin: "http://127.0.0.1:3000" };
  await statuses({ ...LOGIN, METRICS_TOKEN: TOKEN }, {
    "nobody": [401, "/metrics"],
    "a session": [200, "/metrics", { headers: { cookie: "session" } }],
    "the token": [200, "/metrics", bearer(TOKEN)],
    "HEAD": [200, "/metrics", { ...bearer(TOKEN), method: "HEAD" }],
    "a query": [200, "/metrics?x", bearer(TOKEN)],
    "Basic": [200, "/metrics", { headers: { authorization: `Basic ${btoa(`prometheus:${TOKEN}`)}` } }],
    "another token": [401, "/metrics", bearer(`${TOKEN}x`)],
    "the login's password": [401, "/metrics", { headers: { authorization: `Basic ${btoa("anna:secret")}` } }],
    "the token in the address": [401, `/metrics?token=${TOKEN}`],
    "another address": [401, "/api/streams", bearer(TOKEN)],
    "another page": [303, "/", bearer(TOKEN)],
    "another spelling": [303, "/%6detrics", bearer(TOKEN)],
    "a path below": [401, "/metrics/x.xml", bearer(TOKEN)],
    "another method": [401, "/metrics", { ...bearer(TOKEN), method: "POST" }],
    "a WebSocket": [401, "/metrics", { headers: { ...upgrade, ...bearer(TOKEN).headers } }],
  });
});

Deno.test("with a login and without a token for them, the metrics are for who is logged in", async () => {
  await statuses(LOGIN, {
    "nobody": [401, "/metrics"],
    "a session": [200, "/metrics", { headers: { cookie: "session" } }],
    "an empty token": [401, "/metrics", bearer("")],
  });
});

Deno.test("without a login the metrics are open as all else is, unless a token for them is set", async () => {
  await statuses({}, { "nobody": [200, "/metrics"] });
  await statuses({ METRICS_TOKEN: TOKEN }, {
    "nobody": [401, "/metrics"],
    "the token": [200, "/metrics", bearer(TOKEN)],
    "another token": [401, "/metrics", bearer("x".repeat(16))],
    "another spelling": [404, "/%6detrics"],
    "all else": [200, "/api/streams"],
  });
});

Deno.test("another site's page does not read the metrics by another name of this machine", async () => {
  await statuses({ METRICS_TOKEN: TOKEN }, {
    "a name that is not ours": [421, "http://evil.example/metrics", bearer(TOKEN)],
  });
});
