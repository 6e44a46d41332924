/** Requests that end in time, on browsers without AbortSignal.timeout (old iOS) or AbortController (old TVs). */
import { OWN_ANSWER } from "../lib/model/own_answer.ts";

export interface TextResponse {
  /** 0: a proxy in front of the service answered, which wants a login. */
  status: number;
  text: string;
  /** The Date header. */
  date: string | null;
}

/** @throws when there is no whole answer within `limitMs`. */
export async function fetchText(url: string, limitMs: number, method = "GET"): Promise<TextResponse> {
  const abort = typeof AbortController === "undefined" ? null : new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      if (abort) abort.abort();
      reject(new Error("no answer in time"));
    }, limitMs);
  });
  const answer = async () => {
    const signal = abort ? abort.signal : undefined;
    const response = await fetch(url, { method, cache: "no-store", redirect: "manual", signal });
    const { status, headers, type } = response;
    // another origin's headers are hidden: the media server's, behind which is no proxy
    const isOfProxy = type !== "cors" && status < 404 && !headers.has(OWN_ANSWER);
    return { status: isOfProxy ? 0 : status, text: await response.text(), date: headers.get("date") };
  };
  try {
    return await Promise.race([answer(), late]);
  } finally {
    clearTimeout(timer);
  }
}
