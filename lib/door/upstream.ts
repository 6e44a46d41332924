/** Asking a server on loopback, or another node of the cluster, with a limit on every wait. */
import { DEFAULT_TIMINGS, type Timings } from "../timings.ts";
import { sleep, withTimeout } from "../machine/tools/time.ts";

/** Until the answer's headers, and between two parts of the body. */
export type UpstreamLimits = Pick<Timings["hls"], "answerMs" | "idleMs">;

const RETRY_MS = 100;

export interface UpstreamAnswer {
  status: number;
  headers: Headers;
  /** The next part of the body, null at its end. @throws when the upstream breaks off or is silent for too long. */
  read(): Promise<Uint8Array | null>;
  /** Ends the exchange, and with it a `read` under way. */
  cancel(): void;
}

interface UpstreamRequest {
  method?: string;
  headers?: Headers;
  body?: ReadableStream<Uint8Array> | null;
  /** How it is reached, where not by its address. */
  client?: Deno.HttpClient;
  /** Absent: the network is asked. */
  ask?: typeof fetch;
  /** Ends the exchange when it is aborted, also before there is an answer. */
  abort?: AbortController;
}

/**
 * The upstream's answer; redirects are answers too. What changes something is asked for once: it may have been done.
 * @throws when it is away or gives none in time.
 */
export async function askUpstream(
  target: string,
  { method = "GET", headers: wanted, body, client, ask = fetch, abort = new AbortController() }:
    UpstreamRequest = {},
  { answerMs, idleMs }: UpstreamLimits = DEFAULT_TIMINGS.hls,
): Promise<UpstreamAnswer> {
  const within = async <T>(ms: number, what: string, action: Promise<T>): Promise<T> => {
    try {
      return await withTimeout(ms, action, `${what} for ${ms} ms`);
    } catch (error) {
      abort.abort(error);
      throw error;
    }
  };
  const headers = new Headers(wanted);
  // else fetch would unpack what it asked for, and length and ranges would be of something else
  headers.set("accept-encoding", "identity");
  const { signal } = abort;
  const once = () => ask(target, { method, headers, body, client, redirect: "manual", signal });
  const isRead = method === "GET" || method === "HEAD";
  const response = await within(answerMs, "no answer", isRead ? retryUntil(signal, once) : once());
  const reader = response.body?.getReader();
  // Deno's fetch does not heed its signal any more once its response has been collected as garbage
  abort.signal.addEventListener("abort", () => reader?.cancel().catch(() => {}), { once: true });
  return {
    status: response.status,
    headers: response.headers,
    read: async () => {
      if (!reader) return null;
      const { done, value } = await within(idleMs, "silence", reader.read());
      abort.signal.throwIfAborted();
      return done ? null : value;
    },
    cancel: () => abort.abort(),
  };
}

/**
 * What `action` gives, tried again while it fails, because a server on loopback that is being restarted is back in a
 * moment. FFmpeg's players (mpv, Kodi, TVs) take three failed playlists in a row, within 200 ms, for the channel's
 * end; a media server's restart takes about as long.
 * @throws what `action` threw last, once `deadline` aborts.
 */
async function retryUntil<T>(deadline: AbortSignal, action: () => Promise<T>): Promise<T> {
  while (true) {
    try {
      return await action();
    } catch (error) {
      if (deadline.aborted) throw error;
      await sleep(RETRY_MS, deadline);
    }
  }
}
