/**
 * 100 boards that ask for the states of twenty streams once a second, which is what a board does where it gets no events;
 * beside a server of Deno's that does nothing but answer the same.
 *
 *     deno task build && deno run -A bench/statuses.ts
 */
import { OWN_SCRIPT } from "../tests/support/service.ts";
import { reserveSlot } from "../tests/support/slot.ts";
import { type Bench, progress, serviceIn, shortened } from "./bench.ts";
import { median, percentile } from "./figures.ts";
import { startOther } from "./peer.ts";
import { runBenches } from "./run.ts";
import { pause, within } from "../tests/support/within.ts";

const [STREAMS, RUNNING] = [20, 2];
const CLIENTS = 100;
const EVERY_MS = 1000;
/** They ask one way, then the other, and both again. */
const [TURNS, TURN_MS] = [2, shortened(12) * 1000];
const START_MS = 60_000;

async function ask(url: string): Promise<string> {
  const answer = await fetch(url, { headers: OWN_SCRIPT });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`);
  return text;
}

/** Milliseconds of each answer; the first of each client, with its connection, is not among them. */
async function board(url: string, offset: number): Promise<number[]> {
  const [end, times]: [number, number[]] = [performance.now() + TURN_MS, []];
  await ask(url);
  await pause(offset * EVERY_MS);
  while (performance.now() < end) {
    const from = performance.now();
    await ask(url);
    times.push(performance.now() - from);
    await pause(Math.max(0, EVERY_MS - (performance.now() - from)));
  }
  return times;
}

async function boards(url: string): Promise<number[]> {
  const all = Array.from({ length: CLIENTS }, (_, at) => board(url, at / CLIENTS));
  return (await Promise.all(all)).flat();
}

export const statuses: Bench = {
  name: "statuses",
  limitMs: 180_000,
  async run(scope) {
    const service = await serviceIn(scope, { env: { LOG_LEVEL: "info" } });
    const url = `${service.pageUrl}still.html`;
    for (let at = 1; at <= STREAMS; at++) {
      await service.create({
        name: `Number ${at}`,
        url,
        desiredState: at <= RUNNING ? "running" : "stopped",
      });
    }
    for (let at = 1; at <= RUNNING; at++) await service.untilState(`number-${at}`, "running");
    const ways = { ours: `${service.url}/api/streams/statuses`, constant: "" };
    const env = { PORT: String(scope.use(reserveSlot()).ports[0]), BODY: await ask(ways.ours) };
    ways.constant = `http://127.0.0.1:${env.PORT}/`;
    const hello = new URL("hello.ts", import.meta.url).pathname;
    scope.use(startOther([Deno.execPath(), "run", "-A", "--no-config", "--no-lock", hello], env));
    await within("the constant server", START_MS, () => ask(ways.constant).catch(() => null));
    const times = { ours: [] as number[], constant: [] as number[] };
    for (let turn = 0; turn < TURNS; turn++) {
      for (const who of ["ours", "constant"] as const) times[who].push(...await boards(ways[who]));
    }
    for (const [who, all] of Object.entries(times)) {
      const [middle, slow] = [median(all), percentile(all, 0.99)].map((ms) => ms.toFixed(1));
      progress(
        `${who}: ${all.length} answers, median ${middle} ms, 99 % ${slow} ms; ${env.BODY.length} bytes`,
      );
    }
    return [{
      name: `states of ${STREAMS} streams, ${CLIENTS} clients, 99 % within`,
      ours: percentile(times.ours, 0.99),
      baseline: percentile(times.constant, 0.99),
      beside: "Deno.serve with a constant answer of the same size",
      unit: "ms",
      better: "less",
    }];
  },
};

if (import.meta.main) await runBenches([statuses]);
