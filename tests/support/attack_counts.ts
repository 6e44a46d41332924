/** How many attacks were tried, and held. */

export interface AttackCount {
  held: number;
  failed: string[];
  /** For each attack that was not tried: the reason, mostly that there is no root or are no cgroups. */
  untried: string[];
}

/** The reason in the name of a test that is not for every machine: "needs root" of "… [needs root]". */
function reasonIn(name: string): string {
  return /\[([^\]]+)\]\s*$/.exec(name)?.[1] ?? "not for this machine";
}

/** Registers tests as they are, by `register`, and counts how they end. */
export function counted(count: AttackCount, register: typeof Deno.test): typeof Deno.test {
  const registering = (...given: unknown[]) => {
    const [first, second] = given;
    const options = typeof first === "string"
      ? { name: first, fn: second as () => void | Promise<void> }
      : first as Deno.TestDefinition;
    const { fn, ignore, name } = options;
    if (ignore) count.untried.push(reasonIn(name));
    register({
      ...options,
      // leaks are judged where the file runs by itself; here what its tests share begins in a test before them
      sanitizeOps: false,
      sanitizeResources: false,
      fn: async (context) => {
        try {
          await fn(context);
          count.held++;
        } catch (error) {
          count.failed.push(name);
          throw error;
        }
      },
    });
  };
  return Object.assign(registering, register) as typeof Deno.test;
}

type Hook = () => void | Promise<void>;

/**
 * Registers the tests of a file, counted, so that what they share begins before the first of them and ends after the last.
 * Deno runs all files' hooks before the first test of a run, which would have all their services up to its end.
 * @param load imports the file. @param registry has the `test` that the file finds.
 */
export async function registerFile(
  who: string,
  count: AttackCount,
  load: () => Promise<unknown>,
  registry: { test: typeof Deno.test } = Deno as { test: typeof Deno.test },
): Promise<void> {
  const register = registry.test;
  const [begin, end]: Hook[][] = [[], []];
  const tests: Deno.TestDefinition[] = [];
  const hooks = { beforeAll: (hook: Hook) => begin.push(hook), afterAll: (hook: Hook) => end.unshift(hook) };
  const collect = Object.assign((one: Deno.TestDefinition) => void tests.push(one), register, hooks);
  registry.test = counted(count, collect as unknown as typeof Deno.test);
  try {
    await load();
  } finally {
    registry.test = register;
  }
  const shared = (what: string, hooks: Hook[]): Deno.TestDefinition[] =>
    hooks.length === 0 ? [] : [{
      name: `what the tests of ${who} share ${what}`,
      fn: async () => {
        for (const hook of hooks) await hook();
      },
      sanitizeOps: false,
      sanitizeResources: false,
    }];
  for (const one of [...shared("begins", begin), ...tests, ...shared("ends", end)]) register(one);
}

/** "105 tried, 104 held, 3 not run here: needs root (2), no cgroups" of all counts. */
export function summary(counts: readonly AttackCount[]): string {
  const held = counts.reduce((all, count) => all + count.held, 0);
  const failed = counts.reduce((all, count) => all + count.failed.length, 0);
  const reasons = Object.entries(Object.groupBy(counts.flatMap((count) => count.untried), (why) => why))
    .map(([why, all]) => all!.length > 1 ? `${why} (${all!.length})` : why);
  const left = counts.reduce((all, count) => all + count.untried.length, 0);
  const why = left > 0 ? `: ${reasons.join(", ")}` : "";
  return `${held + failed} tried, ${held} held, ${left} not run here${why}`;
}
