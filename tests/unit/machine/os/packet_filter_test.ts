/** The packet filter's rules, with an nft of the test's that does not do as it is told. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { FilterBusyError, PacketFilter } from "../../../../lib/machine/os/packet_filter.ts";
import { ProcessError, type Runner, type RunResult } from "../../../../lib/machine/os/process.ts";
import { isThere, tempDir } from "../../../support/fixture.ts";

const USER = 60_600;
const DONE: RunResult = { code: 0, stdout: "", stderr: "" };
const failed = (stderr: string): RunResult => ({ code: 1, stdout: "", stderr });
const ended = (problem: string) => () => Promise.reject(new ProcessError(problem));

/** A kernel's table as nft tells it, of the lines that it was given. */
function kernel() {
  const state = { lines: [] as string[] | null };
  const run: Runner = async (argv, { input }) => {
    if (argv[1] !== "-f") {
      if (state.lines === null) return failed("Error: No such file or directory");
      const known = state.lines.filter((line) => line.startsWith("add")).map((line) =>
        line.replace(/^add element inet t users \{ (.*) \}$/, "$1")
      );
      return { ...DONE, stdout: `map users\n${known.join("\n")}` };
    }
    const text = new TextDecoder().decode((await Array.fromAsync(input!))[0]);
    const lines = text.trim().split("\n");
    state.lines = lines[1]?.startsWith("delete") ? lines.slice(2) : [...state.lines ?? [], ...lines];
    return DONE;
  };
  return { state, run };
}

const optionsOf = (folder: string, run: Runner) => ({
  table: "t",
  folder: join(folder, "rules"),
  publishPort: 1935,
  insiders: [0],
  run,
});

/** What nft does instead of its work. */
const FAULTS: Record<string, () => Promise<RunResult>> = {
  "is slow": ended("/usr/sbin/nft did not end within 5 s"),
  "is missing": ended("/usr/sbin/nft is not installed"),
  "fails": () => Promise.resolve(failed("Error: Operation not permitted")),
  "fails without a word": () => Promise.resolve(failed("")),
  "says yes and does nothing": () => Promise.resolve(DONE),
  "answers nonsense": () => Promise.resolve({ ...DONE, stdout: "\u0000 ok 60600" }),
  "knows another user": () => Promise.resolve({ ...DONE, stdout: "map users\n160600 : jump user160600" }),
};

Deno.test("a user's rules are set, or it is an error, whatever nft does instead", async () => {
  const wrong: string[] = [];
  for (const [name, fault] of Object.entries(FAULTS)) {
    await using dir = await tempDir();
    const { run } = kernel();
    let isFaulty = false;
    const filter = await PacketFilter.make(
      optionsOf(dir.path, (...call) => isFaulty ? fault() : run(...call)),
      assert.fail,
    );
    isFaulty = true;
    if (await filter!.restrict(USER, ["reject"]).then(() => true, () => false)) wrong.push(name);
    isFaulty = false;
    await filter!.restrict(USER, ["reject"]);
  }
  assert.deepEqual(wrong, []);
});

Deno.test("a kernel that takes no rules is told; one that is busy is no such kernel", async () => {
  await using dir = await tempDir();
  const outcome = async (fault: () => Promise<RunResult>) => {
    const told: string[] = [];
    const made = PacketFilter.make(optionsOf(dir.path, fault), (problem) => told.push(problem));
    return await made.then(
      (filter) => filter === null && told.length === 1 ? "none" : "rules",
      (error) => error instanceof FilterBusyError ? "busy" : String(error),
    );
  };
  const busy = [
    "Error: Could not process rule: Cannot allocate memory",
    "Error: Could not process rule: Device or resource busy",
    "Error: No space left on device",
    "Error: Too many open files",
    "netlink: Error: Resource temporarily unavailable",
  ];
  const none = [
    "Error: Operation not permitted",
    "Unable to initialize Netlink socket: Protocol not supported",
  ];
  assert.deepEqual(
    {
      slow: await outcome(FAULTS["is slow"]),
      busy: await Promise.all(busy.map((text) => outcome(() => Promise.resolve(failed(text))))),
      none: await Promise.all(none.map((text) => outcome(() => Promise.resolve(failed(text))))),
      missing: await outcome(FAULTS["is missing"]),
      nonsense: await outcome(FAULTS["says yes and does nothing"]),
    },
    { slow: "busy", busy: busy.map(() => "busy"), none: ["none", "none"], missing: "none", nonsense: "none" },
  );
});

Deno.test("rules that others change or remove are set again, and only that is told", async () => {
  await using dir = await tempDir();
  const { state, run } = kernel();
  const options = optionsOf(dir.path, run);
  const filter = await PacketFilter.make(options, assert.fail);
  await filter!.restrict(USER, ["reject"]);
  await filter!.allowResolvers(["192.0.2.53"]);
  assert.equal(await filter!.look(), false, "what we set ourselves is nobody else's");
  const whole = [...state.lines!];
  const undo: Record<string, () => void> = {
    "removed": () => state.lines = null,
    "emptied": () => state.lines = [],
    "a user's rules": () => state.lines = whole.filter((line) => !line.includes("user60600")),
    "another rule": () => state.lines = [...whole, "add rule inet t out accept"],
  };
  for (const [name, action] of Object.entries(undo)) {
    action();
    assert.deepEqual([await filter!.look(), await filter!.look(), state.lines], [true, false, whole], name);
  }
  // as a program of the stream does it, in another process
  await Deno.writeTextFile(join(options.folder, String(USER + 1)), "ip daddr 192.0.2.1 reject");
  assert.equal(await filter!.look(), false);
  assert.ok(state.lines!.includes("add rule inet t user60601 ip daddr 192.0.2.1 reject"));
});

Deno.test("the rules of an earlier run are none of this one's", async () => {
  await using dir = await tempDir();
  const { state, run } = kernel();
  const options = optionsOf(dir.path, run);
  await (await PacketFilter.make(options, assert.fail))!.restrict(USER, ["reject"]);
  await PacketFilter.make(options, assert.fail);
  assert.ok(!await isThere(join(options.folder, String(USER))));
  assert.ok(!state.lines!.join().includes("60600"));
});
