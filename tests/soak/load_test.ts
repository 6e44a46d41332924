/**
 * Nothing that one client sends keeps the others waiting: the event loop goes on within 50 ms of its thread's own work,
 * on a processor as fast as the one on which that was set.
 */
import { strict as assert } from "node:assert";
import { PIPELINE_PROGRAMS } from "../../lib/model/programs.ts";
import { appTest, type TestApp } from "../support/app.ts";
import { FeedListener } from "../support/feed_listener.ts";
import { aProgram } from "../support/fixture.ts";
import { HUGE_TEXTS, IMPORTS, many, url } from "../support/loads.ts";

/** How many times as long this processor takes for known work as the one on which the limits were set: 12 ms; three at most. */
const SLOWNESS = Math.min(3, Math.max(1, knownWorkMs() / 12));
const MAX_GAP_MS = 50 * SLOWNESS;
/** Of so many tries the best counts: collecting garbage is no part of it. */
const TRIES = 4;
const CHUNK = 64 * 1024;

/** Milliseconds that this thread has worked for, in the kernel's steps of some. Other programs' work is not in it. */
function workedMs(): number {
  return Number(Deno.readTextFileSync("/proc/thread-self/schedstat").split(" ", 1)[0]) / 1e6;
}

/** How long this processor reads 8 MB of JSON for. */
function knownWorkMs(): number {
  const bytes = new TextEncoder().encode(JSON.stringify(Array(32).fill("x".repeat(250_000))));
  const from = workedMs();
  for (let at = 0; at < 20; at++) JSON.parse(new TextDecoder().decode(bytes));
  return (workedMs() - from) / 20;
}

/** The longest work in which nothing else had its turn, in milliseconds. */
async function longestGap(action: () => Promise<unknown>): Promise<number> {
  let last = workedMs();
  let longest = 0;
  const tick = () => {
    const now = workedMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(tick, 1);
  try {
    await action();
    tick();
    return longest;
  } finally {
    clearInterval(timer);
  }
}

/** The text as a network would bring it. */
function inChunks(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      await new Promise((done) => setTimeout(done));
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at += CHUNK));
    },
  });
}

async function send(
  app: TestApp,
  method: string,
  path: string,
  bytes?: Uint8Array<ArrayBuffer>,
): Promise<number> {
  const body = bytes ? { body: inChunks(bytes), headers: { "content-type": "application/json" } } : {};
  const answer = await app.fetch(path, { method, ...body });
  for await (const _ of answer.body ?? []);
  return answer.status;
}

async function checkGap(app: TestApp, what: string, wanted: number, ...request: [string, string, string?]) {
  const [method, path, text] = request;
  const bytes = text === undefined ? undefined : new TextEncoder().encode(text);
  const gaps: number[] = [];
  while (gaps.length < TRIES && Math.min(...gaps) > MAX_GAP_MS / 2) {
    let status = 0;
    gaps.push(await longestGap(async () => status = await send(app, method, path, bytes)));
    assert.equal(status, wanted, what);
  }
  const shown = gaps.map((gap) => gap.toFixed(0)).join(", ");
  assert.ok(Math.min(...gaps) < MAX_GAP_MS, `${what}: blocked for ${shown} ms`);
}

appTest("no import blocks anybody", async (app) => {
  for (const [what, status, text] of IMPORTS) {
    await checkGap(app, what, status, "POST", "/api/streams/import?preview", text());
  }
});

appTest(
  "a large list blocks nobody: import, the same again, and every address that shows it",
  async (app) => {
    // as long as they may be, of characters that are written as six
    const [name, group] = ['<"'.repeat(58), '<"'.repeat(28)];
    const stopped = { url, desiredState: "stopped", note: "x".repeat(2500) };
    const list = JSON.stringify(
      many(1000, (at) => ({ name: `${name}${at}`, group: `${group}${at}`, id: `s${at}`, ...stopped })),
    );
    await checkGap(app, "import", 200, "POST", "/api/streams/import", list);
    await checkGap(app, "reorder", 400, "PUT", "/api/streams/reorder", `{"ids":[${"1,".repeat(4900)}1]}`);
    const ids = JSON.stringify({ ids: many(4900, (at) => `s${at % 1000}`) });
    await checkGap(app, "another order", 409, "PUT", "/api/streams/reorder", ids);
    for (
      const path of [
        "/",
        "/api/streams",
        "/api/streams/export",
        "/api/streams/heartbeats",
        "/api/streams/statuses",
        "/playlist.m3u",
        "/epg.xml",
        "/metrics",
        "/api/system",
      ]
    ) {
      await checkGap(app, path, 200, "GET", path);
    }
  },
);

appTest(
  "a thousand streams and fifty who listen to their events block nobody: at the first, and when all change",
  async (app) => {
    const list = many(1000, (at) => ({ name: `S${at}`, url, id: `s${at}`, desiredState: "stopped" }));
    assert.equal((await app.api("POST", "/api/streams/import", list)).status, 200);
    const listeners: FeedListener[] = [];
    const gaps: number[] = [];
    while (gaps.length < TRIES && Math.min(...gaps) > MAX_GAP_MS / 2) {
      for (const listener of listeners.splice(0)) await listener[Symbol.asyncDispose]();
      gaps.push(
        await longestGap(async () => {
          const answers = await Promise.all(many(50, () => app.fetch("/api/events")));
          listeners.push(...answers.map((answer) => new FeedListener(answer)));
          await Promise.all(listeners.map((listener) => listener.until("state")));
        }),
      );
    }
    assert.ok(Math.min(...gaps) < MAX_GAP_MS, `the first blocked for ${gaps} ms`);
    const changes: number[] = [];
    while (changes.length < TRIES && Math.min(...changes) > MAX_GAP_MS / 2) {
      for (const { thumbnail } of app.service.fleet.list()) thumbnail.adopt(changes.length + 1);
      changes.push(
        await longestGap(async () => {
          await app.service.feed.round();
          await Promise.all(listeners.map((listener) => listener.until("thumbnail")));
        }),
      );
    }
    for (const listener of listeners) await listener[Symbol.asyncDispose]();
    assert.ok(Math.min(...changes) < MAX_GAP_MS, `all that changed blocked for ${changes} ms`);
  },
);

appTest(
  "access tokens at their limit block nobody: made, listed, used and told of a stream that is gone",
  async (app) => {
    const ids = many(1000, (at) => `s${at}-${"x".repeat(50)}`);
    const streams = ids.map((id) => ({ id, name: "S", url, desiredState: "stopped" }));
    assert.equal((await app.api("POST", "/api/streams/import", streams)).status, 200);
    const large = JSON.stringify({ name: "Hotel", streams: ids });
    const { token } = (await app.api("POST", "/api/access-tokens", JSON.parse(large))).json;
    for (let status = 201; status === 201;) {
      ({ status } = await app.api("POST", "/api/access-tokens", JSON.parse(large)));
    }
    await checkGap(app, "one more", 409, "POST", "/api/access-tokens", large);
    await checkGap(app, "the list", 200, "GET", "/api/access-tokens");
    await checkGap(app, "a playlist", 200, "GET", `/t/${token}/playlist.m3u`);
    const uses: number[] = [];
    while (uses.length < TRIES && Math.min(...uses) > MAX_GAP_MS / 2) {
      uses.push(
        await longestGap(async () => {
          app.machine.advance(11 * 60_000);
          await app.fetch(`/t/${token}/playlist.m3u`);
          await app.service.accessTokens.settled();
        }),
      );
    }
    assert.ok(Math.min(...uses) < MAX_GAP_MS, `noting a use blocked for ${uses} ms`);
    const gaps = [];
    for (const id of ids.slice(0, TRIES)) {
      gaps.push(
        await longestGap(() => app.api("DELETE", `/api/streams/${id}`)),
      );
    }
    assert.ok(Math.min(...gaps) < MAX_GAP_MS, `deleting a stream blocked for ${gaps} ms`);
  },
);

appTest(
  "figures and metrics of 60 streams that run block nobody for more than a few milliseconds",
  async (app) => {
    const streams = many(60, (at) => ({ name: `Screen ${at}`, url, desiredState: "stopped" }));
    assert.equal((await app.api("POST", "/api/streams/import", streams)).status, 200);
    const ids = many(60, (at) => `screen-${at}`);
    const programs = ids.flatMap((id) => PIPELINE_PROGRAMS.map((kind) => `${kind}-${id}`));
    app.machine.programs = () => Promise.resolve(programs.map((name, at) => aProgram(name, { pid: at + 1 })));
    app.machine.memory = (pids) => Promise.resolve(new Map(pids.map((pid) => [pid, 1e8])));
    app.machine.processorTimes = (pids) => Promise.resolve(new Map(pids.map((pid) => [pid, 1000])));
    for (const path of ["/metrics", "/api/system", "/api/figures"]) {
      const gaps: number[] = [];
      while (gaps.length < 10 && Math.min(...gaps) > 5) {
        app.machine.advance(5000); // measured anew
        gaps.push(await longestGap(async () => assert.equal(await send(app, "GET", path), 200)));
      }
      const shown = gaps.map((gap) => gap.toFixed(1)).join(", ");
      assert.ok(Math.min(...gaps) < 10 * SLOWNESS, `${path}: blocked for ${shown} ms`);
    }
  },
);

const MAX_HELD = 100 * 1024 * 1024;

appTest("clients that take nothing of a large guide make us hold little of it", async (app) => {
  const name = '<"'.repeat(58);
  const streams = many(
    1000,
    (at) => ({ name: `${name}${at}`, group: name.slice(0, 60), url, desiredState: "stopped" }),
  );
  assert.equal((await app.api("POST", "/api/streams/import", streams)).status, 200);
  const before = Deno.memoryUsage().rss;
  const readers = await Promise.all(many(50, async () => {
    const answer = await app.fetch("/epg.xml");
    assert.ok(Number(answer.headers.get("content-length")) > 40_000_000);
    const reader = answer.body!.getReader();
    await reader.read();
    return reader;
  }));
  const held = Deno.memoryUsage().rss - before;
  for (const reader of readers) await reader.cancel();
  assert.ok(held < MAX_HELD, `${(held / 1024 / 1024).toFixed()} MiB for ${readers.length} clients`);
});

appTest("texts of 200 KB in any field block nobody", async (app) => {
  for (const [field, texts] of Object.entries(HUGE_TEXTS)) {
    for (const text of texts) {
      const body = JSON.stringify({ name: "Clock", url, [field]: text });
      await checkGap(app, `${field} ${text.slice(0, 10)}`, 400, "POST", "/api/streams", body);
    }
  }
});
