import { Builder } from "fresh/dev";
import { buildConfig } from "./fresh.config.ts";

const HLS_SOURCE = "node_modules/hls.js/dist/hls.light.min.js";
const HLS_TARGET = "static/vendor/hls.light.min.js";

/** The player page loads hls.js as a plain script; it stays out of git and comes from npm at every build. */
async function vendorHls(): Promise<void> {
  const source = await Deno.readTextFile(HLS_SOURCE);
  // Writing an unchanged file would make the development server restart forever.
  if (source === await Deno.readTextFile(HLS_TARGET).catch(() => null)) return;
  await Deno.mkdir("static/vendor", { recursive: true });
  await Deno.writeTextFile(HLS_TARGET, source);
}

Deno.chdir(import.meta.dirname!);
await vendorHls();
const builder = new Builder(buildConfig);
if (Deno.args.includes("build")) {
  await builder.build();
} else {
  await builder.listen(() => import("./main.ts"), { hostname: "127.0.0.1", port: 8000 });
}
