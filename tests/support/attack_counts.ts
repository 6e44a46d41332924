/** How many attacks were tried, and held. */

export interface AttackCount {
  held: number;
  failed: string[];
  /** Without root, or without cgroups, mostly. */
  untried: number;
}

let untried = 0;

/** Says that the running test cannot try its attack on this machine. */
export function sayUntried(why: string): void {
  untried++;
  console.log(`untried: ${why}`);
}

/** Registers tests as they are, by `register`, and counts how they end. */
export function counted(count: AttackCount, register: typeof Deno.test): typeof Deno.test {
  const registering = (...given: unknown[]) => {
    const [first, second] = given;
    const options = typeof first === "string"
      ? { name: first, fn: second as () => void | Promise<void> }
      : first as Deno.TestDefinition;
    const { fn, ignore } = options;
    if (ignore) count.untried++;
    register({
      ...options,
      fn: async (context) => {
        const before = untried;
        try {
          await fn(context);
          count[untried > before ? "untried" : "held"]++;
        } catch (error) {
          count.failed.push(options.name);
          throw error;
        }
      },
    });
  };
  return Object.assign(registering, register) as typeof Deno.test;
}
