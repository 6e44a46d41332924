/** A request to an address that was judged: the name in its URL, which may lead elsewhere by now, is not asked again. */
import type { LookupAddress } from "node:dns";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIPv6 } from "node:net";
import { Readable } from "node:stream";

export interface PinnedRequest {
  /** Text. */
  body: string;
  headers: Record<string, string>;
  signal: AbortSignal;
}

/**
 * Posts a text; redirects are not followed. The server is asked by the URL's name, and its certificate has to be that
 * name's. @param address of the server. @throws {Error} when it cannot be reached.
 */
export async function postTo(
  address: string,
  url: string,
  { body, headers, signal }: PinnedRequest,
): Promise<Response> {
  const found: LookupAddress = { address, family: isIPv6(address) ? 6 : 4 };
  const bytes = new TextEncoder().encode(body);
  const options = {
    method: "POST",
    headers: { accept: "*/*", ...headers, "content-length": String(bytes.length) },
    signal,
    agent: false as const,
    lookup: (
      _name: string,
      { all }: { all?: boolean },
      done: (error: null, found: string | LookupAddress[], family?: number) => void,
    ) => all ? done(null, [found]) : done(null, address, found.family),
  };
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const asked = (url.startsWith("https:") ? requestHttps : requestHttp)(url, options, (answer) => {
    const { statusCode: status = 0, headers } = answer;
    const names = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]]
    );
    const hasNone = [204, 205, 304].includes(status);
    if (hasNone) answer.resume();
    const stream = hasNone ? null : Readable.toWeb(answer) as ReadableStream<Uint8Array<ArrayBuffer>>;
    try {
      resolve(new Response(stream, { status, headers: names as [string, string][] }));
    } catch (error) {
      reject(error);
    }
  });
  asked.on("error", reject);
  asked.end(bytes);
  return await promise;
}
