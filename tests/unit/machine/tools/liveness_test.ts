import assert from "node:assert/strict";
import { Liveness } from "../../../../lib/machine/tools/liveness.ts";

/** Questions of two seconds, and whether each was answered; gives when the process hangs. */
function outcome(answers: string, pids = ""): string {
  const liveness = new Liveness({ misses: 3, startMs: 10_000 });
  return [...answers].map((answer, at) =>
    liveness.hangs(Number(pids[at] ?? 1), answer === "y", at * 2000) ? "H" : "."
  ).join("");
}

const CASES: [what: string, answers: string, hangs: string, pids?: string][] = [
  ["it always answers", "yyyyyyyy", "........"],
  ["one answer is lost now and then", "ynynnyny", "........"],
  ["three in a row are lost", "yynnnn", "....HH"],
  ["it answers again", "ynnny", "...H."],
  ["it was just started", "nnnnny", "......"],
  ["it never answers", "nnnnnn", ".....H"],
  ["another process took its place", "ynnnnnnnn", "........H", "111222222"],
];

for (const [what, answers, hangs, pids] of CASES) {
  Deno.test(`${what}: ${answers}`, () => assert.equal(outcome(answers, pids), hangs));
}
