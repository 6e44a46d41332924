/** The service's address as the client sees it, for playlists, QR codes and guides. */
import { ServiceError } from "../../errors.ts";
import { type Host, hostText, parseHost } from "./host.ts";
import { isInNetworks } from "./networks.ts";

type Info = Pick<Deno.ServeHandlerInfo, "remoteAddr">;
type Scheme = "http" | "https";

const PORTS: Record<Scheme, number> = { http: 80, https: 443 };

/** What proxies call a client's scheme: of a WebSocket's handshake, which is HTTP, Traefik names the WebSocket's. */
const SCHEMES: ReadonlyMap<string, Scheme> = new Map([
  ["http", "http"],
  ["https", "https"],
  ["ws", "http"],
  ["wss", "https"],
]);

function badHeader(name: string, example: string): ServiceError {
  return new ServiceError(400, `The request's ${name} header is not valid. Example: ${name}: ${example}`);
}

/** The host that the request itself names. @throws {ServiceError} 400 when the name is no host. */
export function requestHost(request: Request): Host {
  // HTTP/2 has no Host header; Deno's URL then has the host of `:authority`
  const host = parseHost(request.headers.get("host") ?? new URL(request.url).host);
  if (!host) throw badHeader("Host", "tv.example.org");
  return host;
}

/** The address that the client used, as a trusted proxy reports it; empty without such a proxy. */
export interface Forwarded {
  scheme?: Scheme;
  host?: Host;
  port?: number;
}

/** @throws {ServiceError} 400 when a trusted proxy's header is not valid. */
export function forwarded(request: Request, { remoteAddr }: Info, trusted: readonly string[]): Forwarded {
  if (!("hostname" in remoteAddr) || !isInNetworks(remoteAddr.hostname, trusted)) return {};
  // in a chain of proxies, the proxy next to the client stands first
  const first = (name: string) => request.headers.get(name)?.split(",")[0].trim() || undefined;
  const [proto, host, port] = ["x-forwarded-proto", "x-forwarded-host", "x-forwarded-port"].map(first);
  const found: Forwarded = {};
  if (proto !== undefined) {
    found.scheme = SCHEMES.get(proto.toLowerCase());
    if (!found.scheme) throw badHeader("X-Forwarded-Proto", "https");
  }
  if (host !== undefined) {
    found.host = parseHost(host) ?? undefined;
    if (!found.host) throw badHeader("X-Forwarded-Host", "tv.example.org");
  }
  if (port !== undefined) {
    found.port = /^\d{1,5}$/.test(port) ? Number(port) : 0;
    if (found.port < 1 || found.port > 65535) throw badHeader("X-Forwarded-Port", "443");
  }
  return found;
}

/**
 * The service's address as the client of this request sees it: PUBLIC_URL if it is set, else a trusted proxy's report,
 * else the request's Host. The path is "/".
 * @throws {ServiceError} 400 when a required header is not valid.
 */
export function publicUrl(
  request: Request,
  info: Info,
  config: { PUBLIC_URL: string; TRUSTED_PROXIES: readonly string[] },
): URL {
  if (config.PUBLIC_URL) return new URL(config.PUBLIC_URL);
  const told = forwarded(request, info, config.TRUSTED_PROXIES);
  const { scheme = "http", host: { name, port } = requestHost(request) } = told;
  // a client of no proxy has named its own port
  const ofClient = port !== null && !told.scheme ? port : usable(port ?? told.port ?? null, scheme);
  return new URL(`${scheme}://${hostText({ name, port: ofClient })}/`);
}

/** The client's port, or null: the other scheme's port is the proxy's own, since TLS ended before that proxy. */
function usable(port: number | null, scheme: Scheme): number | null {
  const isForeign = Object.entries(PORTS).some(([other, its]) => other !== scheme && its === port);
  return isForeign ? null : port;
}
