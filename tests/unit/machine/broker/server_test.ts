import assert from "node:assert/strict";
import { join } from "node:path";
import { brokerAt } from "../../../../lib/machine/broker/client.ts";
import type { Broker } from "../../../../lib/machine/broker/protocol.ts";
import type { Repair } from "../../../../lib/machine/broker/repairs.ts";
import { listenForRequests } from "../../../../lib/machine/broker/server.ts";
import { streamId } from "../../../../lib/model/id.ts";
import { setLogLevel } from "../../../../lib/machine/tools/log.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { tempDir } from "../../../support/fixture.ts";
import { same } from "../../../support/same.ts";

setLogLevel("error");

const me = { name: "me", uid: Deno.uid()!, gid: Deno.gid()! };
const id = streamId("clock");
const never = new AbortController().signal;

/** A broker behind a socket that notes what it is asked. */
async function behindSocket(
  parts: Partial<Broker>,
  test: (path: string, calls: unknown[][]) => Promise<void>,
) {
  await using dir = await tempDir();
  const path = join(dir.path, "broker.sock");
  const calls: unknown[][] = [];
  const note = (name: string) => (...args: unknown[]) => {
    calls.push([name, ...args]);
    return Promise.resolve();
  };
  const server = await listenForRequests(path, me, {
    prepare: (...args) => note("prepare")(...args).then(() => true),
    release: note("release"),
    reset: note("reset"),
    disown: note("disown"),
    remove: note("remove"),
    mute: note("mute"),
    unmute: note("unmute"),
    measure: () => Promise.resolve(2 ** 40),
    capture: () => Promise.resolve(new Uint8Array()),
    watch: async function* () {},
    pack: () => Promise.resolve(new Uint8Array(3_000_000).fill(7)),
    unpack: note("unpack"),
    hasSound: () => Promise.resolve(true),
    repairs: () => Promise.resolve([]),
    ...parts,
  });
  try {
    await test(path, calls);
  } finally {
    await server.stop();
  }
}

Deno.test("each request is carried out once, and answered", async () => {
  await behindSocket({}, async (path, calls) => {
    const broker = brokerAt(path);
    assert.equal(
      await broker.prepare(id, { display: 101, resolution: "1280x720", memoryLimitMb: 1500 }),
      true,
    );
    for (const action of ["release", "reset", "disown", "remove", "mute", "unmute"] as const) {
      await broker[action](id);
    }
    assert.equal(await broker.measure(id), 2 ** 40);
    assert.deepEqual(calls, [
      ["prepare", "clock", { display: 101, resolution: "1280x720", memoryLimitMb: 1500 }],
      ...["release", "reset", "disown", "remove", "mute", "unmute"].map((action) => [action, "clock"]),
    ]);
  });
});

Deno.test("what a page has stored is asked for and given, whole; a request that says another length is refused", async () => {
  await behindSocket({}, async (path, calls) => {
    const broker = brokerAt(path);
    const packed = await broker.pack(id);
    assert.ok(packed.length === 3_000_000 && packed.every((byte) => byte === 7));
    await broker.unpack(id, packed);
    await broker.unpack(id, new Uint8Array());
    assert.deepEqual(calls.map((call) => [call[0], call[1], (call[2] as Uint8Array).length]), [
      ["unpack", "clock", 3_000_000],
      ["unpack", "clock", 0],
    ]);
    assert.ok((calls[0][2] as Uint8Array).every((byte) => byte === 7));
    using connection = await Deno.connect({ transport: "unix", path });
    await connection.write(new TextEncoder().encode("release clock\nrelease clock\n"));
    assert.equal(await connection.read(new Uint8Array(8)), null, "nothing follows a request");
    assert.equal(calls.length, 2);
  });
});

Deno.test("of what pages have stored, two are held at once, of pictures eight, and eight questions; others wait for none of them", async () => {
  const held = Promise.withResolvers<void>();
  let [now, most] = [0, 0];
  const hold = async () => {
    most = Math.max(most, ++now);
    await held.promise;
    now--;
  };
  const parts: Partial<Broker> = {
    pack: () => hold().then(() => new Uint8Array(10)),
    unpack: () => hold(),
    capture: () => hold().then(() => new Uint8Array(10)),
    measure: () => hold().then(() => 10),
    hasSound: () => hold().then(() => true),
  };
  await behindSocket(parts, async (path) => {
    // also where it fails: a server that stops waits for what is under way
    using _end = { [Symbol.dispose]: () => held.resolve() };
    const broker = brokerAt(path);
    const profiles = [1, 2, 3].flatMap(() => [broker.pack(id), broker.unpack(id, new Uint8Array(100_000))]);
    await same(() => now, 2);
    const pictures = Array.from({ length: 12 }, () => broker.capture(id, "1280x720", "png", never));
    await same(() => now, 2 + 8);
    const questions = Array.from(
      { length: 12 },
      (_, at) => at % 2 ? broker.measure(id) : broker.hasSound(id),
    );
    await same(() => now, 2 + 8 + 8);
    // what came later is answered meanwhile, so what came before has been read
    for (const _ of [1, 2, 3]) await broker.release(id);
    held.resolve();
    await Promise.all([...profiles, ...pictures, ...questions]);
    assert.equal(most, 2 + 8 + 8);
  });
});

Deno.test("an answer that nobody takes ends after 20 s, and gives its place to the next", async () => {
  const packed = new Uint8Array(8 * 1024 * 1024);
  await behindSocket({ pack: () => Promise.resolve(packed) }, async (path) => {
    using clock = new FakeClock();
    using silent = new DisposableStack();
    const ask = async () => {
      const connection = silent.use(await Deno.connect({ transport: "unix", path }));
      await connection.write(new TextEncoder().encode(`pack ${id}\n`));
      return connection;
    };
    const begins = async (connection: Deno.Conn) => {
      const first = new Uint8Array(1);
      await connection.read(first);
      return String.fromCharCode(first[0]);
    };
    for (const connection of [await ask(), await ask()]) assert.equal(await begins(connection), "o");
    let next = "";
    const begun = begins(await ask()).then((first) => next = first);
    // what came later is answered meanwhile, so the third has been read
    for (const _ of [1, 2, 3]) await brokerAt(path).release(id);
    assert.equal(next, "");
    while (next === "") await clock.advance(21_000);
    await begun;
    assert.equal(next, "o");
  });
});

Deno.test("what was repaired is told, and whether there is sound", async () => {
  const repair = {
    number: 3,
    ageMs: 1500,
    program: "encoder-clock",
    isPart: false,
    reason: "stopped",
  };
  const parts = {
    repairs: (after: number) => Promise.resolve([{ ...repair, number: after + 1 } as Repair]),
    hasSound: () => Promise.resolve(false),
  };
  await behindSocket(parts, async (path) => {
    const broker = brokerAt(path);
    assert.deepEqual(await broker.repairs(2), [repair]);
    assert.equal(await broker.hasSound(id), false);
  });
  await behindSocket({}, async (path) => {
    assert.deepEqual(await brokerAt(path).repairs(0), []);
    assert.equal(await brokerAt(path).hasSound(id), true);
  });
});

Deno.test("nobody but the web app's user, and root, can connect", async () => {
  await behindSocket({}, async (path) => {
    const { mode, uid } = await Deno.lstat(path);
    assert.deepEqual([mode! & 0o777, uid], [0o600, me.uid]);
  });
});

Deno.test("what fails says why, in one line", async () => {
  await behindSocket({ release: () => Promise.reject(new Error("no\nspace\tleft")) }, async (path) => {
    await assert.rejects(brokerAt(path).release(id), /^ProcessError: no space left$/);
  });
});

Deno.test("a thumbnail's bytes come as they are, whatever they are", async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(60_000));
  bytes.set(new TextEncoder().encode("error\n"));
  await behindSocket({ capture: () => Promise.resolve(bytes) }, async (path) => {
    assert.deepEqual(await brokerAt(path).capture(id, "1280x720", "thumbnail", never), bytes);
  });
});

Deno.test("who goes away ends the capture under way", async () => {
  const ended = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const capture: Broker["capture"] = (_id, _resolution, _kind, signal) => {
    begun.resolve();
    return new Promise((_, reject) =>
      signal.addEventListener("abort", () => {
        ended.resolve();
        reject(new Error("aborted"));
      })
    );
  };
  await behindSocket({ capture }, async (path) => {
    const leaving = new AbortController();
    const asked = brokerAt(path).capture(id, "1280x720", "thumbnail", leaving.signal);
    await begun.promise;
    leaving.abort();
    await assert.rejects(asked, /cancelled/);
    await ended.promise;
  });
});

Deno.test("a display's pictures come as they are made, until who watches goes away", async () => {
  const ended = Promise.withResolvers<void>();
  const watch: Broker["watch"] = async function* (_id, _resolution, fps, signal) {
    const left = new Promise<void>((done) => signal.addEventListener("abort", () => done()));
    yield new TextEncoder().encode(`error at ${fps}\n`);
    yield Uint8Array.of(0, 10, 255);
    await left;
    ended.resolve();
  };
  await behindSocket({ watch }, async (path) => {
    const leaving = new AbortController();
    const seen: number[] = [];
    for await (const bytes of brokerAt(path).watch(id, "1280x720", 5, leaving.signal)) {
      seen.push(...bytes);
      if (seen.at(-1) === 255) leaving.abort();
    }
    assert.equal(new TextDecoder().decode(Uint8Array.from(seen.slice(0, -3))), "error at 5\n");
    await ended.promise;
  });
});

Deno.test("a display that cannot be watched says why; the service's end ends all that watch", async () => {
  const watch: Broker["watch"] = async function* (_id, _resolution, fps, signal) {
    if (fps === 1) throw new Error("it is not running");
    yield Uint8Array.of(1);
    await new Promise((done) => signal.addEventListener("abort", done));
  };
  const read = async (path: string, fps: number) => {
    for await (const _ of brokerAt(path).watch(id, "1280x720", fps, never)) ended.resolve();
  };
  const ended = Promise.withResolvers<void>();
  let watching = Promise.resolve();
  await behindSocket({ watch }, async (path) => {
    await assert.rejects(read(path, 1), /it is not running/);
    watching = read(path, 2);
    await ended.promise;
  });
  await watching;
});

for (const garbage of ["nonsense\n", `release ${"x".repeat(500)}`, "release ../../etc\n", "\n", "\0\0\0\n"]) {
  Deno.test(`garbage does nothing: ${JSON.stringify(garbage.slice(0, 20))}`, async () => {
    await behindSocket({}, async (path, calls) => {
      using connection = await Deno.connect({ transport: "unix", path });
      await connection.write(new TextEncoder().encode(garbage));
      const answer = await new Response(connection.readable).text().catch(() => "");
      assert.ok(answer === "" || answer.startsWith("error "), answer);
      assert.deepEqual(calls, []);
      await brokerAt(path).release(id); // the next one is served
    });
  });
}

Deno.test("without a broker a request fails at once", async () => {
  await using dir = await tempDir();
  await assert.rejects(brokerAt(join(dir.path, "none.sock")).release(id));
});
