import { Builder } from "fresh/dev";
import { buildConfig } from "./fresh.config.ts";
import { licenses } from "./scripts/notices.ts";
import { bundlePlayer } from "./scripts/player.ts";
import { joinStyles, shortStyles, STYLE_SHEETS } from "./scripts/styles.ts";

/** Files in static/ that are made at every build and stay out of git. */
async function writeStatic(name: string, content: string): Promise<void> {
  const path = `static/${name}`;
  // Writing an unchanged file would make the development server restart forever.
  if (content === await Deno.readTextFile(path).catch(() => null)) return;
  await Deno.writeTextFile(path, content);
}

Deno.chdir(import.meta.dirname!);
await Deno.mkdir("static/vendor", { recursive: true });
const hls = await Deno.readTextFile("node_modules/hls.js/dist/hls.light.min.js");
await writeStatic("vendor/hls.light.min.js", hls);
await writeStatic("vendor/mpegts.js", await Deno.readTextFile("node_modules/mpegts.js/dist/mpegts.js"));
await writeStatic("vendor/player.js", await bundlePlayer("main.ts"));
await writeStatic("vendor/wall.js", await bundlePlayer("wall/main.ts"));
await writeStatic("licenses.txt", await licenses());
for (const [name, source] of Object.entries(STYLE_SHEETS)) {
  await writeStatic(name, await shortStyles(await joinStyles(source)));
}
const builder = new Builder(buildConfig);
if (Deno.args.includes("build")) {
  await builder.build();
} else {
  await builder.listen(() => import("./scripts/dev_app.ts"), { hostname: "127.0.0.1", port: 8000 });
}
