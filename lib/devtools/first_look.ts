/** What somebody wants to know of a page before it becomes a stream. Asked in a world where the page's scripts are not. */
import { shortSeen } from "../streams/page_health.ts";
import { sleep } from "../system/time.ts";
import type { DevTools } from "./client.ts";
import { type Form, loginForm } from "./login_form.ts";
import { lookAtPage, type PageLook } from "./page_look.ts";

export interface FirstLook extends PageLook {
  title: string;
  /** Of the document, such as "text/html". */
  contentType: string;
  isLoaded: boolean;
  hasLoginForm: boolean;
}

/** Any: without one, a form that first asks for the user name alone is not taken for a login. */
const SOME_USER = "user";

/** A page of a connection whose Page domain is enabled. @throws {Error} when it does not answer, or moves on. */
export async function lookFirst(page: DevTools, frameId: string): Promise<FirstLook> {
  const look = await lookAtPage(page, frameId);
  const { executionContextId: contextId } = await page.send<{ executionContextId: number }>(
    "Page.createIsolatedWorld",
    { frameId, worldName: "browser-stream-first-look" },
  );
  // a camera's pictures never end
  const isLoaded = `document.readyState === "complete" || ` +
    `document.contentType === "multipart/x-mixed-replace" && document.images[0]?.naturalWidth > 0`;
  const ask =
    `({ title: document.title.slice(0, 500), contentType: document.contentType, isLoaded: ${isLoaded}, ` +
    `form: (${loginForm})("find", "${SOME_USER}", "") })`;
  const { result } = await page.send<{ result: { value?: unknown } }>("Runtime.evaluate", {
    expression: ask,
    contextId,
    returnByValue: true,
  });
  const { title, contentType, isLoaded: hasLoaded, form } = Object(result.value) as Record<string, unknown>;
  const { asks } = Object(form) as Partial<Form>;
  return {
    ...look,
    title: shortSeen(typeof title === "string" ? title : "").slice(0, 120),
    contentType: typeof contentType === "string" ? contentType.slice(0, 100) : "",
    isLoaded: hasLoaded === true,
    hasLoginForm: asks !== undefined && asks !== "nothing" && asks !== "loading",
  };
}

export interface LookLimits {
  /** How long a page is looked at at most, in ms. */
  limitMs: number;
  /** Between two looks. */
  lookMs: number;
  /** How long a page that has settled has to stay so. */
  settleMs: number;
  /** Milliseconds of a steady clock. */
  elapsed(): number;
}

/**
 * Looks at a page until it has settled, the time is over or the signal aborts.
 * @param look answers null when what was seen before is over, undefined when there was nothing to see. @returns the last.
 */
export async function lookUntilSettled(
  look: () => Promise<FirstLook | null | undefined>,
  isSettled: (look: FirstLook) => boolean,
  { limitMs, lookMs, settleMs, elapsed }: LookLimits,
  signal: AbortSignal,
): Promise<FirstLook | null> {
  const deadline = elapsed() + limitMs;
  let last: FirstLook | null = null;
  let settledAt: number | null = null;
  while (elapsed() < deadline && !signal.aborted) {
    const seen = await look();
    if (seen !== undefined) last = seen;
    settledAt = last !== null && isSettled(last) ? settledAt ?? elapsed() : null;
    if (settledAt !== null && elapsed() - settledAt >= settleMs) break;
    await sleep(lookMs, signal);
  }
  return last;
}
