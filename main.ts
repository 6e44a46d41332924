/** The web app. Importing it does nothing; as a program it runs the subcommands (lib/run/commands.ts). */
import { App, staticFiles } from "fresh";
import { appConfig } from "./fresh.config.ts";
import { type State, withService } from "./lib/app.ts";

export const app = new App<State>(appConfig)
  .use(staticFiles())
  .use(withService)
  .fsRoutes();

if (import.meta.main) {
  const built = new URL("./_fresh/server.js", import.meta.url).href; // made by `deno task build`
  // not awaited: server.js imports this module and would wait for it
  import("./lib/run/main.ts").then(({ main }) => main(Deno.args, import.meta, () => import(built)));
}
