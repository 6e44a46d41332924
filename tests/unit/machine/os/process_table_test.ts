import assert from "node:assert/strict";
import { allProcesses, branchOf, parseStat, processEntry } from "../../../../lib/machine/os/process_table.ts";

const LINES: [string, ReturnType<typeof parseStat>][] = [
  ["30 (Xvnc) S 20 30 20 0 -1 4194560", { parent: 20, group: 30, state: "S" }],
  ["30 (a b) T 20 30 20", { parent: 20, group: 30, state: "T" }],
  ["30 () S 1 1) T 20 30 20", { parent: 20, group: 30, state: "T" }],
  ["30 (\n) R 1) Z 7 30 20", { parent: 7, group: 30, state: "Z" }],
  ["", null],
  ["30 (Xvnc", null],
];

for (const [line, expected] of LINES) {
  Deno.test(`a line of /proc, whatever the process calls itself: ${JSON.stringify(line)}`, () => {
    assert.deepEqual(parseStat(line), expected);
  });
}

Deno.test("this process is in the table, below its parent", () => {
  const own = allProcesses().get(Deno.pid);
  assert.equal(own?.parent, Deno.ppid);
  assert.equal(processEntry(Deno.pid)?.parent, Deno.ppid);
  assert.equal(processEntry(2 ** 22 + 1), null);
});

Deno.test("the branch below an ancestor; a circle of parents that change does not exist", () => {
  const entry = (parent: number) => ({ parent, group: 1, state: "S" });
  const table = new Map([[2, entry(1)], [3, entry(2)], [4, entry(3)]]);
  assert.equal(branchOf(table, 4, 2), 3);
  assert.equal(branchOf(table, 3, 2), 3);
  assert.equal(branchOf(table, 2, 2), null);
  assert.equal(branchOf(table, 9, 2), null);
});
