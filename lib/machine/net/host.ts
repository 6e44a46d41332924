/** Hosts as the Host header carries them (RFC 9110, section 7.2), and which of them are ours. Pure. */
import { isIP, isIPv4, isIPv6 } from "node:net";

export interface Host {
  /** Lower case, without a dot at the end; an IPv6 address without its brackets. */
  name: string;
  /** null: the scheme's own port. */
  port: number | null;
}

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;
const MAX_NAME = 253;
const MAX_LABEL = 63;

/** A name, an IPv4 address or an IPv6 address in brackets, with or without a port; null for anything else. */
export function parseHost(text: string): Host | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::(\d{1,5}))?$/.exec(text.toLowerCase());
  if (!match) return null;
  const [, ipv6, plain, digits] = match;
  const port = digits === undefined ? null : Number(digits);
  if (port !== null && (port < 1 || port > 65535)) return null;
  if (ipv6 !== undefined) return isIPv6(ipv6) ? { name: ipv6, port } : null;
  const name = plain.replace(/\.$/, "");
  return isIPv4(name) || isName(name) ? { name, port } : null;
}

/**
 * Whether the text is a host name and cannot be read as an address: browsers take texts that end in a number for
 * addresses, such as 127.1 or 0x7f000001 (https://url.spec.whatwg.org/#ends-in-a-number-checker).
 */
function isName(text: string): boolean {
  const labels = text.split(".");
  return text.length <= MAX_NAME && labels.every((label) => label.length <= MAX_LABEL && LABEL.test(label)) &&
    !/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1)!);
}

/** The host as it stands in a URL. */
export function hostText({ name, port }: Host): string {
  return (isIPv6(name) ? `[${name}]` : name) + (port === null ? "" : `:${port}`);
}

/** Endings that only local networks have: RFC 6762, RFC 8375, ICANN's .internal, and .lan of many routers. */
const LOCAL_ENDINGS = [".local", ".lan", ".home.arpa", ".internal"];

/** The host names in the configuration. */
export interface NamesConfig {
  PUBLIC_URL: string;
  ALLOWED_HOSTS: readonly string[];
}

/**
 * Whether the service answers to a name: an address, localhost, a name of the local network, the machine's own name, or
 * a name in PUBLIC_URL or ALLOWED_HOSTS. A page anywhere may have its own name resolve to our address and would then be
 * "same origin" with us (DNS rebinding): so no stranger may be able to give out the name.
 * @param name as parseHost gives it. @param machine the machine's own name.
 */
export function isHostAllowed(
  name: string,
  { PUBLIC_URL, ALLOWED_HOSTS }: NamesConfig,
  machine: string,
): boolean {
  return isIP(name) !== 0 || !name.includes(".") || LOCAL_ENDINGS.some((ending) => name.endsWith(ending)) ||
    name === machine.toLowerCase() || (PUBLIC_URL !== "" && name === new URL(PUBLIC_URL).hostname) ||
    ALLOWED_HOSTS.some((allowed) =>
      allowed === "*" || allowed === name || (allowed.startsWith("*.") && name.endsWith(allowed.slice(1)))
    );
}

/**
 * The address by which this machine reaches a server that listens on the given one. Loopback is named by its number: a
 * bare container may have no name "localhost".
 */
export function localHost(listening: string): string {
  return isEveryInterface(listening) ? "127.0.0.1" : listening;
}

/** Whether all addresses of the machine reach a server that listens on the address. */
export function isEveryInterface(listening: string): boolean {
  return listening === "0.0.0.0" || listening === "::";
}
