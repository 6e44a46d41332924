/** `serve`: the web app alone, as the supervisor runs it. */
import type { Config } from "../config.ts";
import { type App, createHandler, type Handler } from "../handler.ts";
import { errorResponse } from "../http/errors.ts";
import { thisMachine } from "../machine.ts";
import { pathsOf } from "../paths.ts";
import { buildService } from "../service.ts";
import { becomeUser } from "../system/exec.ts";
import { errorText, log } from "../system/log.ts";
import { sleep } from "../system/time.ts";
import { recordedUser } from "../system/users.ts";
import { loadTemplates } from "../templates.ts";
import type { SelfCommand } from "./self.ts";
import { reachableDataDir } from "./web_user.ts";

/**
 * Serves until SIGTERM or SIGINT, as the web app's own user.
 * @param app the built app, which only the entry knows.
 */
export async function serve(given: Config, self: SelfCommand, app: App): Promise<void> {
  const user = await recordedUser(pathsOf(given).webDir);
  const config = await reachableDataDir(given, user);
  const templates = await loadTemplates(self.root);
  const handler = Promise.withResolvers<Handler>();
  const server = Deno.serve({
    hostname: config.HOST,
    port: config.PORT,
    onListen: ({ hostname, port }) => log("info", "listening", { hostname, port }),
    onError: (error) => {
      log("error", "answer failed", { error: errorText(error) });
      return errorResponse(500, "Something went wrong on the server; its log says what.");
    },
    handler: async (request, info) => (await handler.promise)(request, info),
  });
  // after it has its port, which only root may take below 1024, and before it reads anything of others
  becomeUser(user, { processes: null });
  const service = await buildService(config, templates, thisMachine(pathsOf(config)));
  handler.resolve(createHandler(service, app));
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
