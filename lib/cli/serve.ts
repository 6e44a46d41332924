/** `serve`: the web app alone, as the supervisor runs it. */
import type { Config } from "../config.ts";
import { buildService, type Service } from "../service.ts";
import { errorResponse } from "../http/errors.ts";
import { withSecurityHeaders } from "../http/headers.ts";
import { hostGuard } from "../http/gate.ts";
import { publicUrl } from "../net/public_url.ts";
import { errorText, log } from "../system/log.ts";
import { loadTemplates } from "../templates.ts";
import type { SelfCommand } from "./self.ts";

/** Milliseconds open requests get to end; playlists and segments take far less. */
const DRAIN_MS = 1500;
/** Milliseconds for stream work under way; the supervisor kills us after its stopwaitsecs. */
const SETTLE_MS = 3000;

/** What a handler threw, or what broke off a body under way: then the answer goes nowhere, and the viewer tries again. */
function answerError(error: unknown): Response {
  log("error", "answer failed", { error: errorText(error) });
  return errorResponse(500, "Something went wrong on the server; its log says what.");
}

/** Serves until SIGTERM. `appHandler` answers what is left after the upgrades. */
export async function serve(
  config: Config,
  program: SelfCommand,
  appHandler: (
    service: Service,
  ) => Promise<(request: Request, info: Deno.ServeHandlerInfo) => Promise<Response>>,
): Promise<void> {
  const service = await buildService(config, await loadTemplates(program.root), program.executable);
  const handler = await appHandler(service);
  const refusal = hostGuard(config, Deno.hostname());
  const secured = async (response: Promise<Response>) => withSecurityHeaders(await response);
  const end = new AbortController();
  const server = Deno.serve({
    hostname: config.HOST,
    port: config.PORT,
    onListen: ({ hostname, port }) => log("info", "listening", { hostname, port }),
    onError: answerError,
    handler: (request, info) => {
      const refused = refusal(request, info);
      if (refused) return withSecurityHeaders(refused);
      // before the app: an upgraded connection is no request any more
      const publicHost = () => publicUrl(request, info, config).host;
      const upgraded = service.vnc.upgrade(request, info.remoteAddr, publicHost);
      return upgraded ? withSecurityHeaders(upgraded) : secured(handler(request, info));
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
