/** What happened to a stream, over HTTP. */
import { strict as assert } from "node:assert";
import { appTest, type TestApp, testApp } from "../support/app.ts";
import type { EventPart } from "../../lib/model/answers/shapes.ts";

async function read(app: TestApp, query = ""): Promise<EventPart> {
  const { status, headers, json } = await app.api("GET", `/api/streams/clock/events${query}`);
  assert.deepEqual([status, headers.get("cache-control")], [200, "no-store"]);
  return json;
}

const told = async (app: TestApp) => (await read(app)).events.map(({ kind, text }) => `${kind}: ${text}`);

appTest("what people do to a stream is among its events", async (app) => {
  await app.create({ user: "ops", pass: "s3cret" });
  await app.api("PATCH", "/api/streams/clock", { fps: 12, pass: "n3w-s3cret" });
  await app.api("PATCH", "/api/streams/clock", { fps: 12 });
  await app.api("POST", "/api/streams/clock/restart");
  await app.api("POST", "/api/streams/clock/recreate");
  await app.api("POST", "/api/streams/clock/stop");
  await app.api("POST", "/api/streams/clock/stop");
  const all = await told(app);
  assert.deepEqual(all, [
    "stream: Created.",
    "stream: Started.",
    "stream: Settings changed: Password; Frames per second.",
    "program: Restarted, since the settings changed: Browser, Encoder, Sign-in.",
    "stream: Restarted on request.",
    "stream: Started.",
    "profile: The browser's profile was emptied. The page is signed out.",
    "stream: Started.",
    "stream: Stopped.",
  ]);
});

appTest("who asks again gets only what came since", async (app) => {
  await app.create();
  const { events, next } = await read(app);
  assert.equal(events.length, 2);
  assert.deepEqual(await read(app, `?after=${next}`), { events: [], next });
  app.service.events.add(app.service.streams.get("clock", "admin").id, "page", "Opened.");
  const news = await read(app, `?after=${next}`);
  assert.deepEqual(news.events.map(({ text, count }) => [text, count]), [["Opened.", 1]]);
  assert.deepEqual(await read(app, `?after=${news.next}`), { events: [], next: news.next });
});

appTest("a stream that cannot be started says why, once", async (app) => {
  await app.create({ desiredState: "stopped" });
  app.machine.network.resolve = () => Promise.resolve(["127.0.0.1"]);
  for (let n = 0; n < 3; n++) await app.api("POST", "/api/streams/clock/start");
  const { events } = await read(app);
  const [{ text, level, count }, ...more] = events.slice(1);
  assert.deepEqual([level, count, more], ["error", 3, []]);
  assert.match(text, /^Could not be started: .*ALLOW_LOCAL_STREAMS/);
});

appTest("an offset that no answer gave is a 400, and a stream that there is not a 404", async (app) => {
  await app.create();
  const { status, json } = await app.api("GET", "/api/streams/clock/events?after=x");
  assert.deepEqual([status, Object.keys(json.error.fields)], [400, ["after"]]);
  assert.equal((await app.api("GET", "/api/streams/nobody/events")).status, 404);
});

appTest("a stream's events go with it, and a later one of its name begins anew", async (app) => {
  await app.create();
  await app.api("DELETE", "/api/streams/clock");
  assert.equal((await app.api("GET", "/api/streams/clock/events")).status, 404);
  await app.create({ desiredState: "stopped" });
  assert.deepEqual(await told(app), ["stream: Created."]);
});

Deno.test("events survive a restart of the web app", async () => {
  await using first = await testApp();
  await first.create();
  await first.service.stop();
  await using second = await testApp({ dir: first.dir });
  assert.deepEqual((await told(second)).slice(0, 2), ["stream: Created.", "stream: Started."]);
});
