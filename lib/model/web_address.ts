/** Web addresses as people type them. Pure, also for the form. */

/** Endings of names that only a local network has; `.home` is what many routers give. */
const LOCAL_ENDINGS = [
  ".local",
  ".lan",
  ".home",
  ".internal",
  ".home.arpa",
  ".localdomain",
  ".localhost",
];

/** Schemes, which are no hosts: the text after their colon is no port. */
const SCHEMES = ["about", "blob", "chrome", "data", "file", "ftp", "http", "https", "javascript", "mailto"];

const LABEL = /[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_-]*[\p{L}\p{M}\p{N}])?/u.source;

/** What chats and file managers put around a copied address, and nobody sees. */
const UNSEEN_ENDS = /^\p{Default_Ignorable_Code_Point}+|\p{Default_Ignorable_Code_Point}+$/gu;

/** Characters of an address. */
const MAX_LENGTH = 4096;

/** A host, its port, and the rest. */
const TYPED = new RegExp(
  `^(\\[[0-9a-f:.]+\\]|${LABEL}(?:\\.${LABEL})*\\.?)(?::(\\d{1,5}))?([/?#].*)?$`,
  "iu",
);

const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

/**
 * The whole address of a text, without what nobody sees at its ends. Without a scheme it is http for names and addresses
 * of a local network, which seldom have a certificate, and for port 80; https else. A text that has a scheme, or cannot
 * mean an address, stays as it is. A single word is no address unless a port or a path follows: the word may as well be a
 * mistake.
 */
export function completeAddress(typed: string): string {
  if (typed.length > MAX_LENGTH) return typed;
  const text = typed.replace(UNSEEN_ENDS, "");
  const match = TYPED.exec(text);
  if (!match) return text;
  const [, host, port, rest] = match;
  const name = host.toLowerCase().replace(/\.$/, "");
  const isIpv6 = name.startsWith("[");
  if (SCHEMES.includes(name)) return text;
  if (!isIpv6 && !name.includes(".") && name !== "localhost" && !port && !rest) return text;
  // browsers read a name that ends in a number as an address, such as 1.5 as 1.0.0.5: no person means that
  if (!isIpv6 && /(^|\.)(\d+|0x[0-9a-f]*)$/.test(name) && !IPV4.test(name)) return text;
  const scheme = isLocal(name) || port === "80" ? "http" : "https";
  return URL.canParse(`${scheme}://${text}`) ? `${scheme}://${text}` : text;
}

/** Whether a text is a whole web address. */
export function isAddress(text: string): boolean {
  return /^https?:\/\/[^/]/i.test(text) && URL.canParse(text);
}

/** The host of a web address as it was typed, without login and port; of a text that is none the text itself. */
export function hostOf(url: string): string {
  if (!isAddress(url)) return url;
  const [, host] = /^https?:\/\/(?:[^/?#]*@)?([^/?#]*)/i.exec(url)!;
  return host.replace(/:\d*$/, "").toLowerCase().replace(/^www\./, "");
}

/** An address without the login that was in it. */
export interface AddressLogin {
  url: string;
  user: string;
  pass: string;
}

/** The login in an address as people type it, "http://user:password@host/", and the address without it; null: it has none. */
export function loginInAddress(typed: string): AddressLogin | null {
  if (!typed.includes("@")) return null;
  const text = completeAddress(typed.trim());
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username + url.password === "") return null;
  const [user, pass] = [url.username, url.password].map(decodedPart);
  [url.username, url.password] = ["", ""];
  // the rest stays as it was typed, where that leads to the same page
  const bare = text.replace(/^(https?:\/\/)[^/?#\\]*@/i, "$1");
  return { url: URL.parse(bare)?.href === url.href ? bare : url.href, user, pass };
}

/** An address with a login, which a text that is no address does not take. */
export function withLogin(address: string, user: string, pass: string): string {
  const url = URL.parse(address);
  if (!url || user + pass === "" || !/^https?:$/.test(url.protocol)) return address;
  [url.username, url.password] = [user, pass].map((part) => encodeURIComponent(part.toWellFormed()));
  return url.href;
}

/** A part of a login with its escapes read, where they are UTF-8. */
function decodedPart(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

/** Whether a host in lower case, as a person types it, is on a local network by its name or number. */
function isLocal(name: string): boolean {
  if (name.startsWith("[")) return /^\[(f[cd]|fe[89ab]|::1?\])/.test(name);
  const octets = IPV4.exec(name)?.slice(1).map(Number);
  if (octets) return isLocalIpv4(octets);
  return !name.includes(".") || LOCAL_ENDINGS.some((ending) => name.endsWith(ending));
}

/** Source: RFC 1918, RFC 6598, RFC 3927, and loopback. */
function isLocalIpv4([a, b]: number[]): boolean {
  return a === 10 || a === 127 || (a === 192 && b === 168) || (a === 172 && b >= 16 && b < 32) ||
    (a === 100 && b >= 64 && b < 128) || (a === 169 && b === 254);
}
