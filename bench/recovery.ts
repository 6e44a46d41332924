/**
 * How soon the page moves again on the channel after a program was killed, beside a restart of the stream by hand, which
 * is what a person would do who has noticed it.
 *
 *     deno task build && deno run -A bench/recovery.ts
 */
import type { ProgramKind } from "../lib/model/programs.ts";
import { untilPageShown } from "../tests/support/channel.ts";
import { hit, listedSequence, programPids, untilShown } from "../tests/support/faults.ts";
import { type TestService } from "../tests/support/service.ts";
import { type Bench, progress, serviceIn, shortened } from "./bench.ts";
import { median } from "./figures.ts";
import { runBenches } from "./run.ts";
import { within } from "../tests/support/within.ts";

const ROUNDS = shortened(3);
const LIMIT_MS = 60_000;
const KILLED: ProgramKind[] = ["encoder", "browser", "display"];

/** Seconds until the page is there again. */
async function restartByHand(service: TestService, id: string): Promise<number> {
  const encoder = async () => (await programPids(service)).get(`encoder-${id}`);
  const before = await encoder();
  const from = performance.now();
  const answer = await service.api("POST", `/api/streams/${id}/restart`);
  if (!answer.ok) throw new Error(await answer.text());
  await within("the new encoder", LIMIT_MS, async () => ![undefined, before].includes(await encoder()));
  await untilShown(service, id, listedSequence(service, id) + 1, LIMIT_MS);
  return (performance.now() - from) / 1000;
}

export const recovery: Bench = {
  name: "recovery",
  limitMs: 300_000,
  async run(scope) {
    const service = await serviceIn(scope);
    const { id } = await service.create({ name: "Page" });
    await untilPageShown(service, id, 0, { limitMs: LIMIT_MS });
    const ours: Record<string, number[]> = Object.fromEntries(KILLED.map((what) => [what, []]));
    const baseline: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (const what of KILLED) {
        ours[what].push(await hit(service, [{ what, stream: id, signal: "SIGKILL" }], [id]) / 1000);
      }
      baseline.push(await restartByHand(service, id));
      const each = KILLED.map((what) => `${what} ${ours[what].at(-1)!.toFixed(1)}`).join(", ");
      progress(`killed: ${each}; restarted by hand: ${baseline.at(-1)!.toFixed(1)} s`);
    }
    return KILLED.map((what) => ({
      ...{ name: `back after a kill of the ${what}`, ours: median(ours[what]), baseline: median(baseline) },
      ...{ beside: "a restart of the stream by hand", unit: "s", better: "less" },
    }));
  },
};

if (import.meta.main) await runBenches([recovery]);
