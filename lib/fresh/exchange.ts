import { HttpError, statusOf } from "./http_error.ts";

/** The connection of requests that did not come over the network, such as a test's. */
export const LOCAL_INFO: Deno.ServeHandlerInfo = {
  remoteAddr: { transport: "tcp", hostname: "localhost", port: 0 },
  completed: Promise.resolve(),
};

/** The answer of last resort, when no error page took the error. */
export function answerError(error: unknown): Response {
  const status = statusOf(error);
  if (status >= 500) console.error(error);
  const message = error instanceof HttpError ? error.message : "Internal Server Error";
  return new Response(message, { status, headers: { "content-type": "text/plain; charset=utf-8" } });
}

/** The response to HEAD: the response to GET without its body. */
export async function dropBody(response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, response);
}
