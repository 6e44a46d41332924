/** Asking a server on loopback, with a limit on every wait. */
import { retryUntil } from "./patience.ts";

export interface UpstreamLimits {
  /** Milliseconds until the answer's headers. A client gets its 502 within 2 s. */
  answerMs: number;
  /** Milliseconds between two parts of the body. */
  idleMs: number;
}

export const UPSTREAM_LIMITS: UpstreamLimits = { answerMs: 1800, idleMs: 5000 };

export interface UpstreamAnswer {
  status: number;
  headers: Headers;
  /** The next part of the body, null at its end. @throws when the upstream breaks off or is silent for too long. */
  read(): Promise<Uint8Array | null>;
  /** Ends the exchange, and with it a `read` under way. */
  cancel(): void;
}

/** The upstream's answer; redirects are answers too. @throws when it is away or gives none in time. */
export async function askUpstream(
  target: string,
  init: { method?: string; headers?: Headers } = {},
  { answerMs, idleMs }: UpstreamLimits = UPSTREAM_LIMITS,
): Promise<UpstreamAnswer> {
  const end = new AbortController();
  const within = async <T>(ms: number, what: string, action: Promise<T>): Promise<T> => {
    const timer = setTimeout(() => end.abort(new Error(`${what} for ${ms} ms`)), ms);
    try {
      return await action;
    } finally {
      clearTimeout(timer);
    }
  };
  const headers = new Headers(init.headers);
  // else fetch would unpack what it asked for, and length and ranges would be of something else
  headers.set("accept-encoding", "identity");
  const ask = () => fetch(target, { method: init.method, headers, redirect: "manual", signal: end.signal });
  const response = await within(answerMs, "no answer", retryUntil(ask, end.signal));
  const reader = response.body?.getReader();
  return {
    status: response.status,
    headers: response.headers,
    read: async () => {
      if (!reader) return null;
      const { done, value } = await within(idleMs, "silence", reader.read());
      return done ? null : value;
    },
    cancel: () => end.abort(),
  };
}
