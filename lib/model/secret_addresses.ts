/** Addresses as secrets: paths, queries and stream keys in them may open the places that they lead to. Pure. */
import { parsePushTarget, pushPlace } from "../machine/net/push_target.ts";
import { wallOfAddress } from "../reach/wall_address.ts";
import { formatPages, parsePages } from "./plan/pages.ts";
import { formatPlan, parsePlan } from "./plan/plan.ts";

/** Stands in an export for the secret parts of an address. */
const REMOVED = "REMOVED";

/** The names of values in a query that are secrets. */
const SECRET = /pass|pwd|secret|token|key|credential|auth|jwt|session|^sig|^code$|^sid$/i;

/** A sentence of whose addresses only the hosts stay. */
export function withHosts(text: string): string {
  return text.replace(
    /[a-z][a-z0-9+.-]{0,30}:(\/\/[^\s"'<>]+)/gi,
    // hosts of other schemes are parsed otherwise
    (_, rest: string) => URL.parse(`http:${rest}`)?.host || "a page",
  );
}

/** What may be a server, with or without a login. Quotes but the double one stand in passwords as people type them. */
const SERVERS = /[^\s/?#"\\]+/g;

/** What stands before a server: browsers take any number of slashes of either kind, and JSON may escape them. */
const BEFORE_SERVER = /(?:[a-z0-9+.-]:\\{0,3}\/\\{0,3}\/|(?:https?|wss?|ftp):[\\/]{1,8})$/i;

/** A scheme that browsers need no slashes behind. */
const SCHEME = /(?:https?|wss?|ftp):/i;

/** The text without the logins in its addresses, which pages and earlier versions may write. Linear: pages write any text. */
export function withoutLogins(text: string): string {
  return text.replace(SERVERS, (server, at: number) => {
    const end = server.lastIndexOf("@") + 1;
    if (end === 0) return server;
    if (BEFORE_SERVER.test(text.slice(Math.max(0, at - 16), at))) return server.slice(end);
    const [scheme] = SCHEME.exec(server) ?? [];
    const begin = scheme === undefined ? end : server.search(SCHEME) + scheme.length;
    return begin < end ? server.slice(0, begin) + server.slice(end) : server;
  });
}

/** A page's scheme, host and port, as an address. A wall's address holds no secret, and stays. */
export function pagePlace(url: string): string {
  if (wallOfAddress(url) !== null) return url;
  return URL.canParse(url) ? `${new URL(url).origin}/` : "";
}

/** The server of a push; "" for none. */
export function pushPlaceOf(pushTo: string): string {
  const target = parsePushTarget(pushTo);
  return target ? pushPlace(target) : "";
}

/** A page's address without its known secrets. */
function pageWithout(address: string): string {
  const url = URL.parse(address);
  if (!url) return address;
  const before = url.href;
  url.search = valuesWithout(url.search);
  url.hash = valuesWithout(url.hash);
  return url.href === before ? address : url.href;
}

/** The text of a query, or of a fragment that is written like one. */
function valuesWithout(text: string): string {
  return text.replace(
    /([?#&;])([^=&;#]+)=[^&;]+/g,
    (whole, before: string, name: string) =>
      SECRET.test(decoded(name)) ? `${before}${name}=${REMOVED}` : whole,
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param hasKey whether the key has its own field: else it is the last part of the path. */
function pushWithout(pushTo: string, hasKey: boolean): string {
  const target = parsePushTarget(pushTo);
  if (!target) return pushTo;
  if (target.protocol === "srt") return pushTo.replace(/([?&]streamid=)[^&]+/g, `$1${REMOVED}`);
  const isKeyInPath = !hasKey && target.path.includes("/");
  return isKeyInPath ? pushTo.replace(/[^/]+(\/*)$/, `${REMOVED}$1`) : pushTo;
}

/** The fields with addresses that only people who may edit the stream see. */
export interface AddressFields {
  url: string;
  morePages: string;
  plan: string;
  pushTo: string;
}

/** The text of more pages with each address changed. */
export function changedPages(text: string, change: (url: string) => string): string {
  return formatPages(parsePages(text).map((line) => ({ ...line, url: change(line.url) })));
}

/** The text of a plan with each address changed. */
export function changedPlan(text: string, change: (url: string) => string): string {
  return formatPlan(
    parsePlan(text).map((line) => line.url === "" ? line : { ...line, url: change(line.url) }),
  );
}

function withPages<Fields extends AddressFields>(fields: Fields, change: (url: string) => string): Fields {
  const { url, morePages, plan } = fields;
  return {
    ...fields,
    url: change(url),
    morePages: changedPages(morePages, change),
    plan: changedPlan(plan, change),
  };
}

/** The fields without the secrets that are known to be in their addresses. @param hasKey whether a key is stored. */
export function withoutAddressSecrets<Fields extends AddressFields>(fields: Fields, hasKey: boolean): Fields {
  return { ...withPages(fields, pageWithout), pushTo: pushWithout(fields.pushTo, hasKey) };
}

/** The fields of an export with the secrets back that it left out of addresses which the stream still has. */
export function withKnownSecrets<Fields extends AddressFields>(
  fields: Fields,
  known: AddressFields,
  hasKey: boolean,
): Fields {
  const whole = new Map<string, string>();
  const note = (url: string) => (whole.set(pageWithout(url), url), url);
  withPages(known, note);
  const { pushTo } = fields;
  return {
    ...withPages(fields, (url) => whole.get(url) ?? url),
    pushTo: pushTo === pushWithout(known.pushTo, hasKey) ? known.pushTo : pushTo,
  };
}

/** Whether an address lacks a secret that an export has left out. */
export function lacksSecret({ url, morePages, plan, pushTo }: AddressFields): boolean {
  return [url, morePages, plan, pushTo].some((text) => text.includes(REMOVED));
}
