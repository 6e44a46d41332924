/** Requests that become WebSockets. */
import { errorResponse } from "./errors.ts";

/** The fault of a request that wants to become a WebSocket; null: there is none. Source: RFC 6455, section 4.2. */
export function handshakeProblem(request: Request): Response | null {
  if (request.method !== "GET") return errorResponse(400, "A WebSocket begins with a GET.");
  if (request.headers.get("sec-websocket-version") === "13") return null;
  const refusal = errorResponse(426, "Only version 13 of WebSocket is spoken here.");
  refusal.headers.set("sec-websocket-version", "13");
  return refusal;
}

/** The answer that makes a request a WebSocket, which `open` gets; a refusal where the handshake is not complete. */
export function upgraded(
  request: Request,
  options: Deno.UpgradeWebSocketOptions,
  open: (socket: WebSocket) => void,
): Response {
  try {
    const { socket, response } = Deno.upgradeWebSocket(request, options);
    open(socket);
    return response;
  } catch {
    return errorResponse(400, "This is not a complete WebSocket handshake.");
  }
}
