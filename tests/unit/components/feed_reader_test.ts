import { strict as assert } from "node:assert";
import { FeedReader } from "../../../components/client/feedReader.ts";
import type { FeedEvent } from "../../../lib/model/answers/shapes.ts";

const LIST = 'event: list\ndata: {"version":"v1"}\n\n';
const BEAT = ": still here\n\n";

/** A page whose time passes when told, and a service that says what it is told to say. */
function aReader() {
  const page = { isHidden: false, waits: new Map<() => void, number>() };
  const opened: { signal: AbortSignal; answer: PromiseWithResolvers<Response> }[] = [];
  const news: FeedEvent[] = [];
  let lost = 0;
  const reader = new FeedReader({ onnews: (more) => news.push(...more), onlost: () => lost++ }, {
    isHidden: () => page.isHidden,
    after(ms, call) {
      page.waits.set(call, ms);
      return () => page.waits.delete(call);
    },
    open(signal) {
      const answer = Promise.withResolvers<Response>();
      signal.addEventListener("abort", () => answer.reject(new Error("aborted")));
      opened.push({ signal, answer });
      return answer.promise;
    },
  });
  const settle = () => new Promise((done) => setTimeout(done));
  /** Answers the newest request with a connection that says what it is given. */
  const accept = async () => {
    let controller!: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({ start: (own) => void (controller = own) });
    opened.at(-1)!.signal.addEventListener("abort", () => controller.error(new Error("aborted")));
    opened.at(-1)!.answer.resolve(new Response(body));
    await settle();
    return {
      say: async (text: string) => {
        controller.enqueue(new TextEncoder().encode(text));
        await settle();
      },
      end: async () => {
        controller.close();
        await settle();
      },
    };
  };
  const refuse = async (status: number) => {
    opened.at(-1)!.answer.resolve(new Response(null, { status }));
    await settle();
  };
  const pauses = () => [...page.waits.values()];
  /** Lets the only pause pass. */
  const pass = async () => {
    const [call] = page.waits.keys();
    page.waits.delete(call);
    call();
    await settle();
  };
  return { page, reader, news, accept, refuse, pauses, pass, settle, opened, lost: () => lost };
}

Deno.test("a feed is live from its first sign of life to its end, which is told", async () => {
  const { reader, news, accept, lost, pauses } = aReader();
  reader.now();
  const connection = await accept();
  await connection.say(LIST.slice(0, 20));
  await connection.say(LIST.slice(20));
  assert.deepEqual([reader.isLive, news.length], [false, 1]);
  await connection.say(BEAT.slice(0, 5));
  assert.equal(reader.isLive, false);
  await connection.say(BEAT.slice(5));
  assert.equal(reader.isLive, true);
  await connection.end();
  assert.deepEqual([reader.isLive, lost(), pauses()], [false, 1, [3000]]);
  reader.stop();
});

Deno.test("a feed that a proxy holds back after its first pieces is never live, and is tried less and less often", async () => {
  const { reader, accept, pass, pauses, opened } = aReader();
  reader.now();
  const waited: number[] = [];
  for (let tries = 0; tries < 6; tries++) {
    const connection = await accept();
    await connection.say(LIST + LIST + LIST.slice(0, 9));
    assert.equal(reader.isLive, false);
    assert.deepEqual(pauses(), [12_000]);
    await pass();
    waited.push(...pauses());
    await pass();
  }
  assert.deepEqual(waited, [3000, 6000, 12_000, 24_000, 48_000, 60_000]);
  assert.equal(opened.length, 7);
  reader.stop();
});

Deno.test("a feed that is refused is tried again after longer and longer pauses, and nobody is told", async () => {
  const { reader, accept, refuse, pass, pauses, opened, lost } = aReader();
  reader.now();
  const waited: number[] = [];
  for (let tries = 0; tries < 7; tries++) {
    await refuse(503);
    waited.push(...pauses());
    await pass();
  }
  assert.deepEqual(waited, [3000, 6000, 12_000, 24_000, 48_000, 60_000, 60_000]);
  assert.deepEqual([opened.length, lost()], [8, 0]);
  const connection = await accept();
  await connection.say(LIST + BEAT);
  await connection.end();
  assert.deepEqual(pauses(), [3000], "one that worked begins anew");
  reader.stop();
});

Deno.test("a feed that says nothing for 12 s is given up", async () => {
  const { reader, accept, pass, pauses, opened, lost } = aReader();
  reader.now();
  const connection = await accept();
  await connection.say(LIST + BEAT);
  assert.deepEqual(pauses(), [12_000]);
  await pass();
  assert.deepEqual([reader.isLive, lost(), opened[0].signal.aborted], [false, 1, true]);
  reader.stop();
});

Deno.test("a hidden page listens to nothing, and listens again when seen", async () => {
  const { page, reader, accept, settle, opened, lost, pauses } = aReader();
  reader.now();
  await (await accept()).say(LIST + BEAT);
  page.isHidden = true;
  reader.now();
  await settle();
  assert.deepEqual([reader.isLive, opened[0].signal.aborted, lost(), pauses()], [false, true, 0, []]);
  reader.now();
  page.isHidden = false;
  reader.now();
  reader.now();
  assert.equal(opened.length, 2, "one connection at a time");
  reader.stop();
  await settle();
  assert.deepEqual([opened[1].signal.aborted, pauses()], [true, []]);
});
