import { streamId } from "../../../lib/model/id.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { ServiceError } from "../../../lib/errors.ts";
import { LOG_PROGRAMS, logOffset, logProgram, StreamLogs } from "../../../lib/store/logs.ts";
import { tempDir } from "../../support/fixture.ts";
import { openFiles } from "../../support/proc.ts";
import type { LogPart } from "../../../lib/model/answers/shapes.ts";

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

/** What an answer's reader is told after `next` of the answer before; nothing: the end of the log. */
function readOn(logs: StreamLogs, next?: string): Promise<LogPart> {
  return logs.read("encoder", logOffset(next ?? null));
}

/** Text of an answer, and the byte where to go on. */
function shown({ text, next }: LogPart): [text: string, next: number] {
  return [text, logOffset(next)!.offset];
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

withLogs("a log that appears is read whole", async (logs, folder) => {
  const none = await readOn(logs);
  assert.deepEqual([none.text, await readOn(logs, none.next)], ["", none]);
  await Deno.writeTextFile(join(folder, "encoder.log"), "one\n");
  assert.deepEqual(shown(await readOn(logs, none.next)), ["one\n", 4]);
});

withLogs("a reader who follows gets what came since", async (logs, folder) => {
  const path = join(folder, "encoder.log");
  await Deno.writeTextFile(path, "one\n");
  const { next } = await readOn(logs);
  assert.deepEqual(await readOn(logs, next), { text: "", next });
  await Deno.writeTextFile(path, "two\n", { append: true });
  assert.deepEqual(shown(await readOn(logs, next)), ["two\n", 8]);
});

withLogs("of a long log the last 64 KiB come first, from a line's start", async (logs, folder) => {
  await Deno.writeTextFile(join(folder, "encoder.log"), lines(0, 2000));
  const [text, next] = shown(await readOn(logs));
  assert.match(text, /^line 1345 /);
  assert.deepEqual([next, text.length], [200_000, 65_500]);
});

withLogs("one line longer than that is shown from its middle", async (logs, folder) => {
  await Deno.writeTextFile(join(folder, "encoder.log"), "x".repeat(100 * KIB) + "\n");
  assert.equal((await readOn(logs)).text.length, 64 * KIB);
});

withLogs("a reader who is far behind gets all of it, at most 256 KiB at a time", async (logs, folder) => {
  const path = join(folder, "encoder.log");
  await Deno.writeTextFile(path, "begin\n");
  let { next } = await readOn(logs);
  const added = "🎥日é\n".repeat(100_000);
  await Deno.writeTextFile(path, added, { append: true });
  let text = "";
  for (let part = await readOn(logs, next); part.text !== ""; part = await readOn(logs, next = part.next)) {
    assert.ok(new TextEncoder().encode(part.text).length <= 256 * KIB);
    text += part.text;
  }
  assert.ok(text === added);
});

withLogs("a line that is being written comes with its rest", async (logs, folder) => {
  const path = join(folder, "encoder.log");
  await Deno.writeTextFile(path, "");
  const { next } = await readOn(logs);
  const bytes = new TextEncoder().encode("one\n\x1b[31mé");
  await Deno.writeFile(path, bytes.subarray(0, -1), { append: true });
  const one = await readOn(logs, next);
  assert.deepEqual(shown(one), ["one\n", 4]);
  await Deno.writeFile(path, bytes.subarray(-1), { append: true });
  assert.deepEqual(shown(await readOn(logs, one.next)), ["é", bytes.length]);
});

withLogs("bytes without any line do not keep a reader from going on", async (logs, folder) => {
  const path = join(folder, "encoder.log");
  await Deno.writeTextFile(path, "");
  const { next } = await readOn(logs);
  await Deno.writeFile(path, new Uint8Array(300 * KIB).fill(0xff), { append: true });
  const first = await readOn(logs, next);
  assert.equal(logOffset(first.next)!.offset, 256 * KIB);
  assert.equal(logOffset((await readOn(logs, first.next)).next)!.offset, 300 * KIB);
});

withLogs("after a rotation the new file is read from its beginning", async (logs, folder) => {
  const path = join(folder, "encoder.log");
  await Deno.writeTextFile(path, lines(0, 3));
  const { next } = await readOn(logs);
  await Deno.rename(path, `${path}.1`);
  await Deno.writeTextFile(path, lines(3, 9));
  assert.deepEqual(shown(await readOn(logs, next)), [lines(3, 9), 900]);
});

withLogs("a log that was emptied is read from its start", async (logs, folder) => {
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
  // of this test alone: other test files run in the same process
  const open = () => openFiles(Deno.pid).filter((file) => file.startsWith(folder)).length;
  for (let time = 0; time < 10; time++) {
    const reader = (await logs.download("encoder"))!.getReader();
    if (time % 2 === 0) await reader.read();
    await reader.cancel();
  }
  assert.equal(open(), 0);
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
    for (const next of [null, "0-0", "0-3"]) {
      assert.equal((await logs.read(program, logOffset(next))).text, "");
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

Deno.test("only these names have logs", () => {
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
});

Deno.test("only what an answer has as next is an offset", () => {
  assert.deepEqual([logOffset(null), logOffset("12-2048")], [undefined, { inode: 12, offset: 2048 }]);
  for (
    const text of ["", "2048", "-1", "1.5", "1-", "1-x", "1-3\n", "../1-3", `1-${"9".repeat(13)}`]
  ) {
    assert.throws(
      () => logOffset(text),
      (error) => error instanceof ServiceError && error.status === 400,
      text,
    );
  }
});
