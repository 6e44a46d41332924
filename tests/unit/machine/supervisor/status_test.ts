import type { ServiceError } from "../../../../lib/errors.ts";
import assert from "node:assert/strict";
import { parsePrograms, type Program, ProgramStatus } from "../../../../lib/machine/supervisor/status.ts";
import { DEFAULT_TIMINGS } from "../../../../lib/timings.ts";
import { aProgram } from "../../../support/fixture.ts";

/** As supervisord writes it, line breaks and all. */
const ANSWER = `<?xml version='1.0'?>
<methodResponse>
<params>
<param>
<value><string>[1795671403, [["web", "web", "RUNNING", 812, 1795671402, 0, ""],
["browser-a", "stream-a", "BACKOFF", 0, 1795671403, 0, "can't find command '/a&lt;b&amp;amp;'"]]]</string></value>
</param>
</params>
</methodResponse>
`;

const FAULT = `<?xml version='1.0'?><methodResponse><fault><value><struct>
  <member><name>faultCode</name><value><int>6</int></value></member>
  <member><name>faultString</name><value><string>SHUTDOWN_STATE: x&gt;y</string></value></member>
  </struct></value></fault></methodResponse>`;

Deno.test("supervisord's answer has its programs", () => {
  const common = { now: 1795671403, stop: 0 };
  assert.deepEqual(parsePrograms(ANSWER), [
    { ...common, name: "web", group: "web", state: "RUNNING", pid: 812, start: 1795671402, problem: "" },
    {
      ...common,
      name: "browser-a",
      group: "stream-a",
      state: "BACKOFF",
      pid: 0,
      start: 1795671403,
      problem: "can't find command '/a<b&amp;'",
    },
  ]);
});

Deno.test("a refusal of supervisord is an error with its words, and so is what is no answer", () => {
  assert.throws(() => parsePrograms(FAULT), /supervisord answered: SHUTDOWN_STATE: x>y/);
  assert.throws(() => parsePrograms("<html><body>502</body></html>"), /502/);
  assert.throws(() => parsePrograms(""), /supervisord answered/);
  const end = ANSWER.indexOf("</string>");
  for (let length = 0; length < end; length += 7) assert.throws(() => parsePrograms(ANSWER.slice(0, length)));
});

/** A supervisor whose answers are given by hand, and a clock. */
function supervisorByHand() {
  const calls: PromiseWithResolvers<Program[]>[] = [];
  const clock = { now: 50_000 };
  const status = new ProgramStatus(
    () => {
      const call = Promise.withResolvers<Program[]>();
      calls.push(call);
      return call.promise;
    },
    DEFAULT_TIMINGS.statusCacheMs,
    () => clock.now,
  );
  return { status, calls, clock };
}

Deno.test("the status is kept for 3 s", async () => {
  const { status, calls, clock } = supervisorByHand();
  assert.equal(DEFAULT_TIMINGS.statusCacheMs, 3000);
  const first = status.programs();
  calls[0].resolve([aProgram("a"), aProgram("b")]);
  assert.deepEqual([...(await first).keys()], ["a", "b"]);
  clock.now += 2999;
  assert.equal(await status.programs(), await first);
  assert.equal(calls.length, 1);
  clock.now += 1;
  const second = status.programs();
  assert.equal(calls.length, 2);
  calls[1].resolve([]);
  assert.equal((await second).size, 0);
});

Deno.test("callers at the same time share one call", async () => {
  const { status, calls } = supervisorByHand();
  const answers = [status.programs(), status.programs(), status.programs(900)];
  assert.equal(calls.length, 1);
  calls[0].resolve([aProgram("a")]);
  const [first, ...others] = await Promise.all(answers);
  for (const other of others) assert.equal(other, first);
});

Deno.test("a caller may ask for something fresher; 0 always asks", async () => {
  const { status, calls, clock } = supervisorByHand();
  const answer = status.programs();
  calls[0].resolve([]);
  await answer;
  clock.now += 1000;
  status.programs(1500);
  assert.equal(calls.length, 1);
  status.programs(900);
  assert.equal(calls.length, 2);
  status.programs(0);
  assert.equal(calls.length, 3);
});

Deno.test("a failure reaches everyone who waits, and is not kept", async () => {
  const { status, calls } = supervisorByHand();
  const answers = [status.programs(), status.programs()];
  calls[0].reject(new Error("no supervisor"));
  for (const answer of answers) {
    await assert.rejects(
      answer,
      ({ status, cause }: ServiceError) => status === 503 && /no supervisor/.test(String(cause)),
    );
  }
  const next = status.programs();
  assert.equal(calls.length, 2);
  calls[1].resolve([aProgram("a")]);
  assert.equal((await next).size, 1);
});

Deno.test("an old failure does not throw a newer answer away", async () => {
  const { status, calls } = supervisorByHand();
  const old = status.programs();
  status.invalidate();
  const newer = status.programs();
  calls[1].resolve([]);
  await newer;
  calls[0].reject(new Error("late"));
  await assert.rejects(old);
  assert.equal(await status.programs(), await newer);
  assert.equal(calls.length, 2);
});

Deno.test("after a start or stop everything is asked again, even while a call is under way", async () => {
  const { status, calls } = supervisorByHand();
  const before = status.programs();
  status.invalidate();
  const after = status.programs();
  calls[0].resolve([]);
  calls[1].resolve([aProgram("new")]);
  assert.deepEqual([(await before).size, (await after).size], [0, 1]);
});

for (const [how, by] of [["back", -3600], ["forward", 3600]] as const) {
  Deno.test(`how long a program runs, or is down, is right when the clock is set ${how} by an hour`, async () => {
    const { status, calls, clock } = supervisorByHand();
    const ask = async (now: number) => {
      const answer = status.programs(0);
      calls.at(-1)!.resolve([
        aProgram("encoder", { start: 900, now }),
        aProgram("browser", { state: "EXITED", pid: 0, start: 900, stop: 950, now }),
      ]);
      const programs = await answer;
      const [encoder, browser] = [programs.get("encoder")!, programs.get("browser")!];
      return [encoder.now - encoder.start, browser.now - browser.stop];
    };
    assert.deepEqual(await ask(1000), [100, 50]);
    clock.now += 10_000;
    assert.deepEqual(await ask(1010 + by), [110, 60]);
    clock.now += 10_000;
    assert.deepEqual(await ask(1020 + by), [120, 70]);
  });
}

Deno.test("a program that starts after the clock was set back is newer than one that started before", async () => {
  const { status, calls, clock } = supervisorByHand();
  const ask = async (now: number, encoder: number) => {
    const answer = status.programs(0);
    calls.at(-1)!.resolve([
      aProgram("display", { start: 900, now }),
      aProgram("encoder", { start: encoder, now }),
    ]);
    const programs = await answer;
    return programs.get("encoder")!.start - programs.get("display")!.start;
  };
  assert.equal(await ask(5000, 900), 0);
  clock.now += 1000;
  assert.equal(await ask(5001 - 3600, 900), 0);
  clock.now += 1000;
  assert.equal(await ask(5002 - 3600, 5001 - 3600), 5001 - 900);
});
