/** What every request passes: the gate, then a VNC upgrade or the app, then the security headers. */
import { renewsSession } from "./door/access.ts";
import { readRest } from "./door/body.ts";
import { type Admitted, createGate } from "./door/gate.ts";
import { rawPath } from "./door/errors.ts";
import { withFrames, withoutTraces, withSecurityHeaders, withVersion } from "./door/headers.ts";
import type { Service } from "./service.ts";

/** What routes get as `ctx.info`: beside what Deno tells of a request, the service and what the gate found. */
export interface RequestInfo extends Deno.ServeHandlerInfo {
  service: Service;
  admitted: Admitted;
}

/** The built app: Fresh's handler. */
export type App = (request: Request, info: RequestInfo) => Promise<Response>;

export type Handler = (request: Request, info: Deno.ServeHandlerInfo) => Promise<Response>;

/** The request as its sender means it: without the access token, which nobody behind the gate needs or sees. */
function withPath({ url, method, headers }: Request, path: string): Request {
  const inner = new URL(url);
  inner.pathname = path;
  return new Request(inner, { method, headers });
}

/** Puts the gate in front of the app. No request goes around it, so that rules on requests stand once. */
export function createHandler(service: Service, app: App): Handler {
  const { login } = service;
  const gate = createGate(service.config, service.machine.hostname, login, {
    ...service.gates,
    metrics: service.metricsToken,
    passes: service.placement.elsewhere?.passes,
  });

  /** Sets what an answer that needed a session has to have. */
  function withSession(response: Response, request: Request, admitted: Admitted): Response {
    const { person } = admitted;
    if (!person) return response;
    // a cache that many share must not give it to those who are not logged in
    const { TRUSTED_USER_HEADER, TRUSTED_GROUPS_HEADER } = service.config;
    const told = ["Cookie", TRUSTED_USER_HEADER, TRUSTED_GROUPS_HEADER].filter(Boolean);
    response.headers.append("vary", told.join(", "));
    const isDocument = response.headers.get("content-type")?.startsWith("text/html");
    // asked again: the session may have been ended meanwhile, and the new one is not this client's
    if (person.by !== "proxy" && isDocument && renewsSession(request) && admitted.holds()) {
      const isSecure = admitted.publicUrl.protocol === "https:";
      response.headers.append("set-cookie", login.session.cookie(isSecure, person.user));
    }
    return response;
  }

  const { FRAMED_BY } = service.config;
  const framed = ({ url }: Request, response: Response) =>
    FRAMED_BY.length > 0 ? withFrames(response, new URL(url), FRAMED_BY) : response;

  /** The answer to a WebSocket upgrade: for a channel, or a browser's takeover, here or at another node. */
  function upgradedFor(request: Request, path: string, admitted: Admitted): Response | null {
    const { vnc, relays, placement: { elsewhere } } = service;
    const watched = relays.upgrade(
      request,
      path,
      admitted,
      (id) => elsewhere?.channelSocket(request, id, admitted) ?? null,
    );
    if (watched || admitted.token) return watched;
    return vnc.upgrade(
      request,
      admitted.isFromOwnPage,
      () => admitted.client,
      elsewhere?.takenOver(path, admitted),
      (id) => elsewhere?.takeover(id, admitted) ?? null,
      admitted.holds,
    );
  }

  async function answerTo(request: Request, info: Deno.ServeHandlerInfo): Promise<Response> {
    const admitted = gate(request, info);
    if (admitted instanceof Response) return withSecurityHeaders(admitted);
    const { token } = admitted;
    // before the app: an upgraded connection is no request any more. An access token opens no display
    const path = token?.path ?? rawPath(request.url);
    const upgraded = upgradedFor(request, path, admitted);
    if (upgraded) return withSecurityHeaders(upgraded);
    const { remoteAddr } = info;
    const passed = await service.placement.elsewhere?.pass(request, path, admitted);
    const requestInfo: RequestInfo = {
      remoteAddr,
      get completed() {
        return info.completed;
      },
      service,
      admitted,
    };
    if (token) {
      const inner = withPath(request, token.path);
      return withoutTraces(framed(inner, withSecurityHeaders(passed ?? await app(inner, requestInfo))));
    }
    const response = framed(request, withSecurityHeaders(passed ?? await app(request, requestInfo)));
    if (rawPath(request.url).startsWith("/api/")) withVersion(response);
    return withSession(response, request, admitted);
  }

  return async (request, info) => {
    const response = await answerTo(request, info);
    // an upgraded connection is no request any more
    if (response.status !== 101) await readRest(request);
    return response;
  };
}
