/** `serve`: the web app alone, as the supervisor runs it. */
import type { Config } from "../config.ts";
import { serveFront } from "../front/listener.ts";
import { type App, createHandler } from "../handler.ts";
import { errorResponse } from "../http/errors.ts";
import { thisMachine } from "../machine.ts";
import { pathsOf } from "../paths.ts";
import { buildService } from "../service.ts";
import { errorText, log } from "../system/log.ts";
import { sleep } from "../system/time.ts";
import { loadTemplates } from "../templates.ts";
import type { SelfCommand } from "./self.ts";

/**
 * Serves until SIGTERM or SIGINT.
 * @param app the built app, which only the entry knows. @param isAlone whether it listens on PORT itself.
 */
export async function serve(config: Config, self: SelfCommand, app: App, isAlone: boolean): Promise<void> {
  const paths = pathsOf(config);
  const machine = await thisMachine(config, paths, self.executable);
  const service = await buildService(config, await loadTemplates(self.root), machine);
  const options = {
    onListen: (address: Deno.Addr) => log("info", "listening", { ...address }),
    onError: (error: unknown) => {
      log("error", "answer failed", { error: errorText(error) });
      return errorResponse(500, "Something went wrong on the server; its log says what.");
    },
  };
  const handler = createHandler(service, app);
  const server = isAlone
    ? Deno.serve({ ...options, hostname: config.HOST, port: config.PORT }, handler)
    : await serveFront(paths.webSocket, machine.user, options, handler);
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
