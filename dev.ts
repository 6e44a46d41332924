import { Builder } from "fresh/dev";
import { buildConfig } from "./fresh.config.ts";
import { bundlePlayer } from "./scripts/player.ts";

/** What the player pages load as plain scripts; it is made at every build and stays out of git. */
const VENDOR = "static/vendor";

async function writeVendor(name: string, content: string): Promise<void> {
  const path = `${VENDOR}/${name}`;
  // Writing an unchanged file would make the development server restart forever.
  if (content === await Deno.readTextFile(path).catch(() => null)) return;
  await Deno.mkdir(VENDOR, { recursive: true });
  await Deno.writeTextFile(path, content);
}

Deno.chdir(import.meta.dirname!);
await writeVendor("hls.light.min.js", await Deno.readTextFile("node_modules/hls.js/dist/hls.light.min.js"));
await writeVendor("player.js", await bundlePlayer());
const builder = new Builder(buildConfig);
if (Deno.args.includes("build")) {
  await builder.build();
} else {
  await builder.listen(() => import("./main.ts"), { hostname: "127.0.0.1", port: 8000 });
}
