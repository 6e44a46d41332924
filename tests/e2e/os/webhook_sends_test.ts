/** The webhook with a real receiver on loopback: what is sent, tried again, remembered. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { join } from "node:path";
import type { StreamId } from "../../../lib/model/id.ts";
import { Messages } from "../../../lib/messages/messages.ts";
import { SIGNATURE_HEADER } from "../../../lib/messages/request.ts";
import { storedReceiver, type Way } from "../../../lib/model/receivers.ts";
import type { StreamState } from "../../../lib/model/answers/status.ts";
import { thisNetwork } from "../../../lib/reach/this_network.ts";
import { setLogLevel } from "../../../lib/machine/tools/log.ts";
import { DEFAULT_TIMINGS, type Timings } from "../../../lib/timings.ts";
import { companyProxy } from "../../support/company_proxy.ts";
import { tempDir } from "../../support/fixture.ts";
import { type TestReceiver, testReceiver } from "../../support/receiver.ts";
import { until } from "../../support/same.ts";
import { reserveSlot } from "../../support/slot.ts";

setLogLevel("error");

const FAST = { roundMs: 5, firstRetryMs: 20, longestRetryMs: 80, maxTries: 4 };

interface Setting {
  receiver: TestReceiver;
  dir: string;
  /** The streams' states, which a test changes. */
  states: Record<string, StreamState>;
  /** A webhook that runs until the test ends. */
  start(options?: Options): Promise<Messages>;
}

interface Options {
  path?: string;
  format?: Way;
  secret?: string;
  limits?: Partial<Timings["webhook"]>;
  proxy?: Deno.Proxy;
}

const NOTHING = {
  streams: () => [],
  statuses: () => Promise.resolve({}),
  disks: () => [],
  isOwn: () => true,
};

/** The receiver of the variables, as a part of the messages' service. */
function receiverOf(way: Way, address: string, secret = "", proxy: Deno.Proxy | null = null) {
  const fields = storedReceiver.parse({ id: "0123456789ab", name: "Variables", way, address, secret });
  return { receivers: () => [{ ...fields, id: "" }], proxyOf: () => proxy };
}

function aConfig(publicUrl: string, limits: Partial<Timings["webhook"]> = {}) {
  const webhook = { ...DEFAULT_TIMINGS.webhook, ...limits };
  return {
    PUBLIC_URL: publicUrl,
    WEBHOOK_AFTER_SECONDS: 0,
    TIMINGS: { ...DEFAULT_TIMINGS, webhook },
    REWIND_GB: 1,
    REWIND_HOURS: 24,
    CAPTURE: "auto" as const,
  };
}

function webhookTest(name: string, test: (setting: Setting) => Promise<void>): void {
  Deno.test(name, async () => {
    await using dir = await tempDir("/dev/shm");
    await using receiver = testReceiver();
    await using webhooks = new AsyncDisposableStack();
    const states: Record<string, StreamState> = {};
    const start = async (
      { path = "/hook/sesame", format = "json", secret = "", limits, proxy }: Options = {},
    ) => {
      const webhook = await Messages.open({
        ...receiverOf(format, new URL(path, receiver.url).href, secret, proxy),
        path: join(dir.path, "webhook.json"),
        told: {
          ...NOTHING,
          streams: () =>
            Object.keys(states).map((id) => ({
              id: id as StreamId,
              name: `Stream ${id}`,
              group: "",
              rewind: true,
            })),
          statuses: () =>
            Promise.resolve(Object.fromEntries(
              Object.entries(states).map(([id, state]) => [id, {
                id,
                state,
                programs: [],
                ...(state === "running"
                  ? {}
                  : { reason: "No picture of https://a.example.org/?key=1 comes" }),
              }]),
            )),
        },
        config: aConfig("https://tv.example.org", { ...FAST, ...limits }),
        machine: { now: Date.now, elapsed: () => performance.now(), network: thisNetwork },
      });
      webhooks.defer(() => webhook.stop());
      webhook.start();
      return webhook;
    };
    await test({ receiver, dir: dir.path, states, start });
  });
}

const eventsOf = ({ received }: TestReceiver) =>
  received.map(({ body }) => JSON.parse(body)).map(({ event, stream }) => `${stream?.id} ${event}`);

webhookTest(
  "a message is tried again with growing pauses, signed anew, until it is taken",
  async (setting) => {
    const { receiver, states, start } = setting;
    const at: number[] = [];
    receiver.answer = () => {
      at.push(performance.now());
      return at.length < 4 ? new Response("busy", { status: 503 }) : new Response(null, { status: 204 });
    };
    states.a = "failed";
    const webhook = await start({ secret: "s3cret" });
    const received = await receiver.until(4);
    await until("it to be delivered", () => webhook.info()!.waiting === 0);
    const pauses = at.slice(1).map((time, index) => time - at[index]);
    for (const [index, least] of [20, 40, 80].entries()) assert.ok(pauses[index] >= least - 2, pauses.join());
    assert.equal(new Set(received.map(({ body }) => JSON.parse(body).id)).size, 1, "one id");
    for (const { headers, body } of received) {
      const [, seconds, hex] = /^t=(\d+),v1=(\w+)$/.exec(headers.get(SIGNATURE_HEADER)!)!;
      assert.ok(Math.abs(Number(seconds) - Date.now() / 1000) < 10);
      assert.equal(hex, createHmac("sha256", "s3cret").update(`${seconds}.${body}`).digest("hex"));
    }
  },
);

webhookTest(
  "a receiver that asks to wait is left alone for so long, within the longest pause",
  async (setting) => {
    const { receiver, states, start } = setting;
    const at: number[] = [];
    receiver.answer = () => {
      at.push(performance.now());
      return at.length === 1
        ? new Response("", { status: 429, headers: { "retry-after": "0.2" } })
        : at.length === 2
        ? new Response("", { status: 429, headers: { "retry-after": "3600" } })
        : new Response("ok");
    };
    states.a = "failed";
    await start({ limits: { longestRetryMs: 400 } });
    await receiver.until(3);
    assert.ok(at[1] - at[0] >= 198 && at[2] - at[1] >= 398 && at[2] - at[1] < 5000, at.join());
  },
);

webhookTest("a message is given up after its tries, and the next one has its own", async (setting) => {
  const { receiver, states, start } = setting;
  receiver.answer = ({ body }) =>
    new Response("", { status: JSON.parse(body).stream.id === "a" ? 500 : 200 });
  for (const id of "ab") states[id] = "failed";
  const webhook = await start();
  await receiver.until(5);
  await until("none to wait", () => webhook.info()!.waiting === 0);
  assert.deepEqual(eventsOf(receiver), [...Array(4).fill("a stream.failed"), "b stream.failed"]);
});

webhookTest("of too many messages the oldest give way", async ({ receiver, states, start }) => {
  receiver.answer = () => new Response("", { status: 500 });
  for (const id of "abcdefgh") states[id] = "failed";
  const webhook = await start({ limits: { maxWaiting: 3, maxTries: 100, longestRetryMs: 20 } });
  await receiver.until(1);
  assert.equal(webhook.info()!.waiting, 3);
  receiver.answer = () => new Response("ok");
  await until("none to wait", () => webhook.info()!.waiting === 0);
  assert.deepEqual(eventsOf(receiver).slice(-2), ["g stream.failed", "h stream.failed"]);
});

webhookTest("a restart tells nothing twice, and sends what was not delivered", async (setting) => {
  const { receiver, states, start, dir } = setting;
  receiver.answer = ({ body }) =>
    new Response("", { status: JSON.parse(body).stream?.id === "b" ? 500 : 200 });
  states.a = "failed";
  const before = await start({ limits: { firstRetryMs: 60_000, longestRetryMs: 60_000 } });
  await until("a to be told", () => receiver.received.length === 1 && before.info()!.waiting === 0);
  states.b = "degraded";
  const [, { body }] = await receiver.until(2);
  assert.equal(JSON.parse(body).reason, "No picture of a.example.org comes");
  await before.stop();
  const file = join(dir, "webhook.json");
  assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
  assert.doesNotMatch(await Deno.readTextFile(file), /sesame|key=1/);
  receiver.received.length = 0;
  receiver.answer = () => new Response("ok");
  const after = await start();
  await receiver.until(1);
  states.a = "running";
  await receiver.until(2);
  await until("none to wait", () => after.info()!.waiting === 0);
  assert.deepEqual(eventsOf(receiver), ["b stream.degraded", "a stream.recovered"]);
});

webhookTest("a message under way at the end is not sent again", async ({ receiver, states, start }) => {
  const answer = Promise.withResolvers<Response>();
  receiver.answer = () => answer.promise;
  states.a = "failed";
  const before = await start();
  await receiver.until(1);
  const stopped = before.stop();
  answer.resolve(new Response("ok"));
  await stopped;
  assert.equal(before.info()!.waiting, 0);
});

webhookTest("a receiver that does not answer keeps the end waiting for a moment", async (setting) => {
  const { receiver, states, start } = setting;
  const answer = Promise.withResolvers<Response>();
  receiver.answer = () => answer.promise;
  states.a = "failed";
  const before = await start({ limits: { farewellMs: 50 } });
  await receiver.until(1);
  await before.stop();
  assert.equal(before.info()!.waiting, 1);
  answer.resolve(new Response("ok"));
});

webhookTest(
  "a file that cannot be read is no reason not to start",
  async ({ receiver, states, start, dir }) => {
    await Deno.writeTextFile(join(dir, "webhook.json"), '{"told":3');
    states.a = "failed";
    await start();
    await receiver.until(1);
  },
);

webhookTest("a stream that was deleted is forgotten", async ({ receiver, states, start, dir }) => {
  states.a = states.b = "failed";
  const webhook = await start();
  await receiver.until(2);
  delete states.a;
  states.b = "running";
  await receiver.until(3);
  assert.deepEqual(eventsOf(receiver).at(-1), "b stream.recovered");
  await webhook.stop(); // all is saved then
  const { told, waiting } = JSON.parse(await Deno.readTextFile(join(dir, "webhook.json")));
  assert.deepEqual({ told, waiting }, { told: {}, waiting: [] });
});

webhookTest(
  "a receiver that does not end its answer is left after the limit, or after 4 KiB",
  async (setting) => {
    const { receiver, start } = setting;
    const drip = (part: string, everyMs: number) => {
      let timer: ReturnType<typeof setInterval> | undefined;
      const write = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        try {
          controller.enqueue(new TextEncoder().encode(part));
        } catch {
          clearInterval(timer); // the receiver was left
        }
      };
      return new ReadableStream<Uint8Array>({
        start: (controller) => void (timer = setInterval(() => write(controller), everyMs)),
        cancel: () => clearInterval(timer),
      });
    };
    receiver.answer = () => new Response(drip("x", 50), { status: 500 });
    const hasty = await start({ limits: { answerMs: 300 } });
    assert.equal((await hasty.test()).problem, "The receiver did not answer within 0.3 s.");
    receiver.answer = () => new Response(drip("y".repeat(2000), 5), { status: 500 });
    const patient = await start();
    assert.equal((await patient.test()).problem, `The receiver answered 500: ${"y".repeat(200)}`);
  },
);

Deno.test("a receiver that is away is named by its problem alone", async () => {
  await using dir = await tempDir("/dev/shm");
  const parts = {
    path: join(dir.path, "webhook.json"),
    told: NOTHING,
    config: aConfig(""),
    machine: { now: Date.now, elapsed: () => 0, network: thisNetwork },
  };
  const tested = async (url: string) => {
    const webhook = await Messages.open({
      ...parts,
      ...receiverOf("json", url),
    });
    return (await webhook.test()).problem;
  };
  using slot = reserveSlot();
  const refused = await tested(`http://127.0.0.1:${slot.ports[0]}/sesame`);
  assert.match(refused, /^The receiver cannot be reached: .*refused/i);
  const unknown = await tested("http://nobody.invalid/sesame");
  assert.match(unknown, /^The receiver cannot be reached: .+/);
  assert.doesNotMatch(refused + unknown, /sesame/);
});

webhookTest("a test while one is under way is a 429", async ({ receiver, start }) => {
  const webhook = await start();
  const { promise, resolve } = Promise.withResolvers<Response>();
  receiver.answer = () => promise;
  const first = webhook.test();
  await assert.rejects(webhook.test(), { status: 429 });
  resolve(new Response("ok"));
  assert.equal((await first).isDelivered, true);
});

webhookTest(
  "a message goes out by a company's proxy, with its login",
  async ({ receiver, states, start }) => {
    using proxy = companyProxy({ "hook.test": Number(new URL(receiver.url).port) }, "anna:far out");
    states.a = "running";
    const basicAuth = { username: "anna", password: "far out" };
    const path = "http://hook.test/hook/sesame";
    await start({ path, proxy: { url: `http://127.0.0.1:${proxy.port}`, basicAuth } });
    states.a = "failed";
    const [{ path: asked }] = await receiver.until(1);
    assert.equal(asked, "/hook/sesame");
    assert.deepEqual([...proxy.asked], ["POST hook.test:80"]);
  },
);
