/** Minutes of generated requests, each of which is answered soon. SEED=… tries those of a failure again. */
import { strict as assert } from "node:assert";
import { appTest } from "../support/app.ts";
import { fuzz, LOGIN_STATES } from "../support/fuzz.ts";

const seed = Number(Deno.env.get("SEED") ?? Math.floor(Math.random() * 2 ** 32));

/** No answer takes longer. */
const MAX_MS = 2000;

for (const [state, env] of Object.entries(LOGIN_STATES)) {
  appTest(
    `40,000 generated requests, ${state}: no 5xx, no slow answer, no change by a reader`,
    async (app) => {
      const { ms, what } = await fuzz(app, seed, 40_000);
      console.error(`seed ${seed}: the slowest answer took ${ms.toFixed(0)} ms`);
      assert.ok(ms < MAX_MS, `${ms.toFixed(0)} ms ${what}`);
    },
    { env },
  );
}
