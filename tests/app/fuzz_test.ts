/** Any request is answered, and without an error of ours. Others, and how soon, are tried by tests/soak/fuzz_test.ts. */
import { appTest } from "../support/app.ts";
import { fuzz, LOGIN_STATES } from "../support/fuzz.ts";

const SEED = 31;

for (const [state, env] of Object.entries(LOGIN_STATES)) {
  appTest(`generated requests, ${state}: no 5xx, no change by a reader`, async (app) => {
    await fuzz(app, SEED, 1500);
  }, { env });
}
