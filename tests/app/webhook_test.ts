/** Somebody is told, over HTTP: the real app and a real receiver, a supervisord in memory. */
import { strict as assert } from "node:assert";
import { streamId } from "../../lib/model/id.ts";
import { testApp } from "../support/app.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { type TestReceiver, testReceiver } from "../support/receiver.ts";

const FAST = JSON.stringify({ statusCacheMs: 1, webhook: { roundMs: 10 } });

async function withReceiver(
  test: (receiver: TestReceiver, env: Record<string, string>) => Promise<void>,
): Promise<void> {
  await using receiver = testReceiver();
  await test(receiver, {
    WEBHOOK_URL: `${receiver.url}/hook/sesame?token=open`,
    WEBHOOK_SECRET: "s3cret",
    WEBHOOK_AFTER_SECONDS: "0",
    PUBLIC_URL: "http://127.0.0.1:3000",
    TIMINGS: FAST,
  });
}

Deno.test("a stream that cannot be started is told, with its reason and a link; so is its return", async () => {
  await withReceiver(async (receiver, env) => {
    await using app = await testApp({ env, isStarted: true });
    await app.create({ name: "Lobby" });
    app.machine.supervisord.setState("encoder-lobby", "FATAL");
    const [failed] = (await receiver.until(1)).map(({ body }) => JSON.parse(body));
    assert.deepEqual([failed.event, failed.stream, failed.state], [
      "stream.failed",
      { id: "lobby", name: "Lobby" },
      "failed",
    ]);
    assert.match(failed.reason, /Encoder/);
    assert.equal(failed.link, "http://127.0.0.1:3000/streams/lobby");
    app.machine.supervisord.setState("encoder-lobby", "RUNNING");
    const [, back] = (await receiver.until(2)).map(({ body }) => JSON.parse(body));
    assert.equal(back.event, "stream.recovered");
    for (const { pastLink, downSince } of [failed, back]) {
      assert.equal(pastLink, `${failed.link}/rewind?at=${downSince.replace(/\.\d+Z/, "Z")}`);
    }
    const log = await app.fetch(new URL(failed.link).pathname);
    await log.body?.cancel();
    assert.equal(log.status, 200);
  });
});

Deno.test("a message leads to the past only where it is kept", async () => {
  await withReceiver(async (receiver, env) => {
    const linkOf = async (fields: Record<string, unknown>, env: Record<string, string>) => {
      await using app = await testApp({ env, isStarted: true });
      const { id } = await app.create({ name: "Lobby", ...fields });
      app.machine.supervisord.setState(`encoder-${id}`, "FATAL");
      const told = await receiver.until(receiver.received.length + 1);
      return JSON.parse(told.at(-1)!.body).pastLink;
    };
    assert.equal(await linkOf({ rewind: false }, env), null);
    assert.equal(await linkOf({}, { ...env, REWIND_GB: "0" }), null);
    assert.equal(await linkOf({}, { ...env, CAPTURE: "x11grab" }), null);
    assert.match(await linkOf({}, env), /\/streams\/lobby\/rewind\?at=/);
  });
});

Deno.test("a certificate that ends within a fortnight is told once, and so is its renewal", async () => {
  await withReceiver(async (receiver, env) => {
    await using app = await testApp({ env, isStarted: true });
    await app.create({ name: "Lobby" });
    const { health } = app.service.fleet.get(streamId("lobby")).page!;
    const day = 86_400_000;
    const found = (days: number) => {
      const certificateEndsAt = app.machine.now() + days * day;
      health.find({ state: "ok", status: 200, error: null, nextTryAt: null, certificateEndsAt });
    };
    found(9.5);
    const [soon] = (await receiver.until(1)).map(({ body }) => JSON.parse(body));
    assert.deepEqual([soon.kind, soon.stream.name], ["certificate", "Lobby"]);
    assert.match(
      soon.reason,
      /^The certificate of its page ends in 9 days, on \d{4}-\d\d-\d\d\. Renew it\.$/,
    );
    const open = async () => (await app.api("GET", "/api/incidents?kind=certificate&open=1")).json.incidents;
    assert.equal((await open()).length, 1);
    assert.equal((await app.api("GET", "/api/streams/statuses")).json.lobby.page.certificateEndsAt > 0, true);
    found(15);
    const [, renewed] = (await receiver.until(2)).map(({ body }) => JSON.parse(body));
    assert.deepEqual([renewed.event, renewed.kind], ["stream.recovered", "certificate"]);
    assert.match(renewed.text, /^The certificate of Lobby is valid again/);
    assert.deepEqual(await open(), []);
  });
});

Deno.test("a stop by a person is told nobody", async () => {
  await withReceiver(async (receiver, env) => {
    await using app = await testApp({ env, isStarted: true });
    await app.create({ name: "Lobby" });
    await app.create({ name: "Hall" });
    await app.api("POST", "/api/streams/lobby/stop");
    app.machine.supervisord.setState("encoder-hall", "FATAL");
    await receiver.until(1);
    assert.deepEqual(receiver.received.map(({ body }) => JSON.parse(body).stream.id), ["hall"]);
  });
});

Deno.test("the web app's restart tells nothing twice", async () => {
  await withReceiver(async (receiver, env) => {
    using clock = new FakeClock();
    await using app = await testApp({ env, isStarted: true });
    await app.create({ name: "Lobby" });
    app.machine.supervisord.setState("encoder-lobby", "FATAL");
    await clock.advance(1000);
    await receiver.until(1);
    await app.service.stop();
    // the lobby is well for a moment, until it is broken again: that is nothing to tell
    const patient = { ...env, WEBHOOK_AFTER_SECONDS: "1" };
    await using again = await testApp({ env: patient, dir: app.dir, isStarted: true });
    await again.create({ name: "Hall" });
    const { supervisord } = again.machine;
    // a start that is still to come would mend what breaks here
    await again.idle();
    assert.equal(supervisord.state("encoder-lobby"), "RUNNING");
    await clock.advance(500);
    supervisord.setState("encoder-lobby", "FATAL");
    supervisord.setState("encoder-hall", "FATAL");
    await clock.advance(3000);
    await receiver.until(2);
    assert.deepEqual(receiver.received.map(({ body }) => JSON.parse(body).stream.id), ["lobby", "hall"]);
  });
});

Deno.test("the test says what the receiver said", async () => {
  await withReceiver(async (receiver, env) => {
    await using app = await testApp({ env });
    receiver.answer = ({ path }) => new Response(`nothing at ${path}`, { status: 404 });
    const refused = await app.api("POST", "/api/webhook/test");
    assert.deepEqual(refused.json, {
      isDelivered: false,
      status: 404,
      problem: "The receiver answered 404: nothing at …",
    });
    receiver.answer = () => Response.redirect(`${receiver.url}/elsewhere`, 307);
    const led = await app.api("POST", "/api/webhook/test");
    assert.deepEqual(led.json, {
      isDelivered: false,
      status: 307,
      problem: "The receiver answered 307, a redirect. The service follows none.",
    });
    receiver.answer = ({ path }) => new Response(`{"topic":"${path}"}`);
    const taken = await app.api("POST", "/api/webhook/test");
    assert.deepEqual([taken.status, taken.json], [200, { isDelivered: true, status: 200, problem: "" }]);
    const { json } = await app.api("GET", "/api/webhook");
    const { at, ...last } = json.webhook.last;
    assert.ok(Math.abs(at - app.machine.now()) < 60_000);
    assert.deepEqual({ ...json.webhook, last }, {
      host: new URL(receiver.url).host,
      format: "json",
      isSigned: true,
      afterSeconds: 0,
      waiting: 0,
      last: taken.json,
    });
    assert.deepEqual(
      receiver.received.map(({ path, body }) => [path, JSON.parse(body).event]),
      Array(3).fill(["/hook/sesame?token=open", "test"]),
      "once each, and nowhere else",
    );
  });
});

Deno.test("without a webhook the API says so, and a test is a 409 that says what to set", async () => {
  await using app = await testApp();
  assert.deepEqual((await app.api("GET", "/api/webhook")).json, { webhook: null });
  const { status, json } = await app.api("POST", "/api/webhook/test");
  assert.equal(status, 409);
  assert.match(json.error.message, /Set WEBHOOK_URL/);
});
