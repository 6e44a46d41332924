import { HttpError, statusOf } from "./http_error.ts";

/** The connection of requests that did not come over the network, such as a test's. */
export const LOCAL_INFO: Deno.ServeHandlerInfo = {
  remoteAddr: { transport: "tcp", hostname: "localhost", port: 0 },
  completed: Promise.resolve(),
};

/** The URL a request is routed by. */
export function requestUrl(req: Request, trustProxy: boolean): URL {
  const url = new URL(req.url);
  if (url.pathname.includes("//")) url.pathname = url.pathname.replace(/\/{2,}/g, "/");
  if (trustProxy) {
    const scheme = firstOf(req.headers.get("x-forwarded-proto"));
    if (scheme === "http" || scheme === "https") url.protocol = scheme;
    const host = firstOf(req.headers.get("x-forwarded-host"));
    if (host) {
      url.port = "";
      url.host = host;
    }
  }
  return url;
}

/** A proxy appends its own value to the client-facing one, which stands first. */
function firstOf(header: string | null): string | undefined {
  return header?.split(",")[0].trim();
}

/** The answer of last resort, when no error page took the error. */
export function answerError(error: unknown): Response {
  if (error instanceof URIError) error = new HttpError(400, "Malformed URL", { cause: error });
  const status = statusOf(error);
  if (status >= 500) console.error(error);
  const message = error instanceof HttpError ? error.message : "Internal Server Error";
  return new Response(message, { status, headers: { "content-type": "text/plain; charset=utf-8" } });
}

/** The response to HEAD: what GET answers, without its body. */
export async function dropBody(response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, response);
}
