/** What open dashboards are told, over HTTP. */
import { strict as assert } from "node:assert";
import { VERSION } from "../../lib/machine/tools/version.ts";
import { appTest, sessionCookie } from "../support/app.ts";
import { FeedListener } from "../support/feed_listener.ts";

const QUICK = { isStarted: true, env: { TIMINGS: '{"statusCacheMs":1,"feed":{"roundMs":5}}' } };

appTest("who listens is told all states first, then what others do", async (app) => {
  await app.create({ desiredState: "stopped" });
  const answer = await app.fetch("/api/events");
  assert.equal(answer.headers.get("content-type"), "text/event-stream");
  await using listener = new FeedListener(answer);
  const { version, statuses } = await listener.until("state");
  assert.equal(version, app.service.streams.version());
  assert.deepEqual(statuses, (await app.api("GET", "/api/streams/statuses")).json);
  assert.equal((await app.api("POST", "/api/streams/clock/start")).status, 200);
  assert.equal((await listener.until("status")).id, "clock");
  const { json } = await app.api("PATCH", "/api/streams/clock", { name: "Other" });
  assert.equal(json.name, "Other");
  const newest = app.service.streams.version();
  while ((await listener.until("list")).version !== newest);
}, QUICK);

appTest("HEAD tells of the events without listening", async (app) => {
  const answer = await app.fetch("/api/events", { method: "HEAD" });
  assert.deepEqual([answer.status, await answer.text()], [200, ""]);
  const open = await app.fetch("/api/events");
  await open.body?.cancel();
  assert.deepEqual(Object.fromEntries(answer.headers), Object.fromEntries(open.headers));
  assert.equal(app.service.feed.listeners, 0);
});

appTest("with a login, events need a session, and end when everybody is logged out", async (app) => {
  const refused = await app.fetch("/api/events");
  assert.equal(refused.status, 401);
  await refused.body?.cancel();
  const headers = { cookie: sessionCookie(app.service) };
  await using listener = new FeedListener(await app.fetch("/api/events", { headers }));
  await listener.until("state");
  await app.service.logOutEverywhere();
  assert.equal(await listener.next(), undefined);
  assert.equal((await app.fetch("/api/events", { headers })).status, 401);
}, { env: { AUTH_USER: "anna", AUTH_PASS: "correct horse" } });

appTest("events end with the service, which lets nobody listen any more", async (app) => {
  await using listener = new FeedListener(await app.fetch("/api/events"));
  await listener.until("state");
  await app.service.stop();
  assert.equal(await listener.next(), undefined);
  const { status, json } = await app.api("GET", "/api/events");
  assert.deepEqual([status, json.error.message], [503, "The service is being stopped."]);
});

appTest("too many listeners of one address are asked to do without", async (app) => {
  await using _first = new FeedListener(await app.fetch("/api/events"));
  const { status, headers } = await app.api("GET", "/api/events");
  assert.deepEqual([status, headers.get("retry-after")], [503, "30"]);
}, { env: { TIMINGS: '{"feed":{"maxOfPeer":1}}' } });

const HEADER = "x-browser-stream-version";

appTest("answers of the API say the service's version, errors too; pages do not", async (app) => {
  const versionOf = async (path: string) => {
    const answer = await app.fetch(path);
    await answer.body?.cancel();
    return answer.headers.get(HEADER);
  };
  for (const path of ["/api/streams", "/api/streams/gone", "/api/nothing", "/api/openapi.json"]) {
    assert.equal(await versionOf(path), VERSION, path);
  }
  for (const path of ["/", "/playlist.m3u", "/healthz"]) assert.equal(await versionOf(path), null, path);
});

appTest("strangers are not told the version", async (app) => {
  const answer = await app.fetch("/api/streams");
  assert.deepEqual([answer.status, answer.headers.get(HEADER)], [401, null]);
  await answer.body?.cancel();
  assert.equal((await app.api("GET", "/api/streams")).headers.get(HEADER), VERSION);
}, { env: { AUTH_USER: "anna", AUTH_PASS: "correct horse" } });
