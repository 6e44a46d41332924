import assert from "node:assert/strict";
import {
  type Condition,
  heal,
  type Healing,
  isMediaToBlame,
  NEW_HEALING,
  type Step,
} from "../../../../lib/live/programs/healing.ts";
import type { Fault } from "../../../../lib/live/programs/faults.ts";
import { DEFAULT_TIMINGS } from "../../../../lib/timings.ts";

const LIMITS = DEFAULT_TIMINGS.healing;
const starving: Fault = { type: "starving", kinds: ["encoder"], why: "no new picture for 13 s" };
const hung: Fault = { type: "hung", kinds: ["browser"], why: "it did not answer" };
const outdated: Fault = { type: "outdated", kinds: ["encoder"], why: "its display was restarted" };
const down: Fault = { type: "down", kinds: ["browser"], why: "it was down" };

/** A stream over time: each round says what is done. */
function aPatient(start = 1_000_000) {
  let healing: Healing = NEW_HEALING;
  let now = start;
  return {
    get healing() {
      return healing;
    },
    get now() {
      return now;
    },
    round(seconds: number, condition: Partial<Condition> = {}): Step {
      now += seconds * 1000;
      const seen = { fault: null, isWell: false, died: [], ...condition };
      const result = heal({ ...seen, now }, healing, LIMITS);
      healing = result.healing;
      return result.step;
    },
  };
}

const words = (step: Step) =>
  step.do === "kill" || step.do === "restart" || step.do === "end" ? `${step.do} ${step.kinds}` : step.do;

Deno.test("a stream that runs well is left alone", () => {
  const patient = aPatient();
  for (let second = 0; second < 600; second++) assert.equal(patient.round(1, { isWell: true }).do, "nothing");
});

Deno.test("what a restart does not repair: the encoder, the display with what hangs on it, the whole stream", () => {
  const patient = aPatient();
  const steps = Array.from({ length: 4 }, () => words(patient.round(60, { fault: starving })));
  assert.deepEqual(steps, [
    "kill encoder",
    "kill display,wm,browser,encoder",
    "restart-stream",
    "restart-stream",
  ]);
});

Deno.test("a program that hangs is killed first, its display next", () => {
  const patient = aPatient();
  const steps = Array.from({ length: 3 }, () => words(patient.round(60, { fault: hung })));
  assert.deepEqual(steps, ["kill browser", "kill display,wm,browser,encoder", "restart-stream"]);
  const display = aPatient();
  const fault: Fault = { ...hung, kinds: ["display"] };
  assert.deepEqual([display.round(1, { fault }), display.round(60, { fault })].map(words), [
    "kill display",
    "restart-stream",
  ]);
});

Deno.test("the pauses between tries grow from 5 s to 5 min", () => {
  const patient = aPatient();
  const at: number[] = [];
  for (let second = 0; second < 1500; second++) {
    if (patient.round(1, { fault: starving }).do !== "nothing") at.push(second);
  }
  assert.deepEqual(at.slice(0, 8).map((second, index) => second - (at[index - 1] ?? second)), [
    ...[0, 5, 10, 20, 40, 80, 160, 300],
  ]);
});

Deno.test("a stream that has run well for 5 s begins anew: the first step, the first pause", () => {
  const patient = aPatient();
  assert.equal(words(patient.round(1, { fault: starving })), "kill encoder");
  assert.equal(words(patient.round(5, { fault: starving })), "kill display,wm,browser,encoder");
  for (let second = 0; second <= 5; second++) patient.round(1, { isWell: true });
  assert.equal(words(patient.round(1, { fault: starving })), "kill encoder");
});

Deno.test("a moment of a picture is no recovery", () => {
  const patient = aPatient();
  patient.round(1, { fault: starving });
  patient.round(2, { isWell: true });
  patient.round(2, { isWell: true });
  assert.equal(words(patient.round(2, { fault: starving })), "kill display,wm,browser,encoder");
});

Deno.test("what follows a restart is done at once, in a pause too, and counts for nothing", () => {
  const patient = aPatient();
  patient.round(1, { fault: starving });
  for (let round = 0; round < 20; round++) {
    assert.equal(words(patient.round(1, { fault: outdated })), "end encoder");
    const done: Fault = { type: "done", kinds: ["autologin"], why: "the browser was restarted" };
    assert.equal(words(patient.round(1, { fault: done })), "restart autologin");
  }
  assert.equal(patient.healing.tries.length, 1);
  assert.equal(patient.healing.gaveUp, null);
});

Deno.test("what is down is started in order", () => {
  assert.equal(words(aPatient().round(1, { fault: down })), "restart browser");
});

Deno.test("a program that dies 10 times in 5 min is left down, tried again after 5 min, and given up sooner then", () => {
  const patient = aPatient();
  const steps = Array.from({ length: 10 }, () => words(patient.round(3, { died: ["encoder"] })));
  assert.deepEqual(steps, [...Array(9).fill("nothing"), "give-up"]);
  assert.deepEqual(patient.healing.gaveUp, {
    kind: "encoder",
    down: ["encoder"],
    retryAt: patient.now + 300_000,
  });
  assert.equal(patient.round(1, { fault: down }).do, "nothing");
  assert.equal(patient.round(298, { fault: down }).do, "nothing");
  assert.equal(words(patient.round(1, { fault: down })), "restart encoder");
  assert.notEqual(patient.healing.gaveUp, null, "the card still says so");
  const again = Array.from({ length: 3 }, () => words(patient.round(3, { died: ["encoder"] })));
  assert.deepEqual(again, ["nothing", "nothing", "give-up"]);
  assert.equal(patient.round(299, { fault: down }).do, "nothing");
});

Deno.test("a stream that was given up and runs well again is as good as new", () => {
  const patient = aPatient();
  for (let death = 0; death < 10; death++) patient.round(3, { died: ["encoder"] });
  patient.round(300, { fault: down });
  for (let second = 0; second <= 5; second++) patient.round(1, { isWell: true });
  assert.equal(patient.healing.gaveUp, null);
  assert.deepEqual(patient.healing.tries, []);
});

Deno.test("without a death the programs stay up, and the whole stream is tried every 5 min", () => {
  const patient = aPatient();
  for (let death = 0; death < 9; death++) patient.round(3, { died: ["encoder"] });
  assert.equal(words(patient.round(13, { fault: starving })), "kill encoder");
  assert.deepEqual(patient.round(13, { fault: starving }), { do: "give-up", kinds: [] });
  assert.equal(patient.round(299, { fault: starving }).do, "nothing");
  assert.equal(patient.round(1, { fault: starving }).do, "restart-stream");
});

Deno.test("a program that dies every 10 s, and runs well between, is never given up: there is a picture", () => {
  const patient = aPatient();
  for (let death = 0; death < 100; death++) {
    assert.equal(patient.round(1, { died: ["browser"] }).do, "nothing");
    for (let second = 0; second < 9; second++) {
      assert.equal(patient.round(1, { isWell: second > 2 }).do, "nothing");
    }
  }
});

Deno.test("deaths of long ago do not count", () => {
  const patient = aPatient();
  for (let death = 0; death < 30; death++) assert.equal(patient.round(40, { died: ["wm"] }).do, "nothing");
});

Deno.test("several deaths of one round are one try", () => {
  const patient = aPatient();
  patient.round(1, { died: ["display", "browser", "audio"] });
  assert.equal(patient.healing.tries.length, 1);
});

const fresh = { fault: null, isFresh: true, steps: 0 };
const still = { fault: null, isFresh: false, steps: 0 };
const hungry = { fault: starving, isFresh: false, steps: 0 };
const BLAME: [string, Parameters<typeof isMediaToBlame>[0], boolean][] = [
  ["two streams without a new picture", [hungry, hungry], true],
  ["one of two", [hungry, fresh], false],
  ["one alone, for the first time", [hungry], false],
  ["one alone, and its encoder was restarted", [{ ...hungry, steps: 1 }], true],
  ["two, and one that is starting", [hungry, hungry, still], true],
  ["one, and one that is starting", [hungry, still], false],
  ["none", [], false],
  ["all are well", [fresh, fresh], false],
];

for (const [what, streams, isToBlame] of BLAME) {
  Deno.test(`${what}: the media server is ${isToBlame ? "" : "not "}to blame`, () => {
    assert.equal(isMediaToBlame(streams), isToBlame);
  });
}
