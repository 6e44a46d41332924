/** Streams with a weekly plan, over the API, by the clock of a fake machine. */
import { strict as assert } from "node:assert";
import { streamId } from "../../lib/streams/id.ts";
import { appTest, type TestApp } from "../support/app.ts";

const CLOCK = streamId("clock");
const MINUTE_MS = 60_000;

/** A plan in UTC that is on for an hour, beginning in so many minutes. */
function hourIn(app: TestApp, minutes: number, now = app.machine.now()): string {
  const day = (at: number) => ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][new Date(at).getUTCDay()];
  const time = (at: number) => new Date(at).toISOString().slice(11, 16);
  const from = now + minutes * MINUTE_MS;
  return `${day(from)} ${time(from)}-${time(from + 60 * MINUTE_MS).replace("00:00", "24:00")}`;
}

const statusOf = async (app: TestApp) => (await app.api("GET", "/api/streams/statuses")).json.clock;

async function eventsOf(app: TestApp): Promise<string[]> {
  const { json } = await app.api("GET", "/api/streams/clock/events");
  return json.events.map(({ text }: { text: string }) => text);
}

/** Lets minutes go by, and waits for what that brings about. */
async function wait(app: TestApp, minutes: number): Promise<void> {
  app.machine.advance(minutes * MINUTE_MS);
  app.service.plans.round();
  await app.service.reconciler.retry(CLOCK);
}

const TIMINGS = '{"statusCacheMs":1}';

appTest(
  "a stream with a plan is started at its time and stopped after it, and says when it returns",
  async (app) => {
    const { supervisord } = app.machine;
    const now = app.machine.now();
    await app.create({ plan: hourIn(app, 10, now), planTimeZone: "UTC" });
    app.service.plans.round();
    const status = await statusOf(app);
    assert.deepEqual([status.state, supervisord.commands()], ["planned", []]);
    const begins = Math.floor(now / MINUTE_MS) + 10;
    assert.equal(status.returnsAt, begins * MINUTE_MS);
    for (const command of ["start", "restart"]) {
      assert.equal((await app.api("POST", `/api/streams/clock/${command}`)).json.state, "planned", command);
    }

    await wait(app, 10);
    assert.ok((await statusOf(app)).state !== "planned");
    assert.ok(supervisord.commands().some((command) => command.startsWith("start stream-clock")));
    await wait(app, 60);
    const after = await statusOf(app);
    assert.deepEqual([after.state, after.returnsAt], ["planned", (begins + 7 * 24 * 60) * MINUTE_MS]);
    assert.ok(supervisord.commands().some((command) => command.startsWith("stop stream-clock")));
    const events = await eventsOf(app);
    for (const text of ["On the air, by its plan.", "Started.", "Off the air, by its plan."]) {
      assert.equal(events.filter((one) => one === text).length, 1, text);
    }
  },
  { env: { TIMINGS } },
);

appTest("a changed plan counts at once, and a stopped stream stays stopped", async (app) => {
  await app.create({ plan: hourIn(app, 10), planTimeZone: "UTC" });
  const patch = async (fields: Record<string, unknown>) =>
    assert.equal((await app.api("PATCH", "/api/streams/clock", fields)).status, 200);
  await patch({ plan: "daily 00:00-24:00" });
  assert.ok((await statusOf(app)).state !== "planned");
  await patch({ plan: hourIn(app, 10) });
  assert.equal((await statusOf(app)).state, "planned");
  app.service.plans.round();
  await patch({ plan: "daily 00:00-24:00" });
  app.service.plans.round();
  assert.ok(!(await eventsOf(app)).includes("On the air, by its plan."), "it was a person");
  await patch({ plan: hourIn(app, 10) });
  await app.api("POST", "/api/streams/clock/stop");
  assert.deepEqual(Object.keys(await statusOf(app)).includes("returnsAt"), false);
  await wait(app, 20);
  assert.equal((await statusOf(app)).state, "stopped");
}, { env: { TIMINGS } });

appTest(
  "off the air by its plan, it is told to Prometheus and players, fails nothing, and shows nothing",
  async (app) => {
    await app.create({ plan: hourIn(app, 10), planTimeZone: "UTC" });
    const metrics = await (await app.fetch("/metrics")).text();
    assert.match(metrics, /^browserstream_streams\{state="planned"\} 1$/m);
    const { json: [channel] } = await app.api("GET", "/api/channels");
    assert.equal(channel.state, "planned");
    assert.equal((await app.fetch("/api/streams/clock/thumb")).status, 404);
    assert.equal((await app.fetch("/healthz")).status, 200);
    assert.match(await (await app.fetch("/")).text(), /class="chip is-planned"/);
  },
  { env: { TIMINGS } },
);

appTest("what is wrong with pages and plans is said at their fields, in words", async (app) => {
  const { status, json } = await app.api("POST", "/api/streams", {
    ...{ name: "A", url: "https://a.example/" },
    ...{ morePages: "https://b.example/ 3", pageSeconds: 2, plan: "Mon 8-10", planTimeZone: "Mars" },
  });
  assert.equal(status, 400);
  assert.match(json.error.fields.morePages, /^More pages: line 1: After the address come the seconds/);
  assert.match(json.error.fields.pageSeconds, /from 5 to 86400/);
  assert.match(json.error.fields.plan, /^The plan: line 1: "8" is no time of the day/);
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
      ...{ name: "A", url: "https://a.example/" },
      [field]: value,
    });
    assert.equal(status, 400, field);
    assert.match(json.error.fields[field], /^http:\/\/(127\.0\.0\.1:9|\[::1\]\/): /);
  }
});
