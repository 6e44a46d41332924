import { strict as assert } from "node:assert";
import { Feed } from "../../../lib/reports/feed.ts";
import { ServiceError } from "../../../lib/errors.ts";
import type { Role } from "../../../lib/role.ts";
import { DEFAULT_TIMINGS } from "../../../lib/timings.ts";
import { FeedListener } from "../../support/feed_listener.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import type { StreamStatus } from "../../../lib/model/answers/shapes.ts";

const LIMITS = DEFAULT_TIMINGS.feed;

function aStatus(id: string, more: Partial<StreamStatus> = {}): StreamStatus {
  return {
    id,
    state: "running",
    programs: [{ name: "encoder", state: "RUNNING", pid: 7, uptime: 1 }],
    ...more,
  };
}

/** A feed over statuses that the test changes. */
function aFeed(limits: Partial<typeof LIMITS> = {}) {
  const world = {
    statuses: { a: aStatus("a"), b: aStatus("b") } as Record<string, StreamStatus>,
    version: "v1",
    asked: 0,
  };
  const feed = new Feed({
    statuses: () => {
      world.asked++;
      return Promise.resolve({ ...world.statuses });
    },
    version: () => world.version,
    silentMs: () => 0,
    limits: { ...LIMITS, ...limits },
  });
  const listen = async (client = "192.0.2.1", role: Role = "operator") =>
    new FeedListener(await feed.open({ client, role, holds: () => true, connection: null }));
  return { world, feed, listen };
}

Deno.test("the feed begins with all there is, then tells what changes, and nothing else", async () => {
  const { world, feed, listen } = aFeed();
  await using listener = await listen();
  const first = await listener.next();
  assert.deepEqual(first, { name: "state", data: { version: "v1", statuses: world.statuses } });
  world.statuses.a = aStatus("a", { programs: [{ name: "encoder", state: "RUNNING", pid: 7, uptime: 4 }] });
  await feed.round(); // that time goes by is no news
  world.statuses.b = aStatus("b", { state: "degraded", reason: "No new picture." });
  await feed.round();
  assert.deepEqual(await listener.next(), { name: "status", data: world.statuses.b });
  world.statuses.a = aStatus("a", { thumbAt: 5 });
  await feed.round();
  assert.deepEqual(await listener.next(), { name: "thumbnail", data: { id: "a", thumbAt: 5 } });
  world.version = "v2";
  delete world.statuses.b;
  await feed.round();
  assert.deepEqual(await listener.next(), { name: "list", data: { version: "v2" } });
  await feed.stop();
  assert.equal(await listener.next(), undefined);
});

Deno.test("a viewer is told of the next page the server, at first and as it changes", async () => {
  const { world, feed, listen } = aFeed();
  const next = (path: string) => aStatus("a", { nextPage: { url: `https://x.example/${path}`, at: 1 } });
  world.statuses = { a: next("first") };
  await using viewer = await listen("192.0.2.1", "viewer");
  await using operator = await listen("192.0.2.1", "operator");
  const first = async (listener: FeedListener) => (await listener.until("state")).statuses.a.nextPage!.url;
  assert.deepEqual(await first(viewer), "https://x.example/");
  assert.deepEqual(await first(operator), "https://x.example/first");
  world.statuses = { a: next("second") };
  await feed.round();
  const later = async (listener: FeedListener) => (await listener.until("status")).nextPage!.url;
  assert.deepEqual(await later(operator), "https://x.example/second");
  await feed.stop();
});

Deno.test("what another node has told is looked at once, until it tells it anew", async () => {
  const { world, feed, listen } = aFeed();
  let looks = 0;
  const told = (more: Partial<StreamStatus> = {}): StreamStatus => {
    const status = aStatus("a", more);
    const value = () => {
      looks++;
      return { ...status };
    };
    return Object.defineProperty(status, "toJSON", { value });
  };
  world.statuses.a = told();
  await using listener = await listen();
  await listener.next();
  for (let round = 0; round < 5; round++) await feed.round();
  assert.equal(looks, 1);
  world.statuses.a = told({ state: "failed" });
  await feed.round();
  assert.deepEqual([(await listener.until("status")).state, looks], ["failed", 2]);
  await feed.stop();
});

Deno.test("a listener that is slow is told the newest of each stream, once", async () => {
  const { world, feed, listen } = aFeed();
  await using listener = await listen();
  await listener.next();
  for (let at = 1; at <= 500; at++) {
    world.statuses.a = aStatus("a", { reason: `reason ${at}`, thumbAt: at });
    world.version = `v${at}`;
    await feed.round();
  }
  assert.deepEqual(await listener.next(), { name: "list", data: { version: "v500" } });
  assert.deepEqual(await listener.next(), { name: "status", data: world.statuses.a });
  world.statuses.b = aStatus("b", { thumbAt: 1 });
  await feed.round();
  assert.deepEqual(
    await listener.next(),
    { name: "thumbnail", data: { id: "b", thumbAt: 1 } },
    "nothing is told twice",
  );
  await feed.stop();
});

Deno.test("what changes is found out once for all listeners, and only while there are any", async () => {
  using clock = new FakeClock();
  const { world, feed, listen } = aFeed({ roundMs: 1 });
  const listeners = await Promise.all(Array.from({ length: 40 }, () => listen()));
  assert.equal(world.asked, 1, "one look for all who come together");
  feed.start();
  await clock.advance(2);
  for (const listener of listeners) await listener.next();
  world.statuses.a = aStatus("a", { state: "failed" });
  await clock.advance(2);
  for (const listener of listeners) assert.equal((await listener.until("status")).state, "failed");
  assert.equal(feed.listeners, 40);
  for (const listener of listeners) await listener[Symbol.asyncDispose]();
  assert.equal(feed.listeners, 0);
  await clock.advance(2);
  const { asked } = world;
  await clock.advance(60_000);
  assert.equal(world.asked, asked, "nobody listens any more");
  await feed.stop();
});

Deno.test("more listeners than allowed, in all or of one address, are told to ask by themselves", async () => {
  const { feed, listen } = aFeed({ maxOfPeer: 2, maxInAll: 3 });
  const refused = (error: unknown) =>
    error instanceof ServiceError && error.status === 503 && error.retryAfterSeconds! > 0;
  const opened = await Promise.all([listen(), listen()]);
  await assert.rejects(listen(), refused);
  opened.push(await listen("192.0.2.2"));
  await assert.rejects(listen("192.0.2.3"), refused);
  await opened.pop()![Symbol.asyncDispose]();
  opened.push(await listen("192.0.2.3"));
  for (const listener of opened) await listener[Symbol.asyncDispose]();
  await feed.stop();
});

Deno.test("while the supervisor does not answer, the feed ends and lets nobody in", async () => {
  const { world, feed, listen } = aFeed({ roundMs: 1 });
  feed.start();
  await using listener = await listen();
  await listener.next();
  Object.defineProperty(world, "statuses", {
    get: () => {
      throw new ServiceError(503, "The supervisor does not answer.");
    },
  });
  assert.equal(await listener.next(), undefined);
  await assert.rejects(listen(), /does not answer/);
  await feed.stop();
});
