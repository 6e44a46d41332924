/**
 * The gate: every request and every WebSocket upgrade passes it once, in front of everything else. It decides who may
 * come in, and hands what it found to those behind it, so that nobody has to decide again.
 */
import { type Access, isBelowToken, type TokenGate } from "./access/token_gate.ts";
import type { MetricsToken } from "./access/metrics_token.ts";
import type { Login, Person } from "./access/login.ts";
import type { Config } from "../config.ts";
import { ServiceError } from "../errors.ts";
import { clientAddress } from "../machine/net/client_address.ts";
import type { Role } from "../role.ts";
import { PASS_HEADER, type PassedOn, type Passes } from "./access/pass.ts";
import { headersCopy } from "../machine/net/header_lines.ts";
import { isHostAllowed } from "../machine/net/host.ts";
import { forwarded, publicUrl, requestHost } from "../machine/net/public_url.ts";
import { WALL_HOST } from "../reach/wall_address.ts";
import { log } from "../machine/tools/log.ts";
import { isForMetrics, isFree, metricsRefused, withoutSession } from "./access.ts";
import { rawPath, refusal } from "./errors.ts";
import { foreignPageText, requestOrigin } from "./origin.ts";
import { refuseRepeatedQuery } from "./repeated.ts";
import { leastRole, refuseRole } from "./roles.ts";

/** A request that was let in, as the gate knows it. */
export interface Admitted {
  /** The service's address as the client sees it. */
  publicUrl: URL;
  /** What every address in an answer begins with: the origin of `publicUrl`, and the client's access token, if any. */
  addressBase: string;
  /** Whether a page of ours sent the request, as its Origin says; without one it is false. */
  isFromOwnPage: boolean;
  /** Whether the answer may hold a secret: no other site's page asked, and nobody typed the address into a browser. */
  mayReadSecrets: boolean;
  /** Why it was let in: "all", where nobody needs to log in, a person, an access token, or a token for metrics. */
  access: "all" | "session" | "token" | "metrics";
  /** What the client may do; where nobody needs to log in, everything. */
  role: Role;
  /** The person who is logged in; null where that is not known. */
  person: Person | null;
  /** What the access token opens; null for a request without one. */
  token: Access | null;
  /** Whether the answer may be the metrics: a token for them that is set counts even where nobody needs to log in. */
  mayReadMetrics: boolean;
  /** Whether the answer may show the stream. */
  maySee(stream: { id: string; group: string }): boolean;
  /** Whether the client would be let in again: a token may have been revoked since, and a session have ended. */
  holds(): boolean;
  /** The client's IP address, as limits count it. */
  client: string;
  /** The other end of the connection: the client, or the proxy next to us; null: it does not matter. */
  connection: Deno.Addr | null;
  /** Whether another node of the cluster has let it in, and passed it on to the one that has the stream. */
  isPassedOn: boolean;
}

export type Gate = (
  request: Request,
  info: Pick<Deno.ServeHandlerInfo, "remoteAddr">,
) => Admitted | Response;

type GateConfig = Pick<Config, "PUBLIC_URL" | "ALLOWED_HOSTS" | "TRUSTED_PROXIES">;

/** Nobody shall fill the log with names. */
const MAX_LOGGED = 100;

const NOBODY: Admitted = {
  publicUrl: new URL("http://localhost/"),
  isFromOwnPage: false,
  mayReadSecrets: false,
  addressBase: "http://localhost",
  access: "all",
  role: "viewer",
  person: null,
  token: null,
  mayReadMetrics: false,
  maySee: () => true,
  holds: () => true,
  client: "local",
  connection: null,
  isPassedOn: false,
};

const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];

const METHODS = [...SAFE_METHODS, "POST", "PUT", "PATCH", "DELETE"];

/** @throws {ServiceError} 501 for a method that nothing here has; 400 for an address that no text is, or says a thing twice. */
function refuseMeaningless({ method, url }: Request): void {
  if (!METHODS.includes(method)) {
    throw new ServiceError(501, `There is no method ${method.slice(0, 20)} here, but ${METHODS.join(", ")}.`);
  }
  try {
    decodeURIComponent(rawPath(url));
  } catch {
    throw new ServiceError(400, 'The address has a "%" that begins no character. Example: %25 for "%".');
  }
  refuseRepeatedQuery(url);
}

/** What another node has let in. @throws {ServiceError} 403 for what it has not, and for a role that is not enough. */
function passedOn(request: Request, passes: Passes, pass: string): Admitted {
  const { search } = new URL(request.url);
  const found: PassedOn | null = passes.read(pass, request.method, rawPath(request.url) + search);
  if (found === null) throw new ServiceError(403, "This request's pass is not from a node of the cluster.");
  refuseMeaningless(request);
  refuseRole(found.role, leastRole(request));
  const { publicUrl, ...rest } = found;
  return { ...NOBODY, ...rest, publicUrl: new URL(publicUrl), isPassedOn: true };
}

/** The tokens that let a request in. An absent kind opens nothing. */
export interface GateTokens {
  /** In an address: the tokens of apps, and those of the browsers that show walls. */
  apps?: TokenGate;
  walls?: TokenGate;
  /** In a header: the token for metrics, and the passes of the cluster's other nodes. */
  metrics?: MetricsToken | null;
  passes?: Passes | null;
}

/** @param machine the machine's own name. @param login the login of people; null: they need none. */
export function createGate(
  config: GateConfig,
  machine: string,
  login: Pick<Login, "isOn" | "personOf"> | null,
  { apps, walls, metrics, passes }: GateTokens = {},
): Gate {
  const logged = new Set<string>();

  function wrongHost(name: string): ServiceError {
    if (!logged.has(name) && logged.size < MAX_LOGGED) {
      logged.add(name);
      log("warn", "a request for a name that is not ours was refused", {
        host: name,
        remedy: "ALLOWED_HOSTS",
      });
    }
    return new ServiceError(
      421,
      `This service does not answer to the name "${name}". If it is meant to, start it with ` +
        `ALLOWED_HOSTS=${name}, or with PUBLIC_URL and the whole address, such as PUBLIC_URL=https://${name}`,
    );
  }

  /** Null for a request that needs a session and has none. @throws {ServiceError} 403 for a role that is not enough. */
  function accessOf(
    request: Request,
    client: () => string,
    info: Pick<Deno.ServeHandlerInfo, "remoteAddr">,
  ): Pick<Admitted, "access" | "role" | "person" | "holds"> | null {
    if (metrics && isForMetrics(request) && metrics.isIn(request.headers, client)) {
      return { access: "metrics", role: "viewer", person: null, holds: () => true };
    }
    // connections that were opened without a login may go on when the login is turned on
    if (!login?.isOn) return { access: "all", role: "admin", person: null, holds: () => !login?.isOn };
    if (isFree(request)) return { access: "all", role: "viewer", person: null, holds: () => true };
    // copies: a request that has become a WebSocket cannot be asked any more
    const headers = headersCopy(request.headers), { remoteAddr } = info;
    const person = login.personOf(headers, { remoteAddr });
    if (person === null) return null;
    refuseRole(person.role, leastRole(request));
    const holds = () => {
      const now = login.personOf(headers, { remoteAddr });
      return now !== null && now.name === person.name && now.role === person.role && now.by === person.by;
    };
    return { access: "session", role: person.role ?? "viewer", person, holds };
  }

  function admit(request: Request, info: Pick<Deno.ServeHandlerInfo, "remoteAddr">): Admitted | Response {
    const pass = passes && request.headers.get(PASS_HEADER);
    if (passes && pass) return passedOn(request, passes, pass);
    // both: a page that is "same origin" may send any X-Forwarded-Host through a proxy that passes it on
    // a name of its own, whatever ALLOWED_HOSTS says: behind it is nothing but a channel's own wall
    const gateOfWalls = requestHost(request).name === WALL_HOST ? walls : undefined;
    for (const host of [requestHost(request), forwarded(request, info, config.TRUSTED_PROXIES).host]) {
      if (host && !gateOfWalls && !isHostAllowed(host.name, config, machine)) throw wrongHost(host.name);
    }
    const { isOwn, isForeign } = requestOrigin(request, () => publicUrl(request, info, config).host);
    if (isForeign && !SAFE_METHODS.includes(request.method)) {
      throw new ServiceError(403, foreignPageText(request));
    }
    refuseMeaningless(request);
    const client = () => clientAddress(request, info, config.TRUSTED_PROXIES);
    const asked = { method: request.method, rawPath: rawPath(request.url), client };
    const gateOfToken = gateOfWalls ?? (isBelowToken(asked.rawPath) ? apps : undefined);
    const token = gateOfToken?.(asked) ?? null;
    const found = token
      ? { access: "token" as const, role: "viewer" as const, person: null, holds: token.holds }
      : accessOf(request, client, info);
    if (found === null && isForMetrics(request)) throw metricsRefused();
    if (found === null) return withoutSession(request);
    const { access } = found;
    const { headers } = request;
    const site = headers.get("sec-fetch-site");
    // browsers send Sec-Fetch-Site to https and to loopback only, so its absence says nothing; but none sends another
    // header where an address was opened, and to another site only if that agrees, which we do not
    const isAskedByScript = headers.get("x-requested-with") === "browser-stream";
    const mayReadSecrets = isAskedByScript && !isForeign && (site === null || site === "same-origin");
    return {
      // few answers need these
      get publicUrl() {
        return publicUrl(request, info, config);
      },
      get addressBase() {
        return publicUrl(request, info, config).origin + (token?.prefix ?? "");
      },
      isFromOwnPage: isOwn,
      mayReadSecrets,
      ...found,
      token,
      mayReadMetrics: access === "metrics" || access === "session" || (access === "all" && !metrics),
      maySee: token?.maySee ?? (() => true),
      get client() {
        return client();
      },
      connection: info.remoteAddr,
      isPassedOn: false,
    };
  }

  return (request, info) => {
    try {
      return admit(request, info);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      // a health check comes by whatever name its container has
      if (error.status === 421 && rawPath(request.url) === "/healthz") return NOBODY;
      return refusal(error, request);
    }
  };
}
