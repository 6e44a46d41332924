/** `serve`: the web app alone, as the supervisor runs it. */
import type { Config } from "../config.ts";
import { serveFront } from "../door/front/listener.ts";
import { serveViewers } from "../takeover/viewers.ts";
import { type App, createHandler, type Handler } from "../handler.ts";
import { errorResponse } from "../door/errors.ts";
import { thisMachine } from "../machine/machine.ts";
import { pathsOf } from "../paths.ts";
import { buildService } from "../service.ts";
import { becomeUser } from "../machine/os/exec.ts";
import { errorText, log } from "../machine/tools/log.ts";
import { sleep } from "../machine/tools/time.ts";
import { recordedUser } from "../machine/os/users.ts";
import { strangersPort } from "./checks/ports.ts";
import { loadTemplates } from "../templates.ts";
import type { SelfCommand } from "./self.ts";
import { reachableDataDir } from "./web_user.ts";

/**
 * Serves until SIGTERM, after which streams go on, or SIGINT, with which they end; as the web app's own user.
 * @param app the built app, which only the entry knows. @param isAlone whether it listens on PORT itself.
 */
export async function serve(given: Config, self: SelfCommand, app: App, isAlone: boolean): Promise<void> {
  // NATS' client is loaded where it is used alone, and before the files may be out of reach
  const node = given.CLUSTER.length === 0 ? null : await import("../cluster/membership.ts");
  if (node) await import("../cluster/node.ts");
  const user = await recordedUser(pathsOf(given).webDir);
  const config = await reachableDataDir(given, user);
  const paths = pathsOf(config);
  const templates = await loadTemplates(self.root);
  const built = Promise.withResolvers<Handler>();
  const handler: Handler = async (request, info) => (await built.promise)(request, info);
  const options = {
    onListen: (address: Deno.Addr) => log("info", "listening", { ...address }),
    onError: (error: unknown) => {
      log("error", "answer failed", { error: errorText(error) });
      return errorResponse(500, "The server had an error. Its log has the details.");
    },
  };
  const alone = isAlone
    ? Deno.serve({ ...options, hostname: config.HOST, port: config.PORT }, handler)
    : null;
  // after it has its port, which only root may take below 1024, and before it reads anything of others
  becomeUser(user, { processes: null });
  const server = alone ?? await serveFront(paths.webSocket, options, handler);
  if (!alone) await serveViewers(paths.viewersSocket, paths.webSocket, config.TIMINGS.vnc);
  if (!isAlone) {
    const claim = await strangersPort(config, paths);
    if (claim) {
      throw new Error(`port ${claim.port} (${claim.variable}) is not the service's: nothing is sent there`);
    }
  }
  const membership = await node?.readMembership(config) ?? null;
  const service = await buildService(config, templates, thisMachine(paths), membership);
  built.resolve(createHandler(service, app));
  service.start();

  let isStopping = false;
  const stop = async (isEnd: boolean) => {
    if (isStopping) return;
    isStopping = true;
    const stopped = async () => {
      if (isEnd) await service.placement.leave();
      await Promise.all([service.stop(), server.shutdown()]);
    };
    await Promise.race([stopped(), sleep(config.TIMINGS.stopMs)]);
    log("info", "stopped");
    Deno.exit(0);
  };
  Deno.addSignalListener("SIGTERM", () => stop(false));
  Deno.addSignalListener("SIGINT", () => stop(true));
  await server.finished;
}
