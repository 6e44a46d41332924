/** Requests that fetch() does not send: with any Host header, or none of the usual ones. */
import { type ClientRequest, type IncomingMessage, request } from "node:http";

export interface RawAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** Sends a request to `url` with just these headers; Host is that of the URL unless given. */
export function rawRequest(
  url: string,
  { path, method = "GET", headers = {}, body = "" }: {
    /** Sent as it is, in the place of the URL's, which is tidied up. */
    path?: string;
    method?: string;
    headers?: Record<string, string>;
    body?: string;
  } = {},
): Promise<RawAnswer> {
  const { hostname, port, pathname, search } = new URL(url);
  const length = body ? { "content-length": String(new TextEncoder().encode(body).length) } : {};
  const options = {
    hostname,
    port,
    path: path ?? pathname + search,
    method,
    headers: { ...length, connection: "close", ...headers },
  };
  return answerTo(url, body, (onanswer) => request({ ...options, timeout: TIMEOUT_MS }, onanswer));
}

export const TIMEOUT_MS = 10_000;

/** Sends a request of node:http or node:https, and reads its answer. @param what for the error of one that gets none. */
export function answerTo(
  what: string,
  body: string,
  send: (onanswer: (answer: IncomingMessage) => void) => ClientRequest,
): Promise<RawAnswer> {
  return new Promise((done, failed) => {
    const outgoing = send((answer) => {
      const chunks: Uint8Array[] = [];
      answer.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      answer.on("error", failed);
      answer.on("end", async () =>
        done({
          status: answer.statusCode!,
          headers: new Headers(Object.entries(answer.headers) as [string, string][]),
          text: await new Blob(chunks as BlobPart[]).text(),
        }));
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error(`no answer from ${what}`)));
    outgoing.on("error", failed);
    outgoing.end(body);
  });
}
