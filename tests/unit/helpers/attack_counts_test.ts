import assert from "node:assert/strict";
import { counted, sayUntried } from "../../support/attack_counts.ts";
import { logged } from "../../support/logged.ts";

Deno.test("an attack that gave up for lack of something is untried, and did not hold", async () => {
  const count = { held: 0, failed: [], untried: 0 };
  const tests: Deno.TestDefinition[] = [];
  const register = counted(
    count,
    ((one: Deno.TestDefinition) => tests.push(one)) as unknown as typeof Deno.test,
  );
  register("holds", () => {});
  register("gives up", () => sayUntried("no cgroups"));
  register("fails", () => assert.fail());
  register({ name: "needs root", ignore: true, fn: () => {} });
  await logged(async () => {
    for (const { fn, ignore } of tests) {
      if (!ignore) await Promise.try(fn, {} as Deno.TestContext).catch(() => {});
    }
  });
  assert.deepEqual(count, { held: 1, failed: ["fails"], untried: 2 });
});
