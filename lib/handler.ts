/** What every request passes: the gate, then a VNC upgrade or the app, then the security headers. */
import { type Admitted, createGate } from "./http/gate.ts";
import { withSecurityHeaders } from "./http/headers.ts";
import type { Service } from "./service.ts";

/** What routes get as `ctx.info`: beside what Deno tells of a request, the service and what the gate found. */
export interface RequestInfo extends Deno.ServeHandlerInfo {
  service: Service;
  admitted: Admitted;
}

/** The built app: Fresh's handler. */
export type App = (request: Request, info: RequestInfo) => Promise<Response>;

export type Handler = (request: Request, info: Deno.ServeHandlerInfo) => Promise<Response>;

/** Puts the gate in front of the app. No request goes around it, so that rules on requests stand once. */
export function createHandler(service: Service, app: App): Handler {
  const gate = createGate(service.config, service.machine.hostname);
  return async (request, info) => {
    const admitted = gate(request, info);
    if (admitted instanceof Response) return withSecurityHeaders(admitted);
    // before the app: an upgraded connection is no request any more
    const upgraded = service.vnc.upgrade(request, admitted.isFromOwnPage, () => peerOf(info));
    if (upgraded) return withSecurityHeaders(upgraded);
    const { remoteAddr } = info;
    const requestInfo: RequestInfo = {
      remoteAddr,
      get completed() {
        return info.completed;
      },
      service,
      admitted,
    };
    return withSecurityHeaders(await app(request, requestInfo));
  };
}

/** The address that is at the other end of the connection. */
function peerOf({ remoteAddr }: Pick<Deno.ServeHandlerInfo, "remoteAddr">): string {
  return "hostname" in remoteAddr ? remoteAddr.hostname : "";
}
