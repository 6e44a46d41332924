/** A planned stream that a person puts on the air, or stops, for a time; over the API, by the clock of a fake machine. */
import { strict as assert } from "node:assert";
import { streamId } from "../../lib/model/id.ts";
import { appTest, type TestApp, testApp } from "../support/app.ts";
import { FakeClock } from "../support/fake_clock.ts";

const CLOCK = streamId("clock");
const MINUTE_MS = 60_000;
/** A fake clock begins on Monday 2026-01-05 at 12:00 UTC. */
const NOON = Date.UTC(2026, 0, 5, 12);
const LATER = { plan: "Mon 14:00-16:00", planTimeZone: "UTC" };
const NOW = { plan: "Mon 11:00-13:00", planTimeZone: "UTC" };
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;

function overrideTest(name: string, test: (app: TestApp, clock: FakeClock) => Promise<void>): void {
  Deno.test(name, async () => {
    using clock = new FakeClock();
    await using app = await testApp({ env: { TIMINGS: '{"statusCacheMs":1}' } });
    await test(app, clock);
  });
}

const statusOf = async (app: TestApp) => (await app.api("GET", "/api/streams/statuses")).json.clock;
const storedOf = async (app: TestApp) => (await app.api("GET", "/api/streams/clock")).json;
const post = (app: TestApp, command: string) => app.api("POST", `/api/streams/clock/${command}`);

async function wait(app: TestApp, clock: FakeClock, minutes: number): Promise<void> {
  await clock.advance(minutes * MINUTE_MS);
  app.service.fleet.tick();
  await app.service.fleet.get(CLOCK).work.retry();
}

overrideTest(
  "on the air now for an hour: it is started, and its plan has it off again after it",
  async (app, clock) => {
    await app.create(LATER);
    app.service.fleet.tick();
    assert.equal((await statusOf(app)).nextTimeAt, NOON + 120 * MINUTE_MS);
    const { status, json } = await post(app, "start?minutes=60");
    assert.equal(status, 200, JSON.stringify(json));
    const on = await statusOf(app);
    assert.deepEqual([on.state !== "planned", on.changesAt], [true, NOON + 60 * MINUTE_MS]);
    assert.deepEqual((await storedOf(app)).planOverride, { onAir: true, until: NOON + 60 * MINUTE_MS });
    assert.ok(app.service.fleet.get(CLOCK).spec, "its programs run");
    // a start of the service finds it in the stored list
    const [stored] = JSON.parse(await Deno.readTextFile(app.paths.streamsFile));
    assert.deepEqual(stored.planOverride, { onAir: true, until: NOON + 60 * MINUTE_MS });
    await post(app, "restart");
    assert.ok((await storedOf(app)).planOverride, "a restart leaves it on the air");

    await wait(app, clock, 60);
    const off = await statusOf(app);
    assert.deepEqual([off.state, off.returnsAt], ["planned", NOON + 120 * MINUTE_MS]);
    await wait(app, clock, 60);
    assert.notEqual((await statusOf(app)).state, "planned", "its plan goes on");
    const { json: { events } } = await app.api("GET", "/api/streams/clock/events");
    assert.ok(events.some(({ text }: { text: string }) => text === "On the air for 60 min, on request."));
  },
);

overrideTest(
  "stopped until the next time: its plan starts it then, and a start before puts it back",
  async (app, clock) => {
    await app.create(NOW);
    app.service.fleet.tick();
    const stopped = await post(app, "stop?until=next");
    assert.deepEqual([stopped.json.state, stopped.json.returnsAt], [
      "planned",
      NOON - 60 * MINUTE_MS + WEEK_MS,
    ]);
    const { desiredState, planOverride } = await storedOf(app);
    assert.deepEqual([desiredState, planOverride.onAir], ["running", false]);
    assert.equal(app.service.fleet.get(CLOCK).spec, null);
    await wait(app, clock, 5);
    assert.equal((await statusOf(app)).state, "planned", "although its plan has it on");
    assert.notEqual((await post(app, "start")).json.state, "planned");
    assert.equal((await storedOf(app)).planOverride, undefined);

    await post(app, "stop?until=next");
    await wait(app, clock, 7 * 24 * 60 - 60);
    assert.notEqual((await statusOf(app)).state, "planned", "the next Monday");
    // the plan is off: it stays stopped
    assert.equal((await post(app, "stop")).json.state, "stopped");
    assert.equal((await storedOf(app)).planOverride, undefined);
    assert.equal((await statusOf(app)).nextTimeAt, undefined);
  },
);

overrideTest("until the plan's next time it is on the air without a gap", async (app, clock) => {
  await app.create(LATER);
  const { json } = await post(app, "start?until=next");
  assert.equal(json.changesAt, NOON + 240 * MINUTE_MS);
  await wait(app, clock, 119);
  const { spec } = app.service.fleet.get(CLOCK);
  await wait(app, clock, 2);
  assert.equal(app.service.fleet.get(CLOCK).spec?.steadyStart, spec?.steadyStart, "nothing was restarted");
});

Deno.test("a restart of the service keeps what was wanted for a time, and its plan goes on after it", async () => {
  const env = { TIMINGS: '{"statusCacheMs":1}' };
  using clock = new FakeClock();
  await using before = await testApp({ env });
  await before.create(LATER);
  await before.create({ ...NOW, name: "Wall" });
  await post(before, "start?minutes=60");
  await before.api("POST", "/api/streams/wall/stop?until=next");
  await before.service.stop();

  await using app = await testApp({ env, dir: before.dir });
  await app.service.fleet.restore();
  const runs = (id: string) => app.service.fleet.get(streamId(id)).spec !== null;
  assert.deepEqual([runs("clock"), runs("wall")], [true, false], "although its plan has it off, and on");
  assert.equal((await statusOf(app)).changesAt, NOON + 60 * MINUTE_MS);
  await wait(app, clock, 60);
  const { state, returnsAt } = await statusOf(app);
  assert.deepEqual([state, returnsAt, runs("clock")], ["planned", NOON + 120 * MINUTE_MS, false]);
});

appTest("what cannot be asked for is refused at its parameter, and nobody sets it in a body", async (app) => {
  await app.create(LATER);
  for (
    const [command, field, problem] of [
      ["start?minutes=0", "minutes", /whole number from 1 to 10080\. Example: \?minutes=60/],
      ["start?minutes=soon", "minutes", /Example/],
      ["start?until=later", "until", /Example: \?until=next/],
      ["start?until=next&minutes=5", "until", /alone/],
      ["stop?minutes=5", "minutes", /A stop takes no minutes/],
    ] as const
  ) {
    const { status, json } = await post(app, command);
    assert.equal(status, 400, command);
    assert.match(json.error.fields[field], problem, command);
  }
  const planOverride = { onAir: true, until: NOON + 1e12 };
  await app.api("PATCH", "/api/streams/clock", { planOverride });
  assert.equal((await storedOf(app)).planOverride, undefined);
  await post(app, "start?minutes=60");
  await app.api("PATCH", "/api/streams/clock", { plan: "" });
  assert.equal((await storedOf(app)).planOverride, undefined, "a changed plan counts at once");
  const without = await post(app, "start?minutes=60");
  assert.match(without.json.error.fields.minutes, /has no plan/);
  await app.api("PATCH", "/api/streams/clock", { plan: "daily 00:00-24:00" });
  assert.match((await post(app, "stop?until=next")).json.error.fields.until, /no other time/);
});

appTest(
  "a plan with dates goes through export and import, and what is wanted for a time does not",
  async (app) => {
    await app.create({ plan: "2026-12-01..2026-12-24 Mon-Fri 8:00-18:00" });
    await post(app, "start?minutes=60");
    const { json: list } = await app.api("GET", "/api/streams/export");
    const [exported] = list.streams;
    assert.equal(exported.plan, "2026-12-01..2026-12-24 Mon-Fri 08:00-18:00");
    await app.api("DELETE", "/api/streams/clock");
    const { status, json } = await app.api("POST", "/api/streams/import", list);
    assert.equal(status, 200, JSON.stringify(json));
    const stored = await storedOf(app);
    assert.deepEqual([stored.plan, stored.planOverride], [exported.plan, undefined]);
    const bad = await app.api("PATCH", "/api/streams/clock", { plan: "2026-12-32 Mon 08:00-09:00" });
    assert.match(bad.json.error.fields.plan, /^The plan: line 1: "2026-12-32" is not a day\. Example/);
  },
);

overrideTest(
  "so many stops for a time wait for the work under way, and those after them are refused",
  async (app) => {
    await app.create(NOW);
    app.service.fleet.tick();
    const release = app.machine.supervisord.block();
    const answers = Array.from({ length: 60 }, () => post(app, "stop?until=next"));
    const stopped = post(app, "stop");
    release();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    assert.equal((await stopped).status, 200, "a stop for good is done still");
    assert.ok(statuses.filter((status) => status === 503).length >= 30, statuses.join());
    assert.ok(statuses.includes(200), statuses.join());
  },
);
