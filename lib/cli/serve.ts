/** `serve`: the web app alone, as the supervisor runs it. */
import type { Config } from "../config.ts";
import { type App, createHandler } from "../handler.ts";
import { errorResponse } from "../http/errors.ts";
import { thisMachine } from "../machine.ts";
import { pathsOf } from "../paths.ts";
import { buildService } from "../service.ts";
import { errorText, log } from "../system/log.ts";
import { sleep } from "../system/time.ts";
import { loadTemplates } from "../templates.ts";
import type { SelfCommand } from "./self.ts";

/** Serves until SIGTERM or SIGINT. @param app the built app, which only the entry knows. */
export async function serve(config: Config, self: SelfCommand, app: App): Promise<void> {
  const machine = await thisMachine(config, pathsOf(config), self.executable);
  const service = await buildService(config, await loadTemplates(self.root), machine);
  const server = Deno.serve({
    hostname: config.HOST,
    port: config.PORT,
    onListen: ({ hostname, port }) => log("info", "listening", { hostname, port }),
    onError: (error) => {
      log("error", "answer failed", { error: errorText(error) });
      return errorResponse(500, "Something went wrong on the server; its log says what.");
    },
    handler: createHandler(service, app),
  });
  service.start();

  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    await Promise.race([Promise.all([service.stop(), server.shutdown()]), sleep(config.TIMINGS.stopMs)]);
    log("info", "stopped");
    Deno.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) Deno.addSignalListener(signal, stop);
  await server.finished;
}
