/** The entry: subcommands; `serve` is the app. Importing it does nothing. */
import { App, staticFiles } from "fresh";
import { appConfig } from "./fresh.config.ts";
import { type State, useService, withService } from "./lib/app.ts";
import { runCommand } from "./lib/cli/commands.ts";
import { selfCommand } from "./lib/cli/self.ts";
import { serve } from "./lib/cli/serve.ts";

export const app = new App<State>(appConfig)
  .use(staticFiles())
  .use(withService)
  .fsRoutes();

type Fetch = (request: Request, info: Deno.ServeHandlerInfo) => Promise<Response>;

/**
 * Runs a subcommand.
 * @param entry the `import.meta` of the module that was started. @param built the built app.
 */
export async function main(
  args: string[],
  entry: ImportMeta,
  built: () => Promise<{ default: { fetch: Fetch } }>,
) {
  const program = selfCommand(entry.url, entry.dirname!);
  await runCommand(args, program, (config) =>
    serve(config, program, async (service) => {
      useService(service);
      const { default: server } = await built();
      return server.fetch;
    }));
}

if (import.meta.main) {
  const built = new URL("./_fresh/server.js", import.meta.url).href; // made by `deno task build`
  // no await: server.js imports this module and would wait for it
  main(Deno.args, import.meta, () => import(built));
}
