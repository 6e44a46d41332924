/** `serve`: the web app alone, as the supervisor runs it. */
import type { Config } from "../config.ts";
import { buildService, type Service } from "../service.ts";
import { withSecurityHeaders } from "../http/headers.ts";
import { log } from "../system/log.ts";
import { loadTemplates } from "../templates.ts";
import type { Program } from "./program.ts";

/** Milliseconds open requests get to end; playlists and segments take far less. */
const DRAIN_MS = 1500;
/** Milliseconds for stream work under way; the supervisor kills us after its stopwaitsecs. */
const SETTLE_MS = 3000;

/** Serves until SIGTERM. `appHandler` answers what is left after the upgrades. */
export async function serve(
  config: Config,
  program: Program,
  appHandler: (
    service: Service,
  ) => Promise<(request: Request, info: Deno.ServeHandlerInfo) => Promise<Response>>,
): Promise<void> {
  const service = await buildService(config, await loadTemplates(program.root), program.executable);
  const handler = await appHandler(service);
  const end = new AbortController();
  const server = Deno.serve({
    hostname: config.HOST,
    port: config.PORT,
    onListen: ({ hostname, port }) => log("info", "listening", { hostname, port }),
    handler: async (request, info) => {
      // before the app: an upgraded connection is no request any more
      return withSecurityHeaders(
        service.vnc.upgrade(request, info.remoteAddr) ?? await handler(request, info),
      );
    },
  });
  service.begin(end.signal);

  const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
  const stop = async () => {
    if (end.signal.aborted) return;
    end.abort();
    await Promise.race([Promise.all([service.vnc.end(), server.shutdown()]), pause(DRAIN_MS)]);
    await Promise.race([service.lifecycle.settled(), pause(SETTLE_MS)]);
    log("info", "stopped");
    Deno.exit(0);
  };
  Deno.addSignalListener("SIGTERM", stop);
  Deno.addSignalListener("SIGINT", stop);
  await server.finished;
}
