/** The facts about a page before it becomes a stream, asked in a world without the page's scripts. */
import { problemOfSeen, shortSeen } from "../../model/answers/page_health.ts";
import { parseOrigins } from "../../model/login_origins.ts";
import { parseStatuses } from "../../model/page_sites.ts";
import type { Stream } from "../../model/schema.ts";
import { sleep } from "../../machine/tools/time.ts";
import type { DevTools } from "../../browser/client.ts";
import { worldOf } from "../../browser/document.ts";
import { FIND_FORM, type Form } from "../../signin/form.ts";
import { ENDLESS_TYPE, SHOWN_TYPE } from "./looks/media_page.ts";
import { lookAtPage, type PageLook, proceed, type SeenCertificate } from "./looks/page_look.ts";
import { ENDLESS_MS } from "./looks/painted.ts";

export interface FirstLook extends PageLook {
  title: string;
  /** The type of the shown content, such as "text/html". */
  contentType: string;
  isLoaded: boolean;
  hasLoginForm: boolean;
}

/** In that world: whether the page has loaded; parts that load without end do not count. */
function isThere(endlessType: string, endlessMs: number): boolean {
  const { readyState, contentType, images, hidden } = document;
  if (readyState === "complete") return true;
  if (contentType === endlessType) return images[0]?.naturalWidth > 0;
  const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  const parsedAt = entry?.domContentLoadedEventEnd ?? 0;
  // nothing is painted in a tab behind
  const isPainted = hidden || performance.getEntriesByType("paint").length > 0;
  return parsedAt > 0 && isPainted && performance.now() - parsedAt >= endlessMs;
}

/** Looks at a page whose Page domain is enabled. @throws {Error} when the page does not answer, or moves on. */
export async function lookFirst(page: DevTools, frameId: string): Promise<FirstLook> {
  const look = await lookAtPage(page, frameId);
  const ask = await worldOf(page, frameId, "browser-stream-first-look");
  const found = await ask(`({ title: document.title.slice(0, 500), contentType: ${SHOWN_TYPE},
    isLoaded: (${isThere})(${JSON.stringify(ENDLESS_TYPE)}, ${ENDLESS_MS}),
    form: ${FIND_FORM} })`);
  const { title, contentType, isLoaded, form } = Object(found);
  const { asks } = Object(form) as Partial<Form>;
  return {
    ...look,
    title: shortSeen(typeof title === "string" ? title : "").slice(0, 120),
    contentType: typeof contentType === "string" ? contentType.slice(0, 100) : "",
    isLoaded: isLoaded === true,
    hasLoginForm: asks !== undefined && !/^(nothing|loading|button)$/.test(asks),
  };
}

/** Most warnings that are passed for an accepted certificate: each site on the way has one warning. */
const MOST_WARNINGS = 3;

/** The browser's warnings on the way to one page. */
export class Warnings {
  /** The certificate of the last warning. */
  certificate: SeenCertificate | null = null;
  #accepted: readonly string[];
  #passed = 0;

  /** @param accepted the fingerprints of certificates whose warnings are passed. */
  constructor(accepted: readonly string[]) {
    this.#accepted = accepted;
  }

  /** @returns whether the page showed a warning, which was passed. @throws {Error} when the page cannot go on. */
  async pass(page: DevTools, { error }: FirstLook, certificate: SeenCertificate | null): Promise<boolean> {
    if (!error.startsWith("ERR_CERT")) return false;
    this.certificate = certificate;
    const isAccepted = certificate !== null && this.#accepted.includes(certificate.fingerprint);
    if (!isAccepted || this.#passed++ >= MOST_WARNINGS) return false;
    await proceed(page);
    return true;
  }
}

/** Whether the page's status is an error that the stream's settings accept. */
export function isAcceptedStatus(
  status: number,
  { acceptedStatuses }: Pick<Stream, "acceptedStatuses">,
): boolean {
  return (parseStatuses(acceptedStatuses) ?? []).includes(status);
}

/** The problem of a page, in words; null: it can be shown. @param url the address that was opened. */
export function problemOfLook(
  look: FirstLook,
  url: string,
  settings: Pick<Stream, "acceptedStatuses" | "sites">,
): string | null {
  const sites = [new URL(url).origin, ...parseOrigins(settings.sites) ?? []];
  return problemOfSeen(isAcceptedStatus(look.status, settings) ? { ...look, status: 0 } : look, sites);
}

export interface LookLimits {
  /** The longest time for the looks at a page, in ms. */
  limitMs: number;
  /** Milliseconds between two looks. */
  lookMs: number;
  /** Milliseconds for which a page has to stay settled. */
  settleMs: number;
  /** Milliseconds of a steady clock. */
  elapsed(): number;
}

/**
 * Looks at a page until it has settled, the time is over or the signal aborts.
 * @param look answers null when the look before is outdated, undefined when there was nothing to see.
 * @returns the last look.
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
