import assert from "node:assert/strict";
import { ProcessError, readOutput, run, runBytes, type RunOptions } from "../../../lib/machine/os/process.ts";

const timeoutMs = 5000;

/** Milliseconds: so long runs nothing that is ended, on a busy machine either; programs that are not ended run longer. */
const LONG_MS = 30_000;

Deno.test("both outputs and the code come back; a failing program does not throw", async () => {
  const result = await run(["/bin/sh", "-c", "echo out; echo err >&2; exit 3"], { timeoutMs });
  assert.deepEqual(result, { code: 3, stdout: "out\n", stderr: "err\n" });
});

Deno.test("arguments are data: nothing goes through a shell", async () => {
  const words = ["$(id)", "`id`", "a b", '"', "'", "*", "; reboot", "%s", "--x", ""];
  const { stdout } = await run(["/usr/bin/printf", "%s\\n", ...words], { timeoutMs });
  assert.equal(stdout, words.join("\n") + "\n");
});

Deno.test("more output than a pipe holds is drained, from both", async () => {
  const script = "head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2";
  const { stdout, stderr } = await run(["/bin/sh", "-c", script], { timeoutMs });
  assert.deepEqual([stdout.length, stderr.length], [300_000, 300_000]);
});

Deno.test("environment and folder", async () => {
  const { stdout } = await run(["/bin/sh", "-c", "echo $A; pwd"], { timeoutMs, env: { A: "1" }, cwd: "/" });
  assert.equal(stdout, "1\n/\n");
});

Deno.test("bytes come back as they are", async () => {
  const { stdout } = await runBytes(["/usr/bin/printf", "\\377\\330\\0\\n"], { timeoutMs });
  assert.deepEqual([...stdout], [0xff, 0xd8, 0, 10]);
});

Deno.test("a clear environment holds what is given, and nothing of ours", async () => {
  const own = { timeoutMs, env: { A: "1" }, clearEnv: true };
  const { stdout } = await run(["/usr/bin/env"], own);
  assert.equal(stdout, "A=1\n");
});

Deno.test("a program that writes without end is ended, on either output", async () => {
  for (const output of ["1", "2"]) {
    await fails(["/bin/sh", "-c", `exec yes >&${output}`], { maxOutput: 1000 }, /more than 1000 bytes/);
  }
  const { stdout } = await run(["/usr/bin/printf", "1234"], { timeoutMs, maxOutput: 4 });
  assert.equal(stdout, "1234");
});

async function fails(argv: string[], options: Partial<RunOptions>, says: RegExp) {
  const start = performance.now();
  await assert.rejects(run(argv, { timeoutMs, ...options }), (error) => {
    assert.ok(error instanceof ProcessError, String(error));
    assert.match(error.message, says);
    return true;
  });
  return performance.now() - start;
}

Deno.test("a missing program is told by its name", async () => {
  await fails(["/usr/bin/no-such-program"], {}, /no-such-program is not installed/);
});

Deno.test("the output of a program that somebody else ends is not whole; of one that ends, or is left, it is", async () => {
  const signal = new AbortController().signal;
  const read = (script: string) =>
    Array.fromAsync(
      readOutput(["/bin/sh", "-c", script], { signal }),
      (part) => new TextDecoder().decode(part),
    );
  await assert.rejects(read("echo 1; kill -KILL $$"), /ended by SIGKILL/);
  assert.deepEqual(await read("echo 1; exit 3"), ["1\n"]);
  for await (const _part of readOutput(["/bin/sh", "-c", "echo 1; exec sleep 60"], { signal })) break;
  assert.deepEqual(
    await Array.fromAsync(readOutput(["/bin/sleep", "60"], { signal: AbortSignal.timeout(20) })),
    [],
  );
});

Deno.test("a program that takes too long is ended", async () => {
  const took = await fails(["/bin/sleep", "60"], { timeoutMs: 20 }, /did not end within 0.02 s/);
  assert.ok(took < LONG_MS, `${took} ms`);
});

Deno.test("a cancelled program is ended, an early cancelled one never started", async () => {
  const cancel = new AbortController();
  const failing = fails(["/bin/sleep", "60"], { signal: cancel.signal }, /cancelled/);
  cancel.abort();
  assert.ok(await failing < LONG_MS);
  await fails(["/usr/bin/no-such-program"], { signal: cancel.signal }, /cancelled/);
});

// each of these would hold a stream's queue for as long as it likes
const STUBBORN = [
  ["ignores SIGTERM", "trap '' TERM; sleep 60"],
  ["is stopped", "kill -STOP $$; sleep 60"],
  ["leaves a child that holds its output", 'sleep 60 & echo $! >> "$0"; wait'],
];

for (const [what, script] of STUBBORN) {
  Deno.test(`the time limit holds for a program that ${what}`, async () => {
    const pidFile = await Deno.makeTempFile();
    const rescue = setTimeout(() => kill(pidFile), LONG_MS);
    try {
      const took = await fails(
        ["/bin/sh", "-c", `echo $$ > "$0"; ${script}`, pidFile],
        { timeoutMs: 20 },
        /did not end/,
      );
      assert.ok(took < LONG_MS, `${Math.round(took)} ms`);
    } finally {
      clearTimeout(rescue);
      kill(pidFile);
      await Deno.remove(pidFile);
    }
  });
}

/** Ends what a failing test would leave. */
function kill(pidFile: string): void {
  for (const pid of Deno.readTextFileSync(pidFile).split("\n").filter(Boolean).map(Number)) {
    try {
      Deno.kill(pid, "SIGKILL");
    } catch {
      // it has ended, as it should
    }
  }
}

Deno.test("a program gets its input, and need not take it all; an output of any length goes where it is wanted", async () => {
  const given = async function* () {
    for (let at = 0; at < 10; at++) yield new Uint8Array(1_000_000).fill(at + 1);
  };
  const seen: number[] = [];
  const output = (part: Uint8Array) => Promise.resolve(void seen.push(part.length));
  const all = await run(["/bin/cat"], { timeoutMs, input: given(), output, maxOutput: 10 });
  assert.deepEqual([all.stdout, seen.reduce((sum, length) => sum + length)], ["", 10_000_000]);
  const some = await run(["/usr/bin/head", "-c", "3"], { timeoutMs, input: given() });
  assert.deepEqual([some.code, some.stdout], [0, "\x01\x01\x01"]);
  const broken = async function* () {
    yield new Uint8Array(1);
    await Promise.reject(new Error("no more"));
  };
  await assert.rejects(run(["/bin/cat"], { timeoutMs, input: broken() }), /no more/);
});
