/** One try to deliver a message by HTTP. */
import { postTo } from "../reach/pinned_request.ts";
import { errorText } from "../machine/tools/log.ts";
import type { Message } from "./message.ts";
import { requestOf, withoutSecrets } from "./request.ts";
import type { Delivery } from "../model/answers/shapes.ts";
import type { StoredReceiver } from "../model/receivers.ts";

/** Bytes of an answer that are read: some receivers name the problem there. */
const MAX_ANSWER_BYTES = 4096;

export interface Try extends Delivery {
  /** ms that the receiver asks us to wait; 0: no wait. */
  retryAfterMs: number;
}

export interface SendOptions {
  now: number;
  /** ms for the whole exchange. */
  answerMs: number;
  /** The proxy on the way; null: there is none. */
  proxy?: Deno.Proxy | null;
  /** The receiver's address, as it was judged; undefined: its name has none. By a proxy, that one looks the name up. */
  address: string | undefined;
  signal: AbortSignal;
}

/** Sends a message. Never rejects; the result has no part of the receiver's address but the host. */
export async function send(message: Message, receiver: StoredReceiver, options: SendOptions): Promise<Try> {
  const { now, answerMs, signal, proxy = null, address } = options;
  const { url, headers, body } = requestOf(message, receiver, now);
  const abort = new AbortController();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    abort.abort();
  }, answerMs);
  const stop = () => abort.abort();
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  const client = proxy ? Deno.createHttpClient({ proxy }) : undefined;
  try {
    if (!client && address === undefined) throw new Error("its name has no address");
    // a redirect could lead the message, and the signature, to any host
    const response = client
      ? await fetch(url, { method: "POST", headers, body, redirect: "manual", signal: abort.signal, client })
      : await postTo(address!, url, { headers, body, signal: abort.signal });
    const said = await start(response);
    if (response.ok) return { isDelivered: true, status: response.status, problem: "", retryAfterMs: 0 };
    return {
      isDelivered: false,
      status: response.status,
      problem: refusal(response.status, withoutSecrets(said, receiver)),
      retryAfterMs: retryAfter(response.headers),
    };
  } catch (error) {
    const problem = isLate
      ? `The receiver did not answer within ${answerMs / 1000} s.`
      : signal.aborted
      ? "The service is being stopped."
      : `The receiver cannot be reached: ${withoutSecrets(cause(error), receiver)}.`;
    return { isDelivered: false, status: null, problem, retryAfterMs: 0 };
  } finally {
    clearTimeout(timer);
    client?.close();
    signal.removeEventListener("abort", stop);
  }
}

function refusal(status: number, said: string): string {
  if (status >= 300 && status < 400) {
    return `The receiver answered ${status}, a redirect. The service follows none.`;
  }
  return said ? `The receiver answered ${status}: ${said}` : `The receiver answered ${status}.`;
}

/** The first bytes of an answer; the rest is not read. */
async function start({ body }: Response): Promise<string> {
  if (!body) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let length = 0; length < MAX_ANSWER_BYTES;) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += decoder.decode(value.subarray(0, MAX_ANSWER_BYTES - length), { stream: true });
    length += value.length;
  }
  await reader.cancel().catch(() => {});
  return text;
}

/** The reason of a failed request without the whole address, with which Deno's text begins. */
function cause(error: unknown): string {
  const reason = errorText(error instanceof Error ? error.cause ?? error : error);
  return reason.replace(/^.*client error \(\w+\):\s*/, "").replace(/\s*\(os error \d+\)$/, "");
}

/** The ms of the header: it has seconds or a date. Source: RFC 9110, section 10.2.3. */
function retryAfter(headers: Headers): number {
  const text = headers.get("retry-after") ?? "";
  const ms = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return ms > 0 ? ms : 0;
}
