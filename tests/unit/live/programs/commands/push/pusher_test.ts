/** The tries of a push, in virtual time, with a program and a receiver that a test plays. */
import { strict as assert } from "node:assert";
import type { PushReport } from "../../../../../../lib/model/answers/push.ts";
import { parsePushTarget } from "../../../../../../lib/machine/net/push_target.ts";
import { push, type PusherParts } from "../../../../../../lib/live/programs/commands/push/pusher.ts";
import { FakeClock } from "../../../../../support/fake_clock.ts";

function testPush(clock: FakeClock, text = "rtmp://h/live", problem: string | null = null) {
  const reports: string[] = [];
  const runs: { send(bytes: number): void; end(line: string): void; isKilled: boolean }[] = [];
  const state = { isAway: false, problem };
  const parts: PusherParts = {
    issuers: "/run/issuers.pem",
    held: text.includes("listener") ? { hold: () => Promise.resolve(), rest: () => {}, inner: 31_106 } : null,
    target: parsePushTarget(text)!,
    key: text.startsWith("srt") ? "" : "key",
    place: () =>
      Promise.resolve(
        state.problem === null
          ? { addresses: ["192.0.2.7"], problem: null }
          : { addresses: null, problem: state.problem },
      ),
    elapsed: () => clock.now(),
    channel: () =>
      state.isAway ? Promise.reject(new Error("the service is away")) : Promise.resolve({
        readable: new ReadableStream(),
        report: ({ state, kbps, problem, retrySeconds }: PushReport) =>
          Promise.resolve(
            void reports.push(`${state} ${state === "sending" ? kbps : problem && retrySeconds}`.trim()),
          ),
        close: () => {},
      }),
    run: () => {
      const ended = Promise.withResolvers<string>();
      let output!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
      const stdout = new ReadableStream<Uint8Array<ArrayBuffer>>({
        start: (controller) => void (output = controller),
      });
      const end = (line: string) => {
        try {
          output.close();
        } catch {
          // it has ended
        }
        ended.resolve(line);
      };
      const run = {
        isKilled: false,
        send: (bytes: number) =>
          output.enqueue(new TextEncoder().encode(`total_size=${bytes}\nprogress=continue\n`)),
        end,
      };
      runs.push(run);
      const kill = () => {
        run.isKilled = true;
        end("");
      };
      return Promise.resolve({
        stdin: new WritableStream(),
        stdout,
        ended: ended.promise,
        kill,
        opened: () => Promise.resolve(),
      });
    },
  };
  return { reports, runs, state, parts };
}

Deno.test("push: what fails is tried again with growing pauses, up to a minute; what lasted begins with a short one", async () => {
  using clock = new FakeClock();
  const ending = new AbortController();
  const { parts, runs, reports } = testPush(clock);
  const done = push(parts, ending.signal);
  const pauses: number[] = [];
  await clock.advance(0);
  for (let tries = 1; tries <= 8; tries++) {
    const at = clock.now();
    runs.at(-1)!.end("rtmp://h: Connection refused");
    while (runs.length === tries) await clock.advance(500);
    pauses.push(Math.round((clock.now() - at) / 1000));
  }
  assert.deepEqual(pauses.map((pause) => Math.min(pause, 60)), [1, 2, 4, 8, 16, 32, 60, 60]);
  // it sends for more than a minute
  for (let second = 1; second <= 70; second++) {
    runs.at(-1)!.send(second * 100_000);
    await clock.advance(1000);
  }
  assert.equal(reports.at(-1), "sending 800");
  const at = clock.now();
  const before = runs.length;
  runs.at(-1)!.end("Broken pipe");
  while (runs.length === before) await clock.advance(500);
  assert.ok(clock.now() - at < 2500, String(clock.now() - at));
  ending.abort();
  await clock.advance(2000);
  await done;
  assert.ok(runs.at(-1)!.isKilled);
});

Deno.test("push: a receiver that hangs is left, before and after it took something; a listener waits", async () => {
  using clock = new FakeClock();
  const ending = new AbortController();
  const { parts, runs } = testPush(clock);
  const done = push(parts, ending.signal);
  await clock.advance(25_000);
  assert.equal(runs[0].isKilled, false);
  await clock.advance(8000);
  assert.equal(runs[0].isKilled, true, "nothing within 30 s");
  await clock.advance(3000);
  runs[1].send(1000);
  await clock.advance(15_000);
  assert.equal(runs[1].isKilled, false);
  await clock.advance(8000);
  assert.equal(runs[1].isKilled, true, "nothing more for 20 s");
  ending.abort();
  await clock.advance(2000);
  await done;
  const waiting = testPush(clock, "srt://0.0.0.0:9000?mode=listener");
  const stop = new AbortController();
  const waits = push(waiting.parts, stop.signal);
  await clock.advance(600_000);
  assert.deepEqual(waiting.runs.map(({ isKilled }) => isKilled), [false]);
  stop.abort();
  await clock.advance(2000);
  await waits;
});

Deno.test("push: a target that may not be reached is asked for, and not called; a service that is away is waited for", async () => {
  using clock = new FakeClock();
  const ending = new AbortController();
  const { parts, runs, state, reports } = testPush(clock, "rtmp://h/live", "This address is on the machine");
  const done = push(parts, ending.signal);
  await clock.advance(500);
  assert.deepEqual([runs.length, reports], [0, ["waiting 1"]]);
  state.isAway = true;
  await clock.advance(5000);
  assert.equal(runs.length, 0);
  [state.isAway, state.problem] = [false, null];
  await clock.advance(8000);
  assert.equal(runs.length, 1);
  ending.abort();
  await clock.advance(2000);
  await done;
});
