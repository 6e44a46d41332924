/** Requests that end in time, on browsers without AbortSignal.timeout (old iOS) or AbortController (old TVs). */

export interface TextResponse {
  status: number;
  text: string;
  /** The Date header. */
  date: string | null;
}

/** @throws when there is no whole answer within `limitMs`. */
export async function fetchText(url: string, limitMs: number): Promise<TextResponse> {
  const abort = typeof AbortController === "undefined" ? null : new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      if (abort) abort.abort();
      reject(new Error(`no answer of ${url} within ${limitMs} ms`));
    }, limitMs);
  });
  const answer = async () => {
    const response = await fetch(url, { cache: "no-store", signal: abort ? abort.signal : undefined });
    const date = response.headers.get("date");
    return { status: response.status, text: await response.text(), date };
  };
  try {
    return await Promise.race([answer(), late]);
  } finally {
    clearTimeout(timer);
  }
}
