import assert from "node:assert/strict";
import { type AttackCount, counted, registerFile, summary } from "../../support/attack_counts.ts";

Deno.test("an attack that this machine cannot have is untried, and did not hold", async () => {
  const count: AttackCount = { held: 0, failed: [], untried: [] };
  const tests: Deno.TestDefinition[] = [];
  const register = counted(
    count,
    ((one: Deno.TestDefinition) => tests.push(one)) as unknown as typeof Deno.test,
  );
  register("holds", () => {});
  register("fails", () => assert.fail());
  for (const need of ["root", "cgroups"]) {
    register({ name: `mounts [needs ${need}]`, ignore: true, fn: () => {} });
  }
  for (const { fn, ignore } of tests) {
    if (!ignore) await Promise.try(fn, {} as Deno.TestContext).catch(() => {});
  }
  assert.deepEqual(count, { held: 1, failed: ["fails"], untried: ["needs root", "needs cgroups"] });
  assert.equal(
    summary([count, count]),
    "4 tried, 2 held, 4 not run here: needs root (2), needs cgroups (2)",
  );
});

Deno.test("what the tests of a file share is there for them alone, and not for the whole run", async () => {
  const did: string[] = [];
  const tests: Deno.TestDefinition[] = [];
  const registry = { test: ((one: Deno.TestDefinition) => tests.push(one)) as unknown as typeof Deno.test };
  const load = (file: string) => () => {
    registry.test.beforeAll(() => void did.push(`${file} begins`));
    registry.test.afterAll(() => void did.push(`${file} ends`));
    registry.test(`${file} 1`, () => void did.push(`${file} 1`));
    registry.test({ name: `${file} 2`, fn: () => void did.push(`${file} 2`) });
    return Promise.resolve();
  };
  for (const file of ["a", "b"]) {
    await registerFile(file, { held: 0, failed: [], untried: [] }, load(file), registry);
  }
  for (const { fn } of tests) await fn({} as Deno.TestContext);
  assert.deepEqual(
    did,
    ["a", "b"].flatMap((file) => [" begins", " 1", " 2", " ends"].map((what) => file + what)),
  );
});
