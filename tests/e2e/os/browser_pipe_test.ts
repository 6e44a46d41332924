/** A browser's two named pipes, with the test as the browser. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Message } from "../../../lib/browser/messages.ts";
import { BrowserPipe } from "../../../lib/browser/pipe.ts";
import { makeFifo } from "../../../lib/machine/os/fifo.ts";
import { withTimeout } from "../../../lib/machine/tools/time.ts";
import { tempDir } from "../../support/fixture.ts";
import { until } from "../../support/same.ts";
import { tellTime } from "../../support/times.ts";
import { pause } from "../../support/within.ts";
import { inSoak } from "../../support/soak.ts";

/** Pipes, which a browser has open as Chromium does, until it ends. */
async function aBrowser() {
  const dir = await tempDir();
  const paths = { input: join(dir.path, "in"), output: join(dir.path, "out") };
  for (const path of Object.values(paths)) await makeFifo(path, 0o600);
  const open = () => Object.values(paths).map((path) => Deno.openSync(path, { read: true, write: true }));
  let files = open();
  const end = () => files.splice(0).forEach((file) => file.close());
  return {
    paths,
    /** What we were told: so many bytes are there. */
    read: async (count: number) => {
      const bytes = new Uint8Array(count);
      for (let at = 0; at < count;) at += (await files[0].read(bytes.subarray(at)))!;
      return new TextDecoder().decode(bytes);
    },
    write: (text: string) => void files[1].writeSync(new TextEncoder().encode(text)),
    end,
    restart: () => files = open(),
    [Symbol.asyncDispose]: async () => {
      end();
      await dir[Symbol.asyncDispose]();
    },
  };
}

function listening(pipe: BrowserPipe): Message[] {
  const got: Message[] = [];
  pipe.onmessage = (message) => void got.push(message);
  return got;
}

Deno.test("pipe: without a browser there is none", async () => {
  await using browser = await aBrowser();
  browser.end();
  assert.throws(() => new BrowserPipe(browser.paths), /nobody reads/);
});

Deno.test("pipe: a browser that ends before it has said anything is noticed, though the next one's pipe is there", async () => {
  await using browser = await aBrowser();
  const pipe = new BrowserPipe(browser.paths);
  // as a start of the next browser does, before ours has opened what it says
  await Deno.remove(browser.paths.output);
  await makeFifo(browser.paths.output, 0o600);
  browser.end();
  await withTimeout(3000, pipe.ended, "not noticed");
});

Deno.test("pipe: what one ended in the middle of is ended first, and messages go both ways", async () => {
  await using browser = await aBrowser();
  const pipe = new BrowserPipe(browser.paths);
  const got = listening(pipe);
  pipe.send('{"id":1}');
  assert.equal(await browser.read(10), '\0{"id":1}\0');
  browser.write('rest of a message"}\0{"id":1,"result":{}}\0{"meth');
  browser.write('od":"Page.x"}\0');
  await until("both messages", () => got.length === 2);
  assert.deepEqual(got, [{ id: 1, result: {} }, { method: "Page.x" }]);
  await pipe.close();
});

Deno.test("pipe: it ends with its browser, and nothing of it reaches the next one", async () => {
  await using browser = await aBrowser();
  const pipe = new BrowserPipe(browser.paths);
  const got = listening(pipe);
  assert.equal(await browser.read(1), "\0");
  browser.write('{"id":1}\0');
  await until("the message", () => got.length === 1);
  pipe.send("for the old one");
  browser.end();
  await pipe.ended;
  assert.throws(() => pipe.send("late"), /does not run/);
  browser.restart();
  const next = new BrowserPipe(browser.paths);
  next.send("new");
  assert.equal(await browser.read(5), "\0new\0");
  await next.close();
});

Deno.test("pipe: a browser that does not read blocks nothing, holds at most 4 MiB, and goes on where it was", async () => {
  await using browser = await aBrowser();
  const pipe = new BrowserPipe(browser.paths);
  const text = "x".repeat(99_999);
  let count = 0;
  assert.throws(() => {
    for (; count < 1000; count++) pipe.send(text);
  }, /does not read/);
  assert.ok(count >= 40 && count <= 45, `${count} messages`);
  await pause(5); // it tries again meanwhile
  let taken = await browser.read(1);
  for (let left = count * 100_000; left > 0;) {
    const size = Math.min(left, 4096);
    taken += await browser.read(size);
    left -= size;
  }
  assert.equal(taken, `\0${`${text}\0`.repeat(count)}`);
  pipe.send("more");
  assert.equal(await browser.read(5), "more\0");
  await pipe.close();
});

Deno.test("pipe: for a browser that does not read at most some thousand messages wait, however short they are", async () => {
  await using browser = await aBrowser();
  const pipe = new BrowserPipe(browser.paths);
  let count = 0;
  assert.throws(() => {
    for (; count < 1_000_000; count++) pipe.send("{}");
  }, /does not read/);
  assert.ok(count < 8192 + 64 * 1024 / 3, `${count} messages`);
  await pipe.close();
});

inSoak(Deno.test)(
  "pipe: 32 MB of NULs, and 100,000 messages of nothing, keep nobody waiting and hide no message",
  async () => {
    await using browser = await aBrowser();
    const pipe = new BrowserPipe(browser.paths);
    const got = listening(pipe);
    const floods = {
      NULs: 'head -c 32000000 /dev/zero >"$0"',
      nothings: "yes '{}' | tr '\\n' '\\0' | head -c 300000 >\"$0\"",
    };
    for (const [what, script] of Object.entries(floods)) {
      const writer = new Deno.Command("/bin/sh", { args: ["-c", script, browser.paths.output] }).spawn();
      let [longest, before] = [0, performance.now()];
      const beat = setInterval(() => {
        longest = Math.max(longest, performance.now() - before);
        before = performance.now();
      }, 5);
      await writer.status;
      browser.write(`{"method":"after ${what}"}\0`);
      await until("the message", () => got.some(({ method }) => method === `after ${what}`));
      clearInterval(beat);
      tellTime(`the longest wait of others beside ${what} in a browser's pipe`, longest / 1000, 0.5);
    }
    await pipe.close();
  },
);

Deno.test("pipe: its reader ends with it, and it holds its browser's pipe no longer", async () => {
  await using browser = await aBrowser();
  const pipe = new BrowserPipe(browser.paths);
  const readers = () =>
    [...Deno.readDirSync("/proc")].filter(({ name }) => {
      try {
        return Deno.readTextFileSync(`/proc/${name}/cmdline`).includes(`cat\0--\0${browser.paths.output}`);
      } catch {
        return false;
      }
    }).length;
  const held = () =>
    [...Deno.readDirSync("/proc/self/fd")].filter(({ name }) => {
      try {
        return Deno.readLinkSync(`/proc/self/fd/${name}`) === browser.paths.input;
      } catch {
        return false;
      }
    }).length;
  await until("the reader", () => readers() === 1);
  assert.equal(held(), 2, "ours, and the browser's");
  await pipe.close();
  assert.deepEqual([readers(), held()], [0, 1]);
});
