/** Any request is answered, soon, and without an error of ours. SEED=… tries the requests of a failure again. */
import { appTest } from "../support/app.ts";
import { HAS_LONG } from "../support/long.ts";
import { fuzz, LOGIN_STATES } from "../support/fuzz.ts";

const seed = Number(Deno.env.get("SEED") ?? Math.floor(Math.random() * 2 ** 32));

for (const [state, env] of Object.entries(LOGIN_STATES)) {
  appTest(`generated requests, ${state}: no 5xx, no slow answer, no change by a reader`, async (app) => {
    await fuzz(app, seed, HAS_LONG ? 10_000 : 3000);
  }, { env });
}
