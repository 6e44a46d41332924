/**
 * All that docs/performance.md has in one table, each row beside a baseline of the same minutes.
 *
 *     deno task bench [ROW…]
 *
 * `BENCH_LENGTH=0.1` takes a tenth of the time, to see whether it runs: such figures mean nothing.
 */
import type { Bench } from "./bench.ts";
import { executable } from "./executable.ts";
import { firstSegment } from "./first_segment.ts";
import { latency } from "./latency.ts";
import { pictures } from "./pictures.ts";
import { rewind } from "./rewind.ts";
import { runBenches } from "./run.ts";
import { transport } from "./transport.ts";
import { viewers } from "./viewers.ts";
import { vnc } from "./vnc.ts";

const ALL: Bench[] = [pictures, latency, firstSegment, viewers, transport, vnc, executable, rewind];

const unknown = Deno.args.find((name) => !ALL.some((bench) => bench.name === name));
if (unknown !== undefined) {
  console.error(`There is no row "${unknown}"; there are ${ALL.map(({ name }) => name).join(", ")}.`);
  Deno.exit(2);
}
await runBenches(Deno.args.length > 0 ? ALL.filter(({ name }) => Deno.args.includes(name)) : ALL);
