/** User name and password for the proxies of HTTP_PROXY and HTTPS_PROXY: for the web app and the sign-in helpers. */
import { type Config, ConfigError } from "../../config.ts";
import { parseProxy, proxyPlace, proxyText } from "../../reach/proxy_server.ts";
import { proxyFor, type WayOut } from "../../reach/way_out.ts";
import { type Opener, parseLogin, readSecretFile } from "./secret_file.ts";

export interface ProxyLogin {
  /** The proxies' host and port: no other server gets the login. */
  places: readonly string[];
  user: string;
  pass: string;
}

type ProxyConfig = Pick<Config, "HTTP_PROXY" | "HTTPS_PROXY" | "PROXY_LOGIN_FILE">;

const EXAMPLE = "Example: HTTPS_PROXY=http://proxy.example.org:3128 with PROXY_LOGIN_FILE=/run/secrets/proxy";

/**
 * The login of both proxies, or null. @param open reads the file otherwise than as the operator's.
 * @throws {ConfigError} when there are two logins, or the file has none.
 */
export async function readProxyLogin(config: ProxyConfig, open?: Opener): Promise<ProxyLogin | null> {
  const { HTTP_PROXY, HTTPS_PROXY, PROXY_LOGIN_FILE } = config;
  const proxies = [HTTP_PROXY, HTTPS_PROXY].flatMap((text) => text === "" ? [] : parseProxy(text) ?? []);
  if (proxies.length === 0) return null;
  const places = [...new Set(proxies.map(proxyPlace))];
  const given = proxies.filter(({ user, pass }) => user + pass !== "").map(({ user, pass }) => ({
    user,
    pass,
  }));
  const text = await readSecretFile("PROXY_LOGIN_FILE", PROXY_LOGIN_FILE, "/run/secrets/proxy", open);
  if (text !== "") {
    const login = parseLogin(text);
    if (login === null) {
      throw new ConfigError(`PROXY_LOGIN_FILE=${PROXY_LOGIN_FILE} is not user:password. ${EXAMPLE}`);
    }
    given.push(login);
  }
  const [login] = given;
  if (given.some(({ user, pass }) => user !== login.user || pass !== login.pass)) {
    throw new ConfigError(`HTTP_PROXY, HTTPS_PROXY and PROXY_LOGIN_FILE have different logins. ${EXAMPLE}`);
  }
  return login ? { places, ...login } : null;
}

/** The proxy that `fetch` uses for an address; null: none. */
export function proxyOf(url: URL, way: WayOut | null, login: ProxyLogin | null): Deno.Proxy | null {
  const proxy = proxyFor(url, way);
  if (!proxy) return null;
  const isTold = login?.places.includes(proxyPlace(proxy));
  return {
    url: proxyText(proxy),
    ...(isTold ? { basicAuth: { username: login!.user, password: login!.pass } } : {}),
  };
}
