/** Forwarding to a server on loopback: streams bodies, passes on what players need, cancels with the client. */
import { errorText, log } from "../machine/tools/log.ts";
import { errorResponse } from "./errors.ts";
import { askUpstream, type UpstreamAnswer, type UpstreamLimits } from "./upstream.ts";

const PASSED_ON = ["range", "if-range", "if-none-match", "if-modified-since"];
const PASSED_BACK = [
  "content-type",
  "content-length",
  "content-range",
  "accept-ranges",
  "etag",
  "last-modified",
];

/** Names that are not hidden, with one slash between two. */
const NAME = "[A-Za-z0-9_~-][A-Za-z0-9._~-]*";
const PATH = new RegExp(`^/?(${NAME}(?:/${NAME})*)$`);

export interface ProxyOptions {
  /** Of good answers; all others are `no-store`. */
  cacheControl?: string;
  /** The server's name for people. */
  server?: string;
  limits?: UpstreamLimits;
  /** Headers that the server wants beside those that are passed on. */
  headers?: Headers;
  /** How it is reached, where not by its address. */
  client?: Deno.HttpClient;
  /** Whether the server is ours now, where another user's program may listen at its address. */
  isOurs?(): Promise<boolean>;
}

/**
 * The path below a proxy's prefix, or null when it could lead anywhere else. Works on the raw, still encoded path:
 * names that need an escape do not exist upstream, so any `%` is refused, and with it every double encoding.
 */
export function upstreamPath(rawPath: string): string | null {
  if (rawPath.length > 512) return null;
  const path = PATH.exec(rawPath)?.[1];
  return path === undefined ? null : `/${path}`;
}

/** The answer of `target` for a GET or HEAD; 502 with Retry-After when it gives none within 2 s. */
export async function proxy(request: Request, target: string, options: ProxyOptions = {}): Promise<Response> {
  const { cacheControl = "no-store", server = "The media server", limits, client } = options;
  const headers = new Headers(options.headers);
  for (const name of PASSED_ON) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  let answer: UpstreamAnswer;
  try {
    // what it said would count as ours
    if (await options.isOurs?.() === false) throw new Error("no program of the service listens there");
    answer = await askUpstream(target, { method: request.method, headers, client }, limits);
  } catch (error) {
    log("debug", "upstream gave no answer", { target, error: errorText(error) });
    const response = errorResponse(502, `${server} does not answer. It is being restarted; try again.`);
    response.headers.set("retry-after", "1");
    return response;
  }
  const { status } = answer;
  const passed = new Headers();
  for (const name of PASSED_BACK) {
    const value = answer.headers.get(name);
    if (value !== null) passed.set(name, value);
  }
  const isGood = (status >= 200 && status < 300) || status === 304;
  passed.set("cache-control", isGood ? cacheControl : "no-store");
  return new Response(bodyOf(request.method, answer), { status, headers: passed });
}

/**
 * An answer's body; null: it has none. It is read only as fast as the client reads it. A client that goes away cancels it,
 * and with it the upstream's.
 */
export function bodyOf(
  method: string,
  answer: Pick<UpstreamAnswer, "status" | "read" | "cancel">,
): ReadableStream<Uint8Array> | null {
  if (method === "HEAD" || answer.status === 204 || answer.status === 304) return null;
  return new ReadableStream({
    pull: async (controller) => {
      const part = await answer.read();
      if (part) controller.enqueue(part);
      else controller.close();
    },
    cancel: () => answer.cancel(),
  }, { highWaterMark: 0 });
}
