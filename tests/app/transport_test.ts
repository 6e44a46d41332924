/** Channels as MPEG transport streams: who gets them, and what the relay does for many at once. */
import { strict as assert } from "node:assert";
import { Buffer } from "node:buffer";
import { streamId } from "../../lib/model/id.ts";
import { sessionCookie, type TestApp, testApp } from "../support/app.ts";
import { aSecond, audioSettings, picture, videoSettings } from "../support/rtmp_channel.ts";
import { until } from "../support/same.ts";
import { checkTransport } from "../support/transport_checker.ts";

const CLOCK = streamId("clock");
const PATH = "/api/ts/clock";

const relaySize = (app: TestApp) => app.service.fleet.get(CLOCK).channel.relay.size;

async function appWithClock(fields: Record<string, unknown> = {}, env: Record<string, string> = {}) {
  const app = await testApp({ env });
  await app.create(fields);
  return app;
}

/** A client that reads as fast as it can, until it is let go of. */
function reading(answer: Response) {
  const reader = answer.body!.getReader();
  const client = { bytes: 0, pieces: [] as Uint8Array[], isOver: false, leave: () => reader.cancel() };
  const done = (async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      client.pieces.push(part.value);
      client.bytes += part.value.length;
    }
  })().catch(() => {}).finally(() => client.isOver = true);
  return Object.assign(client, {
    done,
    whole: () => checkTransport(Buffer.concat(client.pieces)),
  });
}

const playing = (app: TestApp) =>
  until("the relay to play the channel", () => app.machine.channel.players === 1);
const settings = [videoSettings(), audioSettings()];

Deno.test("transport: viewers share one relay, begin at the newest key frame, and count as viewers", async () => {
  await using app = await appWithClock();
  const { machine: { channel }, service } = app;
  const first = await app.fetch(PATH, { headers: { "user-agent": "one" } });
  assert.deepEqual([first.status, first.headers.get("content-type")], [200, "video/mp2t"]);
  assert.equal(first.headers.get("cache-control"), "no-store, no-transform");
  const one = reading(first);
  await playing(app);
  assert.deepEqual(channel.plays, [{ application: "live", name: "clock" }]);
  channel.send([...settings, ...aSecond(10_000)]);
  channel.send(aSecond(11_000));
  await until("two seconds", () => one.bytes > 20_000);
  const two = reading(await app.fetch(PATH, { headers: { "user-agent": "two" } }));
  channel.send(aSecond(12_000));
  await until("the second viewer's two seconds", () => two.whole().keyFrames === 2);
  assert.deepEqual(one.whole().problems, []);
  assert.deepEqual(two.whole().problems, []);
  assert.equal(two.whole().pictureTimes[0], 11);
  assert.equal(channel.plays.length, 1);
  assert.equal((await app.api("GET", "/api/figures")).json.clock.viewers, 2);
  await Promise.all([one.leave(), two.leave()]);
  service.fleet.tick();
  assert.equal(channel.players, 1, "it lingers");
  app.machine.advance(11_000);
  service.fleet.tick();
  await until("the media server to be left", () => channel.players === 0);
});

Deno.test("transport: a still channel is filled up by null packets, also while nothing comes, and stays right", async () => {
  await using app = await appWithClock();
  const { machine: { channel } } = app;
  const one = reading(await app.fetch(PATH));
  await playing(app);
  channel.send([...settings, picture(10_000, true)]);
  await until("its beginning", () => one.pieces.length === 1);
  for (let time = 10_040; time < 10_400; time += 40) channel.send([picture(time, false)]);
  await until("what came together", () => one.whole().pictureTimes.length === 10);
  await until("a filler alone", () => one.pieces.at(-1)!.every((byte, at) => at % 188 < 4 || byte === 0xff));
  assert.deepEqual([...new Set(one.pieces.map(({ length }) => length))], [22 * 188]);
  assert.ok(one.pieces.length <= 4, "small ones go together");
  assert.deepEqual(one.whole().problems, []);
  await one.leave();
});

Deno.test("transport: HEAD is answered at once and plays nothing; another method is none", async () => {
  await using app = await appWithClock();
  const head = await app.fetch(PATH, { method: "HEAD" });
  assert.deepEqual([head.status, head.headers.get("content-type")], [200, "video/mp2t"]);
  assert.equal(head.headers.get("content-length"), null);
  await head.body?.cancel();
  assert.equal((await app.fetch(PATH, { method: "POST" })).status, 404);
  assert.deepEqual([app.machine.channel.plays, relaySize(app)], [[], 0]);
});

Deno.test("transport: nothing is there of a stream that is stopped, unknown or spelled otherwise", async () => {
  await using app = await appWithClock({ desiredState: "stopped" });
  const paths = [
    PATH,
    "/api/ts/gone",
    "/api/ts/",
    "/api/ts/clock%2f..",
    "/api/ts/..%2fclock",
    "/api/ts/clock/x",
    "/ts/clock",
  ];
  for (const path of paths) {
    const answer = await app.fetch(path);
    await answer.body?.cancel();
    assert.equal(answer.status, 404, path);
  }
  assert.deepEqual(app.machine.channel.plays, []);
});

Deno.test("transport: a stop ends the answer, and a start by a viewer begins one", async () => {
  await using app = await appWithClock();
  const client = reading(await app.fetch(PATH));
  await playing(app);
  await app.api("POST", "/api/streams/clock/stop");
  app.service.fleet.tick();
  await client.done;
  await app.idle();
  await app.create({ name: "Rare", onDemand: true, onDemandMinutes: 1 });
  assert.equal((await app.api("GET", "/api/streams/statuses")).json.rare.state, "waiting");
  const rare = reading(await app.fetch("/api/ts/rare"));
  await app.idle();
  assert.ok(app.machine.supervisord.commands().some((command) => command.startsWith("start stream-rare")));
  await rare.leave();
});

Deno.test("transport: an encoder's restart does not end the answer; the next begins with its own key frame", async () => {
  await using app = await appWithClock();
  const { channel } = app.machine;
  const client = reading(await app.fetch(PATH));
  await playing(app);
  channel.send([...settings, ...aSecond(10_000)]);
  await until("the first second", () => client.bytes > 9000);
  channel.end();
  await until("the encoder to be asked for again", () => channel.plays.length === 2 && channel.players === 1);
  channel.send([...settings, picture(14_000, false), ...aSecond(14_500)]);
  await until("the next encoder's second", () => client.whole().keyFrames === 2);
  const { problems, pictureTimes } = client.whole();
  assert.deepEqual([problems, pictureTimes], [[], [10, 10.5, 14.5, 15]]);
  await client.leave();
});

Deno.test("transport: what is no H.264 is tried again, and ends nothing", async () => {
  await using app = await appWithClock();
  const { channel } = app.machine;
  const client = reading(await app.fetch(PATH));
  await playing(app);
  channel.send([{ type: 9, time: 0, payload: Uint8Array.of(0x12, 1, 0, 0, 0, 1) }]);
  await until("another try", () => channel.plays.length === 2 && channel.players === 1);
  channel.send([...settings, ...aSecond(1000)]);
  await until("pictures", () => client.bytes > 9000);
  await client.leave();
});

Deno.test("transport: a slow viewer goes on at a key frame, one that takes nothing is let go, and nobody waits", async () => {
  await using app = await appWithClock();
  const { machine, service } = app;
  const fast = reading(await app.fetch(PATH));
  const slow = (await app.fetch(PATH)).body!.getReader();
  const still = await app.fetch(PATH);
  await playing(app);
  machine.channel.send(settings);
  // 500 kB a second, of which each of the two slow ones may hold 2 MiB
  for (let second = 0; second < 12; second++) {
    const from = 10_000 + second * 1000;
    machine.channel.send([picture(from, true, 400_000), picture(from + 500, false, 100_000)]);
    await until("the fast one to have it", () => fast.bytes > 500_000 * (second + 1));
    if (second === 0) await slow.read();
    machine.advance(1000);
    service.fleet.tick();
  }
  assert.equal(machine.channel.players, 1);
  // both took nothing for more than 10 s
  await assert.rejects(slow.read(), /reads nothing/);
  await assert.rejects(still.text(), /reads nothing/);
  await fast.leave();
});

Deno.test("transport: a viewer that is behind loses whole groups of pictures only", async () => {
  await using app = await appWithClock();
  const { machine } = app;
  const answer = await app.fetch(PATH);
  const fast = reading(await app.fetch(PATH));
  await playing(app);
  machine.channel.send(settings);
  for (let second = 0; second < 9; second++) {
    machine.channel.send([
      picture(second * 1000, true, 400_000),
      picture(second * 1000 + 500, false, 100_000),
    ]);
    await until("the fast one to have it", () => fast.bytes > 500_000 * (second + 1));
  }
  const slow = reading(answer);
  await until("what was kept for it", () => slow.bytes > 0);
  machine.channel.send([picture(9000, true, 1000), picture(9500, false, 100)]);
  await until("the newest picture", () => slow.whole().pictureTimes.at(-1) === 9.5);
  const { pictureTimes, keyFrames, pictures } = slow.whole();
  assert.ok(pictures === 2 * keyFrames && pictures < 20, String(pictureTimes));
  assert.ok(slow.bytes < 4 * 2 ** 20);
  await Promise.all([slow.leave(), fast.leave()]);
});

Deno.test("transport: a token opens its own streams, by both addresses, until it is revoked", async () => {
  const AUTH = { AUTH_USER: "anna", AUTH_PASS: "correct horse" };
  await using app = await appWithClock({ group: "Walls" }, AUTH);
  await app.create({ name: "Other" });
  assert.equal((await app.fetch(PATH)).status, 401);
  const { json } = await app.api("POST", "/api/access-tokens", { name: "TV", group: "Walls" });
  const prefix = `/t/${json.token}`;
  const playlist = await (await app.fetch(`${prefix}/playlist.m3u?format=ts`)).text();
  assert.ok(playlist.includes(`http://127.0.0.1:3000${prefix}/api/ts/clock\n`), playlist);
  const clients = [`${prefix}/api/ts/clock`, `${prefix}/ts/clock`].map((path) =>
    app.fetch(path).then(reading)
  );
  const open = await Promise.all(clients);
  for (
    const path of [
      `${prefix}/api/ts/other`,
      `${prefix}/ts/other`,
      "/t/wrong/ts/clock",
      `${prefix}/ts/clock%2f`,
    ]
  ) {
    assert.equal((await app.fetch(path)).status, 404, path);
  }
  app.service.fleet.tick();
  assert.deepEqual(open.map(({ isOver }) => isOver), [false, false]);
  await app.api("DELETE", `/api/access-tokens/${json.id}`);
  app.service.fleet.tick();
  await Promise.all(open.map(({ done }) => done));
});

Deno.test("transport: who is logged out everywhere watches no longer", async () => {
  await using app = await appWithClock({}, { AUTH_USER: "anna", AUTH_PASS: "correct horse" });
  const client = reading(await app.fetch(PATH, { headers: { cookie: sessionCookie(app.service) } }));
  await app.service.logOutEverywhere();
  await client.done;
});

Deno.test("transport: a stream's removal and the service's end leave no connection", async () => {
  const app = await appWithClock();
  const client = reading(await app.fetch(PATH));
  await playing(app);
  assert.equal((await app.api("DELETE", "/api/streams/clock")).status, 204);
  await client.done;
  await until("the media server to be left", () => app.machine.channel.players === 0);
  await app.create({ name: "Next" });
  const next = reading(await app.fetch("/api/ts/next"));
  await playing(app);
  await app[Symbol.asyncDispose]();
  await next.done;
  assert.equal(app.machine.channel.players, 0);
  assert.equal(app.service.fleet.find(CLOCK), undefined);
});

/** What a browser sends to open a WebSocket. */
const UPGRADE = {
  "connection": "Upgrade",
  "upgrade": "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};
const OWN = { origin: "http://127.0.0.1:3000" };

Deno.test("transport by WebSocket: our own pages and tokens get it, other sites' pages and strangers do not", async () => {
  await using app = await appWithClock({}, { AUTH_USER: "anna", AUTH_PASS: "correct horse" });
  const { json: { token } } = await app.api("POST", "/api/access-tokens", { name: "TV" });
  const cookie = { cookie: sessionCookie(app.service) };
  const [LET_IN, SIGN_IN] = [101, 401];
  const cases: [string, Record<string, string>, number][] = [
    [PATH, { ...OWN, ...cookie }, LET_IN],
    [PATH, OWN, SIGN_IN],
    [PATH, cookie, 403],
    [PATH, { origin: "https://evil.example", ...cookie }, 403],
    [PATH, { origin: "null", ...cookie }, 403],
    [PATH, { origin: "http://127.0.0.1:8888", ...cookie }, 403],
    ["/api/ts/gone", { ...OWN, ...cookie }, 404],
    ["/api/ts/clock%2f", { ...OWN, ...cookie }, 404],
    ["/api/ts/..%2fclock", { ...OWN, ...cookie }, 404],
    [PATH, { ...OWN, ...cookie, "sec-websocket-version": "8" }, 426],
    [`/t/${token}/ts/clock`, {}, LET_IN],
    [`/t/${token}/api/ts/clock`, { origin: "https://tv.example" }, LET_IN],
    [`/t/${token}/ts/gone`, {}, 404],
    [`/t/${"0".repeat(token.length)}/ts/clock`, {}, 404],
    [`/t/${token}/websockify`, {}, 404],
  ];
  for (const [path, headers, status] of cases) {
    const answer = await app.fetch(path, { headers: { ...UPGRADE, ...headers } });
    await answer.body?.cancel();
    assert.equal(answer.status, status, `${path} ${JSON.stringify(headers)}`);
  }
});

Deno.test("transport by WebSocket: a viewer begins at the newest key frame, and one that speaks is let go", async () => {
  await using app = await appWithClock();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, app.handler);
  const host = `127.0.0.1:${server.addr.port}`;
  // Deno takes headers, which the types of the DOM do not know
  const options = { headers: { origin: `http://${host}` } } as unknown as string[];
  const other = reading(await app.fetch(PATH));
  await playing(app);
  app.machine.channel.send([...settings, ...aSecond(10_000)]);
  await until("the other's second", () => other.bytes > 9000);
  const pieces: Uint8Array[] = [];
  const socket = new WebSocket(`ws://${host}${PATH}`, options);
  const closed = new Promise<number>((done) => socket.onclose = ({ code }) => done(code));
  socket.binaryType = "arraybuffer";
  socket.onmessage = ({ data }) => pieces.push(new Uint8Array(data));
  await until("what is kept for it", () => pieces.length > 0);
  app.machine.channel.send(aSecond(11_000));
  await until("two seconds", () => checkTransport(Buffer.concat(pieces)).keyFrames === 2);
  const { problems, pictureTimes } = checkTransport(Buffer.concat(pieces));
  assert.deepEqual([problems, pictureTimes], [[], [10, 10.5, 11, 11.5]]);
  assert.deepEqual(app.machine.channel.plays.length, 1);
  socket.send("more");
  assert.equal(await closed, 1003);
  await other.leave();
  await until("the viewer to be gone", () => {
    app.machine.advance(11_000);
    app.service.fleet.tick();
    return relaySize(app) === 0;
  });
  await server.shutdown();
});
