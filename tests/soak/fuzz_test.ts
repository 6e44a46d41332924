/** Three minutes of generated requests. SEED=… tries those of a failure again. */
import { appTest } from "../support/app.ts";
import { fuzz } from "../support/fuzz.ts";

const seed = Number(Deno.env.get("SEED") ?? Math.floor(Math.random() * 2 ** 32));

appTest("three minutes of generated requests", async (app) => {
  console.error(`seed ${seed}: ${await fuzz(app, seed, 180_000)} requests`);
}, { env: { MEDIA_PORT: "1", VNC_PROXY_PORT: "2" } });
