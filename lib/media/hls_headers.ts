/** Headers of what the HLS proxy answers. */
import { errorResponse } from "../http/errors.ts";
import { hlsCacheControl } from "./cache.ts";
import { isPlaylist } from "./hls.ts";
import type { FileHead } from "./shared_file.ts";

export const METHODS = "GET, HEAD, OPTIONS";

/**
 * On every answer. Players on other sites (a dashboard, a hosted web player, Chromecast) may read. As few as the job
 * needs: in Deno each costs half a microsecond, of 12 that a playlist takes.
 */
const ALWAYS: [string, string][] = [
  ["access-control-allow-origin", "*"],
  ["x-content-type-options", "nosniff"],
  ["content-security-policy", "default-src 'none'; frame-ancestors 'none'"],
];

/**
 * Deno 2.9 sends head and body together when both fit a buffer of 512 bytes, which doubles for a head that needs more,
 * for as long as the connection lasts. So a head of 513 leaves room for a playlist of 511; a body longer than what is
 * left goes out by itself, as it would without the padding (docs/performance.md).
 */
const LONG_HEAD_BYTES = 513;
/** What Deno adds to the headers. */
const FRAME_BYTES = "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\n".length;
const PADDING = "x-padding";

/** Of a playlist or segment that is there, with its whole length. */
export function fileHeaders(path: string, { type, size, etag }: FileHead): Headers {
  const headers = new Headers(ALWAYS);
  headers.set("content-type", type ?? "application/octet-stream");
  headers.set("content-length", String(size));
  headers.set("cache-control", hlsCacheControl(path));
  headers.set("accept-ranges", "bytes");
  if (etag !== null) headers.set("etag", etag);
  if (isPlaylist(path)) headers.set(PADDING, "-".repeat(missingBytes(headers)));
  return headers;
}

/** How long a padding makes the head long enough. */
function missingBytes(headers: Headers): number {
  const lines = [...headers, [PADDING, ""]].map(([name, value]) => `${name}: ${value}\r\n`);
  return Math.max(0, LONG_HEAD_BYTES - FRAME_BYTES - lines.join("").length);
}

/** An error, which players of other sites can tell from a dead network. */
export function failed(status: number, message: string, also: Record<string, string> = {}): Response {
  const response = errorResponse(status, message);
  for (const [name, value] of [...ALWAYS, ...Object.entries(also)]) response.headers.set(name, value);
  response.headers.set("access-control-expose-headers", "Retry-After, Content-Range");
  return response;
}

/** Browsers ask before they send another site a Range that is no plain one, or a conditional request. */
export function preflight(): Response {
  const headers: [string, string][] = [
    ...ALWAYS,
    ["allow", METHODS],
    ["access-control-allow-methods", METHODS],
    ["access-control-allow-headers", "Range, If-Range, If-None-Match, If-Modified-Since"],
    ["access-control-max-age", "86400"],
  ];
  return new Response(null, { status: 204, headers });
}

/** Makes another answer readable for all. */
export function opened(response: Response): Response {
  for (const [name, value] of ALWAYS) response.headers.set(name, value);
  return response;
}
