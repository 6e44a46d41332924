/** Starts that the machine has no room for, over HTTP. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import type { PublicStream } from "../../lib/model/schema.ts";
import { appTest, type TestApp } from "../support/app.ts";
import { logged } from "../support/logged.ts";

const CHECKED = { env: { CAPACITY_CHECK: "on" } };

/** A machine whose memory is nearly used up. */
function fill(app: TestApp): void {
  app.machine.load = () =>
    Promise.resolve({
      cores: 2,
      processors: 2,
      machineCores: 2,
      machineBytes: 8e9,
      tasks: null,
      load: [0, 0, 0],
      memory: { totalBytes: 8e9, availableBytes: 2e8 },
    });
}

appTest("a start without room is refused with reason and figures, and done when forced", async (app) => {
  await app.create({ desiredState: "stopped" });
  fill(app);
  for (const command of ["start", "restart"]) {
    const { status, json } = await app.api("POST", `/api/streams/clock/${command}`);
    assert.equal(status, 409);
    const reason = "191 MiB of memory are left, and this one would take about 10 % of a CPU core and 310 MiB";
    const short = "191 MiB of memory free";
    assert.deepEqual(json.capacity, { reason, short, cpuPercent: 10, mebibytes: 310, measured: 0 });
    assert.match(json.error.message, /^“Clock” was not started: 191 MiB .* or start it anyway\.$/);
  }
  const edit = await app.api("PATCH", "/api/streams/clock", { desiredState: "running" });
  assert.equal(edit.status, 409);
  assert.equal((await app.api("GET", "/api/streams/clock")).json.desiredState, "stopped");
  assert.equal((await app.api("POST", "/api/streams/clock/start?force=true")).status, 200);
  const { json: { events } } = await app.api("GET", "/api/streams/clock/events");
  const texts = events.map(({ level, text }: { level: string; text: string }) => `${level}: ${text}`);
  assert.ok(
    texts.some((text: string) => /^warn: Started on request, although 191 MiB/.test(text)),
    texts.join(),
  );
  assert.equal((await app.api("POST", "/api/streams/clock/start")).status, 200, "what runs is let run");
  assert.equal((await app.api("POST", "/api/streams/clock/restart")).status, 200);
}, CHECKED);

appTest(
  "a start that waits says so, and happens when there is room, in the order of the cards",
  async (app) => {
    const enough = app.machine.load;
    const status = async (id: string) => (await app.api("GET", `/api/streams/statuses?id=${id}`)).json[id];
    await app.create({ desiredState: "stopped" });
    await app.create({ name: "Sales", desiredState: "stopped" });
    fill(app);
    const started = await app.api("POST", "/api/streams/clock/start?wait=true");
    assert.deepEqual([started.status, started.json.state, started.json.noRoom], [
      200,
      "stopped",
      "191 MiB of memory free",
    ]);
    await app.api("POST", "/api/streams/sales/start?wait=true");
    const made = await app.api("POST", "/api/streams?wait=true", {
      name: "Made",
      url: "https://clock.example.org/",
    });
    assert.deepEqual([made.status, made.json.desiredState], [201, "stopped"]);
    await app.service.streams.startWaiting();
    for (const id of ["clock", "sales", "made"]) {
      assert.equal(
        (await status(id)).noRoom,
        "191 MiB of memory free",
      );
    }
    await app.api("PATCH", "/api/streams/clock", { name: "Wall clock" });
    assert.ok((await status("clock")).noRoom, "other changes leave it waiting");
    await app.api("POST", "/api/streams/sales/stop");
    assert.equal((await status("sales")).noRoom, undefined, "a stop ends the wait");
    app.machine.load = enough;
    await app.service.streams.startWaiting();
    const states = async () =>
      (await app.api("GET", "/api/streams")).json.map((one: PublicStream) => one.desiredState);
    assert.deepEqual(await states(), ["running", "stopped", "stopped"], "the next one is judged with it");
    await app.service.streams.startWaiting();
    await app.service.streams.startWaiting();
    assert.deepEqual(await states(), ["running", "stopped", "running"]);
    const { json: { events } } = await app.api("GET", "/api/streams/clock/events");
    const texts = events.map(({ text }: { text: string }) => text);
    for (
      const text of [
        "The stream waits for room: 191 MiB of memory free. It starts by itself when there is room.",
        "Started because there is room now.",
      ]
    ) {
      assert.equal(texts.filter((one: string) => one === text).length, 1, texts.join());
    }
    assert.equal((await app.api("GET", "/api/streams/statuses?id=none")).status, 404);
  },
  CHECKED,
);

appTest("a forced start that cannot be stored is told to nobody", async (app) => {
  await app.create({ desiredState: "stopped" });
  fill(app);
  await Deno.remove(app.paths.streamsFile);
  await Deno.mkdir(join(app.paths.streamsFile, "in the way"), { recursive: true });
  await logged(async () => {
    const { status } = await app.api("PATCH", "/api/streams/clock?force=true", { desiredState: "running" });
    assert.equal(status, 500);
  });
  const { json: { events } } = await app.api("GET", "/api/streams/clock/events");
  assert.deepEqual(events.map(({ text }: { text: string }) => text), ["Created."]);
}, CHECKED);

appTest("a new stream without room is not made, unless it is stopped or forced", async (app) => {
  fill(app);
  const body = { name: "Clock", url: "https://clock.example.org/" };
  const refused = await app.api("POST", "/api/streams", body);
  assert.deepEqual([refused.status, refused.json.capacity.measured], [409, 0]);
  assert.deepEqual((await app.api("GET", "/api/streams")).json, []);
  assert.equal((await app.api("POST", "/api/streams", { ...body, desiredState: "stopped" })).status, 201);
  assert.equal((await app.api("POST", "/api/streams?force=true", body)).status, 201);
}, CHECKED);

appTest("an import without room is not done, unless its streams are stopped or it is forced", async (app) => {
  fill(app);
  const list = [{ name: "A", url: "https://clock.example.org/" }, {
    name: "B",
    url: "https://b.example.org/",
  }];
  const refused = await app.api("POST", "/api/streams/import", list);
  assert.deepEqual([refused.status, refused.json.capacity.measured], [409, 0]);
  assert.match(
    refused.json.error.message,
    /^Nothing was imported: 2 streams would start, and there is room for 0: 191 MiB of memory are left/,
  );
  assert.deepEqual((await app.api("GET", "/api/streams")).json, []);
  const stopped = list.map((stream) => ({ ...stream, desiredState: "stopped" }));
  assert.equal(
    (await app.api("POST", "/api/streams/import?preview", list)).status,
    200,
    "a preview starts none",
  );
  assert.equal((await app.api("POST", "/api/streams/import", stopped)).status, 200);
  const forced = await app.api("POST", "/api/streams/import?force=true", [{ ...list[0], name: "C" }]);
  assert.equal(forced.status, 200);
  const { json: { events } } = await app.api("GET", "/api/streams/c/events");
  assert.match(
    events.map(({ text }: { text: string }) => text).join(),
    /Started on request, although 191 MiB/,
  );
}, CHECKED);

appTest("MAX_STREAMS limits what runs: one by one, all at once, and by an import", async (app) => {
  for (const name of ["A", "B", "C"]) await app.create({ name, desiredState: "stopped" });
  const starts = await Promise.all(["a", "b", "c"].map((id) => app.api("POST", `/api/streams/${id}/start`)));
  assert.deepEqual(starts.map(({ status }) => status).sort(), [200, 200, 409]);
  assert.equal((await app.api("GET", "/api/system")).json.noRoom, "MAX_STREAMS is 2");
  const list = [{ name: "D", url: "https://clock.example.org/" }];
  assert.equal((await app.api("POST", "/api/streams/import", list)).status, 409);
  assert.equal(
    (await app.api("POST", "/api/streams/import", [{ ...list[0], desiredState: "stopped" }])).status,
    200,
  );
}, { env: { MAX_STREAMS: "2" } });
