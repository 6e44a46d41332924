/** A test of the real app in process, on streams that live in virtual time. */
import { strict as assert } from "node:assert";
import { type StreamId, streamId } from "../../lib/model/id.ts";
import { type TestApp, testApp } from "./app.ts";
import { FakeClock } from "./fake_clock.ts";
import type { LivingStreams } from "./living_streams.ts";

export interface LivingApp extends TestApp {
  living: LivingStreams;
  clock: FakeClock;
  /** Creates a stream, and waits until all of it runs. */
  running(name: string, fields?: Record<string, unknown>): Promise<StreamId>;
}

/** A stream with its display, browser and page takes some seconds to start. */
const START_MS = 30_000;

/** @param env of the service. */
export function livingTest(
  name: string,
  test: (app: LivingApp) => Promise<void>,
  env: Record<string, string> = {},
): void {
  Deno.test(name, async () => {
    using clock = new FakeClock();
    await using app = await testApp({ isStarted: true, isLiving: true, env });
    const living = app.living!;
    const running: LivingApp["running"] = async (name, fields) => {
      const made = Promise.withResolvers<string>();
      const path = name.toLowerCase().replace(/[^a-z0-9]+/g, "-");
      app.create({ name, url: `https://${path}.example.org/`, ...fields }).then(
        ({ id }) => made.resolve(id),
        made.reject,
      );
      let id: string | null = null;
      void made.promise.then((one) => id = one);
      let problem: string | null = "it is not created";
      for (let ms = 0; problem !== null; ms += 1000) {
        assert.ok(ms < START_MS, `${name} does not start: ${problem}`);
        await clock.advance(1000);
        problem = id === null ? problem : living.problem(streamId(id));
      }
      return streamId(await made.promise);
    };
    try {
      await test({ ...app, living, clock, running });
    } finally {
      const stopped = app.service.stop();
      await clock.advance(START_MS);
      await stopped;
    }
  });
}

/** Looks each second until nothing is wrong. @returns what never became well, and what took longer than it may. */
export async function problemsOf(
  { clock }: Pick<LivingApp, "clock">,
  rows: readonly { name: string; limitMs: number; problem(): string | null }[],
): Promise<string[]> {
  const longest = Math.max(...rows.map(({ limitMs }) => limitMs));
  const wrong = new Map(rows.map(({ name }) => [name, "was well at once: nothing had happened"]));
  const seen = new Set<string>();
  for (let ms = 0; ms <= longest; ms += 1000, await clock.advance(1000)) {
    for (const { name, limitMs, problem } of rows) {
      const now = problem();
      if (now !== null) seen.add(name);
      if (now !== null && ms >= limitMs) wrong.set(name, `not well after ${ms / 1000} s: ${now}`);
      if (now === null && seen.has(name)) wrong.delete(name);
    }
  }
  return Array.from(wrong, ([name, text]) => `${name}: ${text}`);
}

/** The programs' pids of a stream. */
export const pidsOf = (living: LivingStreams, id: StreamId) =>
  (["display", "wm", "browser", "encoder", "audio"] as const).map((kind) => living.pid(`${kind}-${id}`));
