/** Single sign-on by a reverse proxy: whom its headers name. They are believed from TRUSTED_PROXIES alone. */
import type { Config } from "../../config.ts";
import { higher, type Role } from "../../role.ts";
import { mayBeTwice } from "../../machine/net/header_lines.ts";
import { isInNetworks } from "../../machine/net/networks.ts";

type ProxyConfig = Pick<
  Config,
  "TRUSTED_PROXIES" | "TRUSTED_USER_HEADER" | "TRUSTED_GROUPS_HEADER" | "ROLE_GROUPS"
>;

type Info = Pick<Deno.ServeHandlerInfo, "remoteAddr">;

/** What a trusted proxy says of a request. */
export interface ProxyUser {
  name: string;
  /** By the groups; null: none of them has a role; undefined: no groups are told. */
  role: Role | null | undefined;
}

/** The most that is read of a header: directories have people in hundreds of groups. */
const MAX_LENGTH = 16_384;

/**
 * Null: no trusted proxy has sent the request, it names nobody, or one of its headers may have come twice, as when a client
 * sends its own and the proxy adds one.
 * @param ontwice gets the name of such a header.
 */
export function proxyUser(
  headers: Headers,
  { remoteAddr }: Info,
  config: ProxyConfig,
  ontwice: (header: string) => void = () => {},
): ProxyUser | null {
  const { TRUSTED_USER_HEADER, TRUSTED_GROUPS_HEADER } = config;
  if (TRUSTED_USER_HEADER === "") return null;
  if (!("hostname" in remoteAddr) || !isInNetworks(remoteAddr.hostname, config.TRUSTED_PROXIES)) return null;
  for (const header of [TRUSTED_USER_HEADER, TRUSTED_GROUPS_HEADER]) {
    if (header === "" || !mayBeTwice(headers, header)) continue;
    ontwice(header);
    return null;
  }
  const name = headerText(headers, TRUSTED_USER_HEADER).trim();
  if (name === "" || name.length > 200 || /[,\p{Cc}]/u.test(name)) return null;
  if (TRUSTED_GROUPS_HEADER === "") return { name, role: undefined };
  const text = headerText(headers, TRUSTED_GROUPS_HEADER).slice(0, MAX_LENGTH);
  const groups = text.split(/[,|]/).map((group) => group.trim()).filter(Boolean);
  return { name, role: roleOf(groups, config.ROLE_GROUPS) };
}

/** The highest role of groups; null: none of them has one. */
export function roleOf(groups: readonly string[], known: ProxyConfig["ROLE_GROUPS"]): Role | null {
  let role: Role | null = null;
  for (const entry of known) {
    const at = entry.indexOf("=");
    const [own, group] = [entry.slice(0, at) as Role, entry.slice(at + 1)];
    if (group === "*" || groups.includes(group)) role = role === null ? own : higher(role, own);
  }
  return role;
}

/** Headers are bytes: proxies send names in UTF-8, which the web app gets as Latin-1. */
function headerText(headers: Headers, name: string): string {
  const text = headers.get(name) ?? "";
  // deno-lint-ignore no-control-regex
  if (!/^[\x00-\xff]*$/.test(text)) return text;
  try {
    const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).normalize("NFC");
  } catch {
    return text;
  }
}
