/** Streams over HTTP: create, read, change, order, remove; their states; what is refused. */
import { strict as assert } from "node:assert";
import type { PublicStream } from "../../lib/model/schema.ts";
import { ProcessError } from "../../lib/machine/os/process.ts";
import { appTest, type TestApp, testApp } from "../support/app.ts";
import { tempDir } from "../support/fixture.ts";
import { logged } from "../support/logged.ts";

/** A test with the stopped streams A, B and C. */
function streamsTest(name: string, test: (app: TestApp) => Promise<void>) {
  appTest(name, async (app) => {
    for (const name of ["A", "B", "C"]) await app.create({ name, desiredState: "stopped", pass: "s3cret" });
    await test(app);
  });
}

const reorder = (app: TestApp, ids: unknown) => app.api("PUT", "/api/streams/reorder", { ids });

async function order(app: TestApp): Promise<string[]> {
  return (await app.api("GET", "/api/streams")).json.map(({ id }: PublicStream) => id);
}

/** The version of the list, which comes with the list and with the states. */
async function version(app: TestApp): Promise<string> {
  const [list, statuses] = await Promise.all(
    ["/api/streams", "/api/streams/statuses"].map(async (path) =>
      (await app.api("GET", path)).headers.get("streams-version")
    ),
  );
  assert.ok(list && list === statuses, `${list} ${statuses}`);
  return list;
}

appTest("a new stream is a 201 with its address, and never shows its password", async (app) => {
  const body = { name: "Grafana – Übersicht", url: "https://example.org/", pass: "s3cret" };
  const { status, headers, json } = await app.api("POST", "/api/streams", body);
  assert.deepEqual([status, headers.get("location")], [201, "/api/streams/grafana-uebersicht"]);
  assert.deepEqual([json.id, json.fps, json.revision, json.passSet, json.pass], [
    "grafana-uebersicht",
    25,
    0,
    true,
    undefined,
  ]);
  assert.deepEqual((await app.api("GET", "/api/streams/grafana-uebersicht")).json, json);
  assert.deepEqual((await app.api("GET", "/api/streams")).json, [json]);
});

appTest("an address without a scheme is completed, and refused like a whole one", async (app) => {
  const url = async (method: string, path: string, url: string) =>
    (await app.api(method, path, { name: "Clock", url })).json.url;
  assert.equal(
    await url("POST", "/api/streams", " grafana.local:3000/d/abc "),
    "http://grafana.local:3000/d/abc",
  );
  assert.equal(await url("PATCH", "/api/streams/clock", "192.168.1.5"), "http://192.168.1.5");
  assert.equal(await url("PUT", "/api/streams/clock", "example.org/a"), "https://example.org/a");
  for (
    const [bad, problem] of [["127.0.0.1:8000", /ALLOW_LOCAL_STREAMS/], [
      "metadata.google.internal",
      /metadata/,
    ]]
  ) {
    const { status, json } = await app.api("POST", "/api/streams", { name: "Bad", url: bad });
    assert.equal(status, 400);
    assert.match(json.error.fields.url, problem as RegExp);
  }
  const word = await app.api("POST", "/api/streams", { name: "Bad", url: "grafana" });
  assert.match(word.json.error.fields.url, /write http:\/\/grafana\/\. Example: https/);
});

appTest("a bad stream is a 400 that names each field, and nothing is stored", async (app) => {
  const body = { url: "file:///etc/passwd", fps: 1000 };
  const { status, json } = await app.api("POST", "/api/streams", body);
  assert.deepEqual([status, Object.keys(json.error.fields).sort()], [400, ["fps", "name", "url"]]);
  assert.deepEqual((await app.api("GET", "/api/streams")).json, []);
});

streamsTest("PATCH leaves absent fields, PUT resets them but for the password", async (app) => {
  const patched = await app.api("PATCH", "/api/streams/a", { fps: 5 });
  assert.deepEqual([patched.status, patched.json.fps, patched.json.revision], [200, 5, 1]);
  const put = await app.api("PUT", "/api/streams/a", { name: "A", url: "https://clock.example.org/" });
  assert.deepEqual([put.status, put.json.fps, put.json.passSet], [200, 25, true]);
  assert.equal((await app.api("PATCH", "/api/streams/a", { fps: 0 })).status, 400);
});

streamsTest("the auto-reload's own address sets nothing else", async (app) => {
  const path = "/api/streams/a/autoreload";
  const { status, json } = await app.api("POST", path, { autoReload: true, autoReloadInterval: 5 });
  assert.deepEqual([status, json.autoReload, json.autoReloadInterval], [200, true, 5]);
  assert.equal((await app.api("POST", path, { name: "B" })).status, 400);
});

streamsTest("several streams are deleted by one request, which says what was not", async (app) => {
  const remove = async (query: string) => await app.api("DELETE", `/api/streams${query}`);
  for (const query of ["", "?ids=", "?ids=a,", "?ids=..", `?ids=${Array(101).fill("a").join()}`]) {
    const { status, json } = await remove(query);
    assert.deepEqual([status, Object.keys(json.error.fields)], [400, ["ids"]], query);
  }
  assert.deepEqual(await order(app), ["a", "b", "c"]);
  const { broker } = app.machine;
  const own = broker.disown;
  broker.disown = (id) => id === "b" ? Promise.reject(new ProcessError("no room")) : own.call(broker, id);
  const { status, json } = await remove("?ids=a,b,c,gone,a");
  assert.deepEqual([status, json.deleted.sort(), json.failed.map(({ id }: { id: string }) => id)], [
    ...[200, ["a", "c", "gone"], ["b"]],
  ]);
  assert.match(json.failed[0].error.message, /^no room\./);
  assert.deepEqual(await order(app), ["b"]);
});

appTest(
  "many that are deleted at once cost the supervisor and the list's file a few changes",
  async (app) => {
    const ids = Array.from({ length: 40 }, (_, at) => `s${at}`);
    for (const id of ids) await app.create({ id, name: id, desiredState: "stopped" });
    for (const id of ids.slice(0, 20)) {
      await app.api("POST", `/api/streams/${id}/start`);
      await app.api("POST", `/api/streams/${id}/stop`);
    }
    const changes = async () => Number((await version(app)).split("-").at(-1));
    const before = await changes();
    app.machine.supervisord.commands();
    const { json } = await app.api("DELETE", `/api/streams?ids=${ids}`);
    assert.deepEqual([json.deleted.length, await order(app)], [40, []]);
    const updates = app.machine.supervisord.commands().filter((command) => command.startsWith("update"));
    // those that have never run are none of the supervisor's
    assert.ok(!updates.join().includes("stream-s20"), updates.join("\n"));
    assert.ok(updates.length <= 10, `${updates.length} updates`);
    assert.ok(await changes() - before <= 20, `${await changes() - before} changes of the list`);
  },
);

streamsTest("a deleted stream is a 204, then a 404", async (app) => {
  assert.equal((await app.api("DELETE", "/api/streams/b")).status, 204);
  for (const method of ["GET", "DELETE"]) {
    const { status, json } = await app.api(method, "/api/streams/b");
    assert.deepEqual([status, json.error.message], [404, 'There is no stream "b".']);
  }
  assert.deepEqual(await order(app), ["a", "c"]);
});

streamsTest("start, restart and stop answer the state", async (app) => {
  const post = async (action: string) => {
    const { status, json } = await app.api("POST", `/api/streams/a/${action}`);
    return [status, json.id, json.state];
  };
  assert.deepEqual(await post("start"), [200, "a", "running"]);
  assert.deepEqual(await post("restart"), [200, "a", "running"]);
  assert.deepEqual(await post("stop"), [200, "a", "stopped"]);
  assert.equal((await app.api("POST", "/api/streams/a/home")).status, 409, "it does not run");
});

/** The stream's status when nothing is under way. */
async function settled(app: TestApp, id: string) {
  await app.idle();
  return (await app.api("GET", "/api/streams/statuses")).json[id];
}

appTest("a recreation is accepted at once, and its progress is in the status", async (app) => {
  const { supervisord, broker } = app.machine;
  await app.create();
  const release = supervisord.block();
  const answer = await app.api("POST", "/api/streams/clock/recreate");
  assert.deepEqual([answer.status, answer.json.id, answer.json.state], [202, "clock", "starting"]);
  assert.match(answer.json.recreate.step, /^(waiting|stopping)$/);
  const emptied = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const { reset } = broker;
  broker.reset = async (id) => {
    begun.resolve();
    await emptied.promise;
    await reset.call(broker, id);
  };
  release();
  await begun.promise;
  const { json } = await app.api("GET", "/api/streams/statuses");
  assert.deepEqual([json.clock.state, json.clock.recreate], ["starting", { step: "emptying the profile" }]);
  emptied.resolve();
  const { state, recreate } = await settled(app, "clock");
  assert.deepEqual([state, recreate], ["running", undefined]);
  assert.equal((await app.api("POST", "/api/streams/none/recreate")).status, 404);
});

appTest("a recreation that fails half way is told, and leaves a stream that can be started", async (app) => {
  const { broker } = app.machine;
  await logged(async () => {
    for (const desiredState of ["running", "stopped"]) {
      const { id } = await app.create({ name: desiredState, desiredState });
      const { reset } = broker;
      broker.reset = () => Promise.reject(new Error("the disk is full"));
      assert.equal((await app.api("POST", `/api/streams/${id}/recreate`)).status, 202);
      const status = await settled(app, id);
      assert.deepEqual(status.recreate, { step: "failed", error: "the disk is full" });
      assert.equal(status.state, desiredState === "running" ? "failed" : "stopped");
      broker.reset = reset;
      const started = await app.api("POST", `/api/streams/${id}/start`);
      assert.deepEqual([started.status, started.json.state, started.json.recreate], [
        200,
        "running",
        undefined,
      ]);
    }
  });
});

appTest("a supervisor that does not answer is a 503: the streams' states are not known", async (app) => {
  await app.create({ desiredState: "stopped" });
  app.machine.programs = () => Promise.reject(new Error("supervisord did not answer in time"));
  app.machine.advance(3000); // the status cache
  for (const path of ["/api/streams/statuses", "/"]) {
    const answer = await app.fetch(`http://127.0.0.1:3000${path}`);
    assert.equal(answer.status, 503, path);
    assert.match(await answer.text(), /The supervisor does not answer/, path);
  }
  for (const command of ["start", "stop", "restart"]) {
    const { status, json } = await app.api("POST", `/api/streams/clock/${command}`);
    assert.equal(status, 503, command);
    assert.match(json.error.message, /The supervisor does not answer/, command);
  }
  assert.equal((await app.api("DELETE", "/api/streams/clock")).status, 503);
});

appTest("a supervisor that fails is a 503 that says what is done about it", async (app) => {
  await app.create({ desiredState: "stopped" });
  app.machine.supervisord.fail("no such file");
  await logged(async () => {
    const { status, json } = await app.api("POST", "/api/streams/clock/start");
    assert.equal(status, 503);
    assert.match(json.error.message, /no such file.*tries again/);
  });
});

streamsTest("the states name every stream, with its programs, and are not cached by anyone", async (app) => {
  await app.api("POST", "/api/streams/b/start");
  const { json, headers } = await app.api("GET", "/api/streams/statuses");
  assert.deepEqual(["a", "b", "c"].map((id) => json[id].state), ["stopped", "running", "stopped"]);
  const { programs } = json.b;
  assert.deepEqual(programs.map(({ name }: { name: string }) => name).slice(0, 4), [
    "display-b",
    "wm-b",
    "browser-b",
    "encoder-b",
  ]);
  assert.equal(headers.get("cache-control"), "no-store");
});

streamsTest(
  "a program that was given up makes its stream failed, in plain words and not its log's",
  async (app) => {
    await app.api("POST", "/api/streams/a/start");
    app.machine.supervisord.setState("encoder-a", "FATAL");
    await Deno.writeTextFile(`${app.paths.logsDir}/a/encoder.log`, "first\nConnection refused\n");
    app.machine.advance(3000); // the status cache
    const { json } = await app.api("GET", "/api/streams/statuses");
    assert.deepEqual([json.a.state, json.a.program], ["failed", "encoder"]);
    assert.equal(json.a.reason, "Encoder cannot be started.");
  },
);

appTest("the configuration that pages need is open, and nothing else of it", async (app) => {
  const { json } = await app.api("GET", "/api/config");
  assert.deepEqual(json, {
    DEFAULT_PURE_MODE: true,
    DEFAULT_OPEN_NEW_TAB: app.config.DEFAULT_OPEN_NEW_TAB,
    DEFAULT_RELOAD_CLIENT: app.config.DEFAULT_RELOAD_CLIENT,
    DEFAULT_RELOAD_CLIENT_TIME: app.config.DEFAULT_RELOAD_CLIENT_TIME,
  });
}, { env: { DEFAULT_PURE_MODE: "true" } });

streamsTest("a new order is answered, listed and on disk at once", async (app) => {
  const { status, json } = await reorder(app, ["c", "a", "b"]);
  assert.deepEqual([status, json], [200, { ids: ["c", "a", "b"] }]);
  assert.deepEqual(await order(app), ["c", "a", "b"]);
  const stored = JSON.parse(await Deno.readTextFile(app.paths.streamsFile));
  const positions = stored.map(({ id, order }: PublicStream) => `${id}${order}`);
  assert.deepEqual(positions, ["c0", "a1", "b2"]);
});

streamsTest("an order of other streams is a 409 with the current one, and changes nothing", async (app) => {
  for (const ids of [["c", "a"], ["c", "a", "b", "b"], ["c", "a", "../x"]]) {
    const { status, json } = await reorder(app, ids);
    assert.deepEqual([status, json.ids], [409, ["a", "b", "c"]], ids.join());
  }
  const { status, json } = await reorder(app, "c,a,b");
  assert.deepEqual([status, Object.keys(json.error.fields)], [400, ["ids"]]);
  assert.deepEqual(await order(app), ["a", "b", "c"]);
});

streamsTest("a new order restarts nothing", async (app) => {
  await app.api("POST", "/api/streams/a/start");
  app.machine.supervisord.commands();
  assert.equal((await reorder(app, ["c", "a", "b"])).status, 200);
  assert.deepEqual(app.machine.supervisord.commands(), []);
});

streamsTest("the version changes with order and settings, and with nothing else", async (app) => {
  const seen = [await version(app)];
  await reorder(app, ["a", "b", "c"]);
  await reorder(app, ["a", "b", "x"]);
  assert.equal(await version(app), seen[0]);
  await reorder(app, ["b", "a", "c"]);
  seen.push(await version(app));
  await app.api("PATCH", "/api/streams/a", { group: "Ops" });
  seen.push(await version(app));
  await reorder(app, ["a", "b", "c"]);
  seen.push(await version(app));
  assert.equal(new Set(seen).size, 4, seen.join());
});

streamsTest("while streams come and go, no order loses one and every answer is true", async (app) => {
  const work = Array.from({ length: 8 }, async (_, at) => {
    const { id } = await app.create({ name: `New ${at}`, desiredState: "stopped" });
    if (at % 2 === 0) assert.equal((await app.api("DELETE", `/api/streams/${id}`)).status, 204);
  });
  let isDone = false, changed = 0;
  const all = Promise.all(work).then(() => isDone = true);
  do {
    const wanted = (await order(app)).reverse();
    const { status, json } = await reorder(app, wanted);
    assert.ok(status === 200 || status === 409, String(status));
    if (status === 200) changed++, assert.deepEqual(json.ids, wanted);
  } while (!isDone || changed === 0); // those that come and go may be faster each time
  await all;
  const left = (await order(app)).toSorted();
  assert.deepEqual(left, ["a", "b", "c", "new-1", "new-3", "new-5", "new-7"]);
});

streamsTest("of two saves from one revision the later gets 409 with what is stored", async (app) => {
  const save = (name: string, revision: number) => app.api("PATCH", "/api/streams/a", { name, revision });
  const answers = await Promise.all([save("First", 0), save("Second", 0)]);
  const [won, lost] = answers.toSorted((one, two) => one.status - two.status);
  assert.deepEqual([won.status, lost.status, won.json.revision], [200, 409, 1]);
  assert.deepEqual(lost.json.current, won.json);
  assert.ok(!("pass" in lost.json.current) && lost.json.current.passSet);
  assert.match(lost.json.error.message, /changed meanwhile/);
  assert.equal((await save("Third", 1)).status, 200);
});

streamsTest("what changes no setting disturbs nobody who edits", async (app) => {
  await app.api("PATCH", "/api/streams/b", { name: "B", fps: "25" });
  await reorder(app, ["b", "c", "a"]);
  await app.api("POST", "/api/streams/b/stop");
  const { status, json } = await app.api("PATCH", "/api/streams/b", { group: "Ops", revision: 0 });
  assert.deepEqual([status, json.group, json.revision], [200, "Ops", 1]);
});

Deno.test("order and revisions survive the web app's restart, which shows in the version", async () => {
  await using dir = await tempDir("/dev/shm");
  const state = async (app: TestApp) => [await version(app), (await app.api("GET", "/api/streams")).json];
  const before = await (async () => {
    await using app = await testApp({ dir: dir.path });
    for (const name of ["A", "B"]) await app.create({ name, desiredState: "stopped" });
    await app.api("PATCH", "/api/streams/a", { fps: 5 });
    await reorder(app, ["b", "a"]);
    return await state(app);
  })();
  await using app = await testApp({ dir: dir.path });
  const after = await state(app);
  assert.deepEqual(after[1], before[1]);
  assert.notEqual(after[0], before[0]);
});

const LOCAL = "http://127.0.0.1:8000/";

appTest("a page of this machine is refused, when it is added and when a stream gets it", async (app) => {
  await app.create();
  for (const [method, path] of [["POST", "/api/streams"], ["PATCH", "/api/streams/clock"]]) {
    const { status, json } = await app.api(method, path, { name: "Local", url: LOCAL });
    assert.equal(status, 400);
    assert.match(json.error.fields.url, /ALLOW_LOCAL_STREAMS=true/);
  }
  assert.deepEqual((await app.api("GET", "/api/streams")).json.length, 1);
});

appTest("a page of this machine that is stored is not started, and says why", async (app) => {
  await app.service.streams.import({
    streams: [{ id: "local", name: "Local", url: LOCAL, desiredState: "stopped" }],
  });
  const { status, json } = await app.api("POST", "/api/streams/local/start");
  assert.equal(status, 409);
  assert.match(json.error.message, /ALLOW_LOCAL_STREAMS=true/);
});

appTest("with ALLOW_LOCAL_STREAMS a page of this machine is taken", async (app) => {
  assert.equal((await app.api("POST", "/api/streams", { name: "Local", url: LOCAL })).status, 201);
}, { env: { ALLOW_LOCAL_STREAMS: "true" } });

appTest("a stream's proxy is an address, without a login, and none of this machine", async (app) => {
  const body = { name: "Far", url: "https://far.example.org/" };
  for (
    const [proxy, problem] of [
      ["ftp://proxy", /Proxy: It must be an address such as http:/],
      ["http://me:secret@proxy:3128", /without a login/],
      ["http://localhost:3128", /on the machine that runs the service/],
      ["127.0.0.1:3000", /on the machine that runs the service/],
      ["http://169.254.169.254", /Cloud metadata/],
    ] as const
  ) {
    for (const [method, path] of [["POST", "/api/streams"], ["POST", "/api/streams/try"]]) {
      const { status, json } = await app.api(method, path, { ...body, proxy });
      assert.deepEqual([status, Object.keys(json.error.fields)], [400, ["proxy"]], `${path} ${proxy}`);
      assert.match(json.error.fields.proxy, problem);
    }
  }
  const { json: { id } } = await app.api("POST", "/api/streams", { ...body, proxy: " proxy.lan:3128 " });
  assert.equal((await app.api("GET", `/api/streams/${id}`)).json.proxy, "proxy.lan:3128");
});
