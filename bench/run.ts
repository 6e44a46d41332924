/** Runs benches one after the other, and prints one table. */
import { withTimeout } from "../lib/machine/tools/time.ts";
import type { Bench } from "./bench.ts";
import { type Row, table } from "./table.ts";

/** For the end of all that a bench has started. */
const END_MS = 60_000;
const INTERRUPTED = 130;

interface Outcome {
  rows: Row[];
  /** What went wrong, a line each. */
  failures: string[];
}

const text = (error: unknown) => error instanceof Error ? error.message : String(error);

/** @param interrupted rejects when somebody wants the end. */
async function measure({ name, limitMs, run }: Bench, interrupted: Promise<never>): Promise<Outcome> {
  const scope = new AsyncDisposableStack();
  const outcome: Outcome = { rows: [], failures: [] };
  const failed = (error: unknown) => void outcome.failures.push(`${name}: ${text(error)}`);
  const work = run(scope);
  work.catch(() => {}); // it fails once more when its service is stopped under it
  try {
    outcome.rows = await withTimeout(limitMs, Promise.race([work, interrupted]), "took too long");
  } catch (error) {
    failed(error);
  }
  await withTimeout(END_MS, scope.disposeAsync(), "what it started does not end").catch(failed);
  return outcome;
}

/** The machine as the table's reader has to know it. */
function machine(): string {
  const [, model] = /^model name\s+: (.+)$/m.exec(Deno.readTextFileSync("/proc/cpuinfo")) ?? [];
  const memory = Math.round(Deno.systemMemoryInfo().total / 2 ** 30);
  return `${navigator.hardwareConcurrency} cores${model ? ` (${model})` : ""}, ${memory} GiB, ` +
    `Deno ${Deno.version.deno}, ${new Date().toISOString().slice(0, 10)}`;
}

const load = () => `load ${Deno.loadavg()[0].toFixed(1)}`;

/** Runs them, prints the table, and ends this process: with 1 if anything failed, with 130 when it was interrupted. */
export async function runBenches(benches: readonly Bench[]): Promise<never> {
  const interrupt = Promise.withResolvers<never>();
  interrupt.promise.catch(() => {});
  let exitCode = 0;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, () => {
      exitCode = INTERRUPTED;
      interrupt.reject(new Error("interrupted"));
    });
  }
  const [rows, failures]: [Row[], string[]] = [[], []];
  const startedAt = performance.now();
  const header = `${machine()}, ${load()} before`;
  for (const bench of benches) {
    console.log(`${bench.name}: ${load()}`);
    const outcome = await measure(bench, interrupt.promise);
    rows.push(...outcome.rows);
    failures.push(...outcome.failures);
    for (const failure of outcome.failures) console.log(`  failed: ${failure}`);
    if (exitCode === INTERRUPTED) break;
  }
  const minutes = (performance.now() - startedAt) / 60_000;
  console.log(`\n${header}, ${load()} at the end; ${minutes.toFixed(1)} minutes\n`);
  if (rows.length > 0) console.log(table(rows));
  for (const failure of failures) console.log(`\nFailed: ${failure}`);
  // whatever took too long may wait for something still
  Deno.exit(exitCode || (failures.length > 0 ? 1 : 0));
}
