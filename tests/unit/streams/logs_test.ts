import { streamId } from "../../../lib/streams/id.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { ServiceError } from "../../../lib/errors.ts";
import type { LogPart } from "../../../lib/streams/log_text.ts";
import { LOG_PROGRAMS, logPlace, logProgram, StreamLogs } from "../../../lib/streams/logs.ts";
import { tempDir } from "../../support/fixture.ts";

const KIB = 1024;

/** A test with the logs of a stream "a" in a folder that goes away. */
function withLogs(name: string, test: (logs: StreamLogs, folder: string) => Promise<void>) {
  Deno.test(name, async () => {
    await using dir = await tempDir();
    const folder = join(dir.path, streamId("a"));
    await Deno.mkdir(folder);
    await test(new StreamLogs(dir.path, streamId("a")), folder);
  });
}

/** Lines of 100 bytes, numbered from `first`. */
function lines(first: number, count: number): string {
  return Array.from({ length: count }, (_, at) => `line ${first + at} `.padEnd(99, ".") + "\n").join("");
}

/** Where a reader begins who wants all there is. */
const ALL = "0.0-0";

/** What an answer's reader is told after `next` of the answer before; nothing: the end of the log. */
function readOn(logs: StreamLogs, next?: string): Promise<LogPart> {
  return logs.read("encoder", logPlace(next ?? null));
}

/** Text of an answer, and the byte where to go on. */
function shown({ text, next }: LogPart): [text: string, next: number] {
  return [text, logPlace(next)!.offset];
}

/** Reads on until nothing more comes. */
async function follow(logs: StreamLogs, next: string): Promise<LogPart & { parts: number }> {
  let text = "";
  for (let parts = 0;; parts++) {
    const part = await readOn(logs, next);
    text += part.text;
    if (part.next === next) return { text, next, parts };
    next = part.next;
  }
}

withLogs("only logs that are there are listed, in pipeline order", async (logs, folder) => {
  assert.deepEqual(await logs.list(), []);
  await Deno.writeTextFile(join(folder, "encoder.log"), "12345");
  await Deno.writeTextFile(join(folder, "display.log"), "123");
  await Deno.writeTextFile(join(folder, "display.log.1"), "4567");
  await Deno.writeTextFile(join(folder, "autologin.log.1"), "1");
  await Deno.writeTextFile(join(folder, "other.log"), "1");
  await Deno.utime(join(folder, "encoder.log"), 1000, 1000);
  const list = await logs.list();
  assert.deepEqual(list.map(({ name, size }) => [name, size]), [["display", 7], ["encoder", 5], [
    "autologin",
    1,
  ]]);
  assert.equal(list[1].changedAt, 1_000_000);
});

withLogs("a short log is read whole, and followed", async (logs, folder) => {
  const path = join(folder, "encoder.log");
  const none = await readOn(logs);
  assert.deepEqual([shown(none), await readOn(logs, none.next)], [["", 0], none]);
  await Deno.writeTextFile(path, "one\n");
  const one = await readOn(logs);
  assert.deepEqual([shown(one), await readOn(logs, none.next)], [["one\n", 4], one]);
  await Deno.writeTextFile(path, "two\n", { append: true });
  const two = await readOn(logs, one.next);
  assert.deepEqual(shown(two), ["two\n", 8]);
  assert.deepEqual(await readOn(logs, two.next), { text: "", next: two.next });
});

withLogs("of a long log the last 64 KiB come first, from a line's start", async (logs, folder) => {
  await Deno.writeTextFile(join(folder, "encoder.log"), lines(0, 2000));
  const [text, next] = shown(await readOn(logs));
  assert.match(text, /^line 1345 /);
  assert.deepEqual([next, text.length], [200_000, 65_500]);
});

withLogs("one line longer than that begins with a whole character", async (logs, folder) => {
  await Deno.writeTextFile(join(folder, "encoder.log"), "x" + "日".repeat(50_000) + "\n");
  const [text, next] = shown(await readOn(logs));
  assert.match(text, /^日+\n$/);
  assert.equal(next, 150_002);
});

withLogs("a reader who is far behind gets 256 KiB at a time, no character cut", async (logs, folder) => {
  const all = "x" + "🎥日é\n".repeat(100_000);
  await Deno.writeTextFile(join(folder, "encoder.log"), all);
  const { parts, ...read } = await follow(logs, ALL);
  const [text, next] = shown(read);
  assert.ok(text === all);
  assert.deepEqual([next, parts], [1_000_001, 4]);
  const [, first] = shown(await readOn(logs, ALL));
  assert.ok(first <= 256 * KIB && first > 256 * KIB - 4, String(first));
});

withLogs("a character that is being written comes with its rest", async (logs, folder) => {
  const path = join(folder, "encoder.log");
  const bytes = new TextEncoder().encode("é🎥\n");
  for (let length = 0; length < bytes.length; length++) {
    await Deno.writeFile(path, bytes.subarray(0, length));
    const { text } = await readOn(logs, ALL);
    assert.ok(!text.includes("\ufffd"), `after ${length} bytes: ${text}`);
  }
  await Deno.writeFile(path, new Uint8Array([0x61, 0xf0, 0x9f]));
  const begun = await readOn(logs, ALL);
  assert.deepEqual(shown(begun), ["a", 1]);
  await Deno.writeFile(path, new Uint8Array([0x62]), { append: true }); // it never was one
  assert.deepEqual(shown(await readOn(logs, begun.next)), ["\ufffdb", 4]);
});

withLogs("bytes that are no text do not keep a reader from going on", async (logs, folder) => {
  const bytes = new Uint8Array(600 * KIB).map((_, at) => [0x80, 0xff, 0xf0, 0x9f, 0xc3][at % 5]);
  await Deno.writeFile(join(folder, "encoder.log"), bytes);
  const { parts, ...read } = await follow(logs, ALL);
  const [, next] = shown(read);
  assert.ok(next > bytes.length - 4, String(next));
  assert.equal(parts, 3);
});

withLogs(
  "a log that was rotated goes on: first the old file's rest, then the new one",
  async (logs, folder) => {
    const [path, rotated] = [join(folder, "encoder.log"), join(folder, "encoder.log.1")];
    await Deno.writeTextFile(path, lines(0, 100));
    const { next } = await readOn(logs);
    await Deno.writeTextFile(path, lines(100, 10), { append: true });
    await Deno.rename(path, rotated);
    assert.equal((await readOn(logs, next)).text, lines(100, 10), "no new file yet");
    await Deno.writeTextFile(path, lines(110, 3));
    assert.deepEqual(shown(await readOn(logs, next)), [lines(100, 13), 300]);
    assert.deepEqual(shown(await readOn(logs)), [lines(0, 113), 300]);
  },
);

withLogs("nothing is lost when the new file is longer than the old one was read", async (logs, folder) => {
  const [path, rotated] = [join(folder, "encoder.log"), join(folder, "encoder.log.1")];
  await Deno.writeTextFile(path, lines(0, 100));
  const { next } = await readOn(logs);
  await Deno.writeTextFile(path, lines(100, 6000), { append: true });
  await Deno.rename(path, rotated);
  await Deno.writeTextFile(path, lines(6100, 900));
  const read = await follow(logs, next);
  assert.ok(read.text === lines(100, 6900), `${read.text.length} characters`);
  assert.equal(read.parts, 3);
  // twice since somebody looked: what is gone is gone, all the rest comes
  await Deno.rename(path, rotated);
  await Deno.writeTextFile(path, lines(7000, 200));
  assert.ok((await follow(logs, next)).text === lines(6100, 1100));
});

withLogs("the first 64 KiB reach back into the rotated file", async (logs, folder) => {
  await Deno.writeTextFile(join(folder, "encoder.log.1"), lines(0, 10_000));
  await Deno.writeTextFile(join(folder, "encoder.log"), lines(10_000, 5));
  const [text, next] = shown(await readOn(logs));
  assert.match(text, /^line 9350 /);
  assert.ok(text.endsWith(lines(10_000, 5)));
  assert.equal(next, 500);
});

withLogs("a log that is rotated while it is opened is not read twice", async (logs, folder) => {
  await Deno.writeTextFile(join(folder, "encoder.log"), "once\n");
  await Deno.link(join(folder, "encoder.log"), join(folder, "encoder.log.1")); // both paths led to the same file
  assert.deepEqual(shown(await readOn(logs)), ["once\n", 5]);
});

withLogs("a log that was emptied begins anew", async (logs, folder) => {
  const path = join(folder, "encoder.log");
  await Deno.writeTextFile(path, lines(0, 50));
  const { next } = await readOn(logs);
  await Deno.writeTextFile(path, "new\n");
  assert.deepEqual(shown(await readOn(logs, next)), ["new\n", 4]);
  await Deno.remove(path);
  assert.deepEqual(shown(await readOn(logs, next)), ["", 0]);
});

withLogs("a download is every byte, the rotated ones first", async (logs, folder) => {
  assert.equal(await logs.download("encoder"), null);
  const bytes = new Uint8Array(300 * KIB).map((_, at) => at % 251);
  await Deno.writeFile(join(folder, "encoder.log.1"), bytes);
  await Deno.writeTextFile(join(folder, "encoder.log"), "\x1b[31mred\n");
  const read = await new Response(await logs.download("encoder")).bytes();
  assert.deepEqual([...read.slice(0, bytes.length)], [...bytes]);
  assert.equal(new TextDecoder().decode(read.slice(bytes.length)), "\x1b[31mred\n");
});

withLogs("a download that is not fetched to its end leaves no open file", async (logs, folder) => {
  await Deno.writeTextFile(join(folder, "encoder.log"), lines(0, 10_000));
  const open = () => [...Deno.readDirSync("/proc/self/fd")].length;
  const before = open();
  for (let time = 0; time < 10; time++) {
    const reader = (await logs.download("encoder"))!.getReader();
    if (time % 2 === 0) await reader.read();
    await reader.cancel();
  }
  assert.ok(open() <= before + 1, `${before} -> ${open()}`);
});

withLogs("links and pipes lead nowhere", async (logs, folder) => {
  const secret = join(folder, "../secret");
  await Deno.writeTextFile(secret, "s3cret");
  await Deno.symlink(secret, join(folder, "encoder.log"));
  await Deno.symlink(secret, join(folder, "encoder.log.1"));
  const fifo = new Deno.Command("mkfifo", { args: [join(folder, "browser.log")] });
  assert.equal((await fifo.output()).code, 0);
  await Deno.mkdir(join(folder, "wm.log"));
  assert.deepEqual(await logs.list(), []);
  for (const program of ["encoder", "browser", "wm"] as const) {
    for (const next of [null, ALL, "0.0-3"]) {
      assert.equal((await logs.read(program, logPlace(next))).text, "");
    }
    assert.equal(await logs.download(program), null);
  }
});

Deno.test("a folder that is a link leads nowhere either", async () => {
  await using dir = await tempDir();
  await Deno.mkdir(join(dir.path, "elsewhere"));
  await Deno.writeTextFile(join(dir.path, "elsewhere/encoder.log"), "s3cret");
  await Deno.symlink("elsewhere", join(dir.path, streamId("a")));
  const logs = new StreamLogs(dir.path, streamId("a"));
  assert.deepEqual([await logs.list(), (await logs.read("encoder")).text, await logs.download("encoder")], [
    [],
    "",
    null,
  ]);
});

Deno.test("only these names have logs, and only paths are paths", () => {
  for (const program of LOG_PROGRAMS) assert.equal(logProgram(program), program);
  const names = [
    "",
    "encoder.log",
    "../encoder",
    "Encoder",
    "media",
    "__proto__",
    "constructor",
    "encoder\0",
    "length",
  ];
  for (const name of [...names, "x".repeat(5000)]) {
    assert.throws(() => logProgram(name), (error) => {
      assert.ok(error instanceof ServiceError && error.status === 404 && error.message.length < 200, name);
      return true;
    });
  }
  assert.deepEqual([logPlace(null), logPlace("12.34-2048")], [undefined, { file: "12.34", offset: 2048 }]);
  for (
    const text of ["", "2048", "-1", "1.5", "1.2-", "1.2-x", "1.2-3\n", "../1.2-3", `1.2-${"9".repeat(13)}`]
  ) {
    assert.throws(
      () => logPlace(text),
      (error) => error instanceof ServiceError && error.status === 400,
      text,
    );
  }
});
