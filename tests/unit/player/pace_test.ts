import { strict as assert } from "node:assert";
import { paceOf } from "../../../player/pace.ts";

const LOOK_S = 0.2;

interface Line {
  /** Seconds behind the page at the beginning. */
  behind: number;
  /** Seconds between two arrivals, each of which brings all that there is until then. */
  step: number;
}

/** Plays for so many seconds. @returns of the last 5 seconds: how far behind, and for how long it stood still, in seconds. */
function played({ behind, step }: Line, seconds: number): { least: number; most: number; stood: number } {
  const pace = paceOf();
  let [rate, shown, stood] = [1, -behind, 0];
  const late: number[] = [];
  const arrived = (now: number) => Math.floor((now + 1e-9) / step) * step;
  for (let now = 0, at = 0; now < seconds; now = ++at / 100) {
    const isSeen = now > seconds - 5;
    const next = shown + 0.01 * rate;
    if (next <= arrived(now)) shown = next;
    else if (isSeen) stood += 0.01;
    if (at % (LOOK_S * 100) === 0) rate = pace.rate(arrived(now) - shown);
    if (isSeen) late.push(now - shown);
  }
  return { least: Math.min(...late), most: Math.max(...late), stood };
}

Deno.test("pace: a page that moves is shown within half a second of its arrival, whatever the distance at first", () => {
  for (const behind of [0, 0.2, 0.7, 1.6]) {
    const { most, stood } = played({ behind, step: 0.04 }, 30);
    assert.deepEqual([most < 0.5, stood], [true, 0], `${behind} s at first: ${most} s, stood for ${stood} s`);
  }
});

Deno.test("pace: what comes in steps of a second is played without a stall, no later than it must be", () => {
  for (const behind of [0, 0.7, 1.6]) {
    const { most, stood } = played({ behind, step: 1 }, 60);
    assert.deepEqual([most < 1.6, stood], [true, 0], `${behind} s at first: ${most} s, stood for ${stood} s`);
  }
});

Deno.test("pace: it hurries when it is late, more so when it is far behind, and never before it has seen a moment", () => {
  const rates = (ahead: number) => {
    const pace = paceOf();
    return Array.from({ length: 7 }, () => pace.rate(ahead));
  };
  assert.deepEqual(rates(1.2), [1, 1, 1, 1, 1, 1.25, 1.25]);
  assert.deepEqual(rates(0.4), [1, 1, 1, 1, 1, 1.1, 1.1]);
  assert.deepEqual(rates(0.2), [1, 1, 1, 1, 1, 1, 1]);
  assert.deepEqual(rates(0.01), Array(7).fill(0.95));
});

/**
 * Plays what comes each 40 ms, but for a pause each ten seconds, on a machine that is busy.
 * @returns the stalls of each of the minutes, and how far behind the page it ends.
 */
function playedWithPauses(pauseS: number, minutes: number, pauses: (second: number) => boolean) {
  const pace = paceOf();
  const stalls = Array<number>(minutes).fill(0);
  let [rate, shown, stood, behind] = [1, -0.2, 0, 0];
  const arrived = (now: number) => {
    const into = now % 10;
    return into < pauseS && pauses(now) ? now - into : Math.floor(now / 0.04) * 0.04;
  };
  for (let at = 0; at < minutes * 6000; at++) {
    const now = at / 100;
    const next = shown + 0.01 * rate;
    if (next <= arrived(now)) [shown, stood] = [next, 0];
    else stood += 0.01;
    if (Math.abs(stood - 0.5) < 1e-6) {
      stalls[Math.floor(now / 60)]++;
      pace.stalled();
    }
    if (at % (LOOK_S * 100) === 0) rate = pace.rate(arrived(now) - shown);
    behind = now - shown;
  }
  return { stalls, behind };
}

Deno.test("pace: pauses of a busy machine are stalls at first, and not after some of them", () => {
  const { stalls } = playedWithPauses(0.8, 4, () => true);
  assert.ok(stalls[0] >= 1 && stalls[0] < 3, `at first ${stalls}`);
  assert.ok(stalls.slice(1).every((count) => count <= 1), `${stalls}`);
});

Deno.test("pace: what it kept more after stalls it gives up again in calm minutes", () => {
  const { stalls, behind } = playedWithPauses(0.8, 6, (second) => second < 60);
  assert.ok(stalls[0] >= 1 && stalls.slice(1).every((count) => count === 0), `${stalls}`);
  assert.ok(behind < 0.5, `${behind} s`);
});
