/** Security headers, set around the whole handler: error pages render outside the middlewares. */
import { VERSION } from "../machine/tools/version.ts";
import { FIRST_PAINT_SCRIPT, scriptHash } from "./inline_script.ts";

interface PolicyOptions {
  /** Another origin that playlists and segments may come from, such as "http://wall.example.org:8888". */
  media?: string;
  /** Other origins that pictures may come from. */
  pictures?: readonly string[];
  /** Of a rendered page's own inline scripts. */
  nonce?: string;
}

/** What a page may load. */
export function contentPolicy({ media, pictures = [], nonce }: PolicyOptions = {}): string {
  const also = media ? ` ${media}` : "";
  return [
    "default-src 'self'",
    `script-src 'self' ${scriptHash(FIRST_PAINT_SCRIPT)}${nonce ? ` 'nonce-${nonce}'` : ""}`,
    ["img-src 'self' data: blob:", ...pictures].join(" "),
    `connect-src 'self'${also}`,
    // hls.js plays through blob: addresses and runs its demuxer in a worker
    `media-src 'self' blob:${also}`,
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'self'",
  ].join("; ");
}

const CONTENT_POLICY = contentPolicy();

/** For files that are no page, and so load nothing; a page has twenty of them, each with headers of its own. */
const FILE_POLICY = "default-src 'none'; frame-ancestors 'self'";

/** Upstream Fresh starts islands by an inline script and leaves its nonce here; lib/fresh starts them by a file. */
const FRESH_NONCE = Symbol.for("__freshNonce");

function policyOf(response: Response & { [FRESH_NONCE]?: string }): string {
  // browsers take these for pages, and may guess the type of an answer without one
  const mayBePage = /html|xml|^$/.test(response.headers.get("content-type") ?? "");
  if (!mayBePage) return FILE_POLICY;
  const nonce = response[FRESH_NONCE];
  return nonce === undefined ? CONTENT_POLICY : contentPolicy({ nonce });
}

/** Sets the security headers of every answer; nothing else does. A page's own content policy and frame rule stay. */
export function withSecurityHeaders(response: Response): Response {
  if (response.status === 101) return response;
  try {
    secure(response);
    return response;
  } catch {
    // the headers of a redirect, and of what fetch gave, cannot be set; only these are copied, since a copy's body is
    // always a stream, for which Deno takes longer
    const copy = new Response(response.body, response);
    secure(copy);
    return copy;
  }
}

/** Players, and a wall as a screen shows it: nothing on them changes anything. */
const FRAMEABLE = /^\/(?:player\/[^/]+|static\/[^/]+|api\/player-html\/[^/]+|wall)$/;

/**
 * Lets other sites' pages show an answer in a frame, if it is a page that they may. @param path as it was asked for,
 * without an access token. @param sites origins.
 */
export function withFrames(
  response: Response,
  { pathname, searchParams }: URL,
  sites: readonly string[],
): Response {
  const { headers } = response;
  const isPage = headers.get("content-type")?.startsWith("text/html");
  const isWallToEdit = pathname === "/wall" && !searchParams.has("layout");
  if (!isPage || isWallToEdit || !FRAMEABLE.test(pathname)) return response;
  headers.delete("x-frame-options"); // it knows no list
  const policy = headers.get("content-security-policy") ?? CONTENT_POLICY;
  headers.set("content-security-policy", policy.replace("frame-ancestors 'self'", `$& ${sites.join(" ")}`));
  return response;
}

/** What no page of ours uses: a script that got into one finds it closed. Full screen and autoplay stay the players'. */
const PERMISSIONS = [
  "camera",
  "microphone",
  "geolocation",
  "display-capture",
  "usb",
  "serial",
  "midi",
  "payment",
];

/** On every answer, whatever it is. */
const ALWAYS: readonly [name: string, value: string][] = [
  ["x-content-type-options", "nosniff"],
  ["referrer-policy", "same-origin"],
  // a proxy's answer has it not, which pages go by (lib/model/own_answer.ts)
  ["x-browser-stream", "1"],
];

/** What a document is refused; scripts and style sheets are asked for by one that has it. */
const PERMISSIONS_POLICY = PERMISSIONS.map((feature) => `${feature}=()`).join(", ");
const PART_OF_PAGE = /javascript|css/;

/** Unless the answer says something else: a page may be stricter, and players of other sites may use HLS. */
const UNLESS_SET: readonly [name: string, value: string][] = [
  ["x-frame-options", "SAMEORIGIN"],
  ["cross-origin-resource-policy", "same-origin"],
];

/** Of an answer that is no page, for the server in front of us, which has some of its own. */
export function serverHeaders(): Record<string, string> {
  const policy = "default-src 'none'; frame-ancestors 'none'";
  const permissions = ["permissions-policy", PERMISSIONS_POLICY];
  const all = [...ALWAYS, permissions, ...UNLESS_SET, ["cache-control", "no-store"], [
    "content-security-policy",
    policy,
  ]];
  return Object.fromEntries(all);
}

function secure(response: Response): void {
  const { headers } = response;
  for (const [name, value] of ALWAYS) headers.set(name, value);
  const isPart = PART_OF_PAGE.test(headers.get("content-type") ?? "");
  if (!isPart) headers.set("permissions-policy", PERMISSIONS_POLICY);
  for (const [name, value] of UNLESS_SET) if (!headers.has(name)) headers.set(name, value);
  if (!headers.has("content-security-policy")) headers.set("content-security-policy", policyOf(response));
}

/** Says which version answers. */
export const VERSION_HEADER = "x-browser-stream-version";

/** Says in an answer of the API which version of the service gave it: a client that may ask may know it. */
export function withVersion(response: Response): Response {
  response.headers.set(VERSION_HEADER, VERSION);
  return response;
}

/** Keeps an answer whose address is a secret out of shared caches, and its address out of other sites' logs. */
export function withoutTraces(response: Response): Response {
  const { headers } = response;
  const cacheControl = headers.get("cache-control");
  headers.set("cache-control", cacheControl ? `private, ${cacheControl}` : "private");
  headers.set("referrer-policy", "no-referrer");
  return response;
}

/** Headers of an answer that is saved as a file. @param name letters, digits, "-" and "." only. */
export function attachment(name: string, type: string): Record<string, string> {
  if (!/^[\w.-]+$/.test(name)) throw new Error(`"${name}" is not a name for a download`);
  return {
    "content-type": type,
    "content-disposition": `attachment; filename="${name}"`,
    "cache-control": "no-store",
  };
}
