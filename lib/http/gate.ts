/**
 * Which names the service answers to. A page anywhere may have its own name resolve to our address and would then be
 * "same origin" with us (DNS rebinding, docs/security.md): a name must be one that no stranger can give out.
 */
import { isIP } from "node:net";
import type { Config } from "../config.ts";
import { ServiceError } from "../errors.ts";
import { log } from "../system/log.ts";
import { apiError } from "./errors.ts";
import { forwarded, requestHost } from "../net/public_url.ts";

type Names = Pick<Config, "PUBLIC_URL" | "ALLOWED_HOSTS">;

/** Endings that only local networks have: RFC 6762, RFC 8375, ICANN's .internal, and .lan of many routers. */
const LOCAL_ENDINGS = [".local", ".lan", ".home.arpa", ".internal"];

/**
 * Whether the service answers to a name: an address, localhost, a name of the local network, the machine's own, the
 * one in PUBLIC_URL, or one in ALLOWED_HOSTS.
 * @param name as parseHost gives it. @param machine the machine's own name.
 */
export function isHostAllowed(name: string, { PUBLIC_URL, ALLOWED_HOSTS }: Names, machine: string): boolean {
  return isIP(name) !== 0 || !name.includes(".") || LOCAL_ENDINGS.some((ending) => name.endsWith(ending)) ||
    name === machine.toLowerCase() || (PUBLIC_URL !== "" && name === new URL(PUBLIC_URL).hostname) ||
    ALLOWED_HOSTS.some((allowed) =>
      allowed === "*" || allowed === name || (allowed.startsWith("*.") && name.endsWith(allowed.slice(1)))
    );
}

/** So that nobody fills the log with names. */
const MAX_LOGGED = 100;
/** Host headers that need not be looked at again; a household has a handful. */
const MAX_KNOWN = 100;

/** Answers requests for names that are not ours, 421 (RFC 9110, section 15.5.20), or 400; null for all others. */
export function hostGuard(
  config: Names & Pick<Config, "TRUSTED_PROXIES">,
  machine: string,
): (request: Request, info: Pick<Deno.ServeHandlerInfo, "remoteAddr">) => Response | null {
  const logged = new Set<string>();
  const known = new Set<string>();

  function refusal(name: string): ServiceError {
    const message = `This service does not answer to the name "${name}". If it is meant to, start it with ` +
      `ALLOWED_HOSTS=${name}, or with PUBLIC_URL and the whole address, such as PUBLIC_URL=https://${name}`;
    if (!logged.has(name) && logged.size < MAX_LOGGED) {
      logged.add(name);
      log("warn", "a request for a name that is not ours was refused", {
        host: name,
        remedy: "ALLOWED_HOSTS",
      });
    }
    return new ServiceError(421, message);
  }

  return (request, info) => {
    const text = request.headers.get("host");
    if (text !== null && known.has(text)) return null;
    try {
      // both: a page that is "same origin" may send any X-Forwarded-Host through a proxy that passes it on
      for (const host of [requestHost(request), forwarded(request, info, config.TRUSTED_PROXIES).host]) {
        if (host && !isHostAllowed(host.name, config, machine)) throw refusal(host.name);
      }
      // with trusted proxies another header of the next request counts as well
      const isEnough = config.TRUSTED_PROXIES.length === 0 && known.size < MAX_KNOWN;
      if (isEnough && text !== null) known.add(text);
      return null;
    } catch (error) {
      const pathname = pathOf(request);
      if (pathname === "/healthz") return null;
      if (!(error instanceof ServiceError)) throw error;
      if (pathname.startsWith("/api/")) return apiError(error, request);
      const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
      return new Response(`${error.message}\n`, { status: error.status, headers });
    }
  };
}

/** With a bad Host, the request's URL cannot be parsed. */
function pathOf({ url }: Request): string {
  return /^\w+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] ?? "";
}
