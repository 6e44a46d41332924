/** Streams with a weekly plan, over the API, by the clock of a fake machine. */
import { strict as assert } from "node:assert";
import { streamId } from "../../lib/model/id.ts";
import { appTest, type TestApp, testApp } from "../support/app.ts";
import { FakeClock } from "../support/fake_clock.ts";

const CLOCK = streamId("clock");
const MINUTE_MS = 60_000;

/** Ten minutes from now, on the Monday that a fake clock begins with, for an hour. */
const SOON = { plan: "Mon 12:10-13:10", planTimeZone: "UTC" };
const BEGINS = Date.UTC(2026, 0, 5, 12, 10);

function planTest(name: string, test: (app: TestApp, clock: FakeClock) => Promise<void>): void {
  Deno.test(name, async () => {
    using clock = new FakeClock();
    await using app = await testApp({ env: { TIMINGS: '{"statusCacheMs":1}' } });
    await test(app, clock);
  });
}

const statusOf = async (app: TestApp) => (await app.api("GET", "/api/streams/statuses")).json.clock;

async function eventsOf(app: TestApp): Promise<string[]> {
  const { json } = await app.api("GET", "/api/streams/clock/events");
  return json.events.map(({ text }: { text: string }) => text);
}

/** Lets minutes go by, and waits for what that brings about. */
async function wait(app: TestApp, clock: FakeClock, minutes: number): Promise<void> {
  await clock.advance(minutes * MINUTE_MS);
  app.service.fleet.tick();
  await app.service.fleet.get(CLOCK).work.retry();
}

planTest(
  "a stream with a plan is started at its time and stopped after it, and says when it returns",
  async (app, clock) => {
    const { supervisord } = app.machine;
    await app.create(SOON);
    app.service.fleet.tick();
    const status = await statusOf(app);
    assert.deepEqual([status.state, supervisord.commands()], ["planned", []]);
    assert.equal(status.returnsAt, BEGINS);
    for (const command of ["start", "restart"]) {
      assert.equal((await app.api("POST", `/api/streams/clock/${command}`)).json.state, "planned", command);
    }

    await wait(app, clock, 10);
    const on = await statusOf(app);
    assert.deepEqual([on.state !== "planned", on.changesAt], [true, BEGINS + 60 * MINUTE_MS]);
    assert.ok(supervisord.commands().some((command) => command.startsWith("start stream-clock")));
    await wait(app, clock, 60);
    const after = await statusOf(app);
    assert.deepEqual([after.state, after.returnsAt], ["planned", BEGINS + 7 * 24 * 60 * MINUTE_MS]);
    assert.ok(supervisord.commands().some((command) => command.startsWith("stop stream-clock")));
    const events = await eventsOf(app);
    for (const text of ["On the air, by its plan.", "Started.", "Off the air, by its plan."]) {
      assert.equal(events.filter((one) => one === text).length, 1, text);
    }
  },
);

planTest("a changed plan counts at once, and a stopped stream stays stopped", async (app, clock) => {
  await app.create(SOON);
  const patch = async (fields: Record<string, unknown>) =>
    assert.equal((await app.api("PATCH", "/api/streams/clock", fields)).status, 200);
  await patch({ plan: "daily 00:00-24:00" });
  const always = await statusOf(app);
  assert.deepEqual([always.state !== "planned", always.changesAt], [true, undefined]);
  await patch(SOON);
  assert.equal((await statusOf(app)).state, "planned");
  app.service.fleet.tick();
  await patch({ plan: "daily 00:00-24:00" });
  app.service.fleet.tick();
  assert.ok(!(await eventsOf(app)).includes("On the air, by its plan."), "it was a person");
  await patch(SOON);
  await app.api("POST", "/api/streams/clock/stop");
  assert.deepEqual(Object.keys(await statusOf(app)).includes("returnsAt"), false);
  await wait(app, clock, 20);
  assert.equal((await statusOf(app)).state, "stopped");
});

planTest(
  "off the air by its plan, it is told to Prometheus and players, fails nothing, and shows nothing",
  async (app) => {
    await app.create(SOON);
    const metrics = await (await app.fetch("/metrics")).text();
    assert.match(metrics, /^browserstream_streams\{state="planned"\} 1$/m);
    const { json: [channel] } = await app.api("GET", "/api/channels");
    assert.equal(channel.state, "planned");
    assert.equal((await app.fetch("/api/streams/clock/thumb")).status, 404);
    assert.equal((await app.fetch("/healthz")).status, 200);
    assert.match(await (await app.fetch("/")).text(), /class="chip is-planned"/);
  },
);

appTest("what is wrong with pages and plans is said at their fields, in words", async (app) => {
  const { status, json } = await app.api("POST", "/api/streams", {
    name: "A",
    url: "https://a.example/",
    morePages: "https://b.example/ 3",
    pageSeconds: 2,
    plan: "Mon 8-10",
    planTimeZone: "Mars",
  });
  assert.equal(status, 400);
  assert.match(json.error.fields.morePages, /^More pages: line 1: After the address come the seconds/);
  assert.match(json.error.fields.pageSeconds, /from 5 to 86400/);
  assert.match(json.error.fields.plan, /^The plan: line 1: "8" is not a time of the day/);
  assert.match(json.error.fields.planTimeZone, /Europe\/Berlin/);
});

appTest("a wall is shown alone: its browser reaches nothing else", async (app) => {
  const url = "http://wall.browser-stream.alt/wall?layout=lobby";
  const other = "https://a.example/";
  for (const [field, value] of [["morePages", other], ["plan", `daily 00:00-24:00 ${other}`]]) {
    const { status, json } = await app.api("POST", "/api/streams", { name: "Wall", url, [field]: value });
    assert.equal(status, 400, field);
    assert.match(json.error.fields[field], /shows a wall, and no other page/);
  }
  await app.create({ morePages: other });
  const { json } = await app.api("PATCH", "/api/streams/clock", { url });
  assert.match(json.error.fields.morePages, /shows a wall/);
  const plain = await app.api("PATCH", "/api/streams/clock", { url, morePages: "", plan: "Mon 08:00-09:00" });
  assert.equal(plain.status, 200, JSON.stringify(plain.json));
});

appTest("other pages must not be where the stream's own must not be", async (app) => {
  for (
    const [field, value] of [["morePages", "127.0.0.1:9 20"], ["plan", "daily 00:00-24:00 http://[::1]/"]]
  ) {
    const { status, json } = await app.api("POST", "/api/streams", {
      name: "A",
      url: "https://a.example/",
      [field]: value,
    });
    assert.equal(status, 400, field);
    assert.match(json.error.fields[field], /^http:\/\/(127\.0\.0\.1:9|\[::1\]\/): /);
  }
});
