/** Three minutes of generated requests. SEED=… tries those of a failure again. */
import { appTest } from "../support/app.ts";
import { fuzz, LOGIN_STATES } from "../support/fuzz.ts";

const seed = Number(Deno.env.get("SEED") ?? Math.floor(Math.random() * 2 ** 32));

for (const [state, env] of Object.entries(LOGIN_STATES)) {
  appTest(`90 s of generated requests, ${state}`, async (app) => {
    console.error(`seed ${seed}: ${await fuzz(app, seed, 90_000)} requests`);
  }, { env });
}
