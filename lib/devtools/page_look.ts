/** One look at what a page shows, from a world of our own where the page's scripts have changed nothing. */
import { createHash } from "node:crypto";
import { type PageCertificate, shortSeen } from "../streams/page_health.ts";
import type { DevTools } from "./client.ts";
import { OPENING_MARK } from "./open_page.ts";

export interface PageLook {
  /** At most 2000 characters. */
  href: string;
  /** HTTP status of the document, 0 when it has none. */
  status: number;
  /** The browser's error on its own error page, such as ERR_NAME_NOT_RESOLVED; else empty. */
  error: string;
  /** The empty page that openPage puts there while nothing has come from the server. */
  isOpening: boolean;
  /** There is nothing that could be seen. */
  isBlank: boolean;
}

/** Elements looked at: a page with more is not blank. */
const MAX_ELEMENTS = 200;

/** In the page's isolated world. */
function look(mark: string, maxElements: number): Omit<PageLook, "error"> {
  const [entry] = performance.getEntriesByType("navigation") as (PerformanceEntry & {
    responseStatus?: number;
  })[];
  const { body, documentElement } = document;
  const paints = (element: Element) => {
    const { backgroundColor, backgroundImage, borderTopWidth } = getComputedStyle(element);
    const isColoured = !/^(rgba\(.*, 0\)|transparent|rgb\(255, 255, 255\))$/.test(backgroundColor);
    return isColoured || backgroundImage !== "none" || borderTopWidth !== "0px";
  };
  const isContent = (element: Element) => {
    const { localName } = element;
    if (
      /^(img|svg|canvas|video|iframe|object|embed|input|button|select|textarea|hr|progress|meter|frameset)$/
        .test(localName)
    ) {
      return true;
    }
    // one of the page's own elements may have anything in its shadow, once its script has defined it
    return localName.includes("-") && element.matches(":defined") || paints(element);
  };
  const elements = body?.getElementsByTagName("*") ?? [];
  const isBlank = () =>
    elements.length <= maxElements && !body?.innerText?.trim() && !paints(documentElement) &&
    !(body && paints(body)) && ![...elements].some(isContent);
  return {
    href: location.href.slice(0, 2000),
    status: entry?.responseStatus ?? 0,
    isOpening: documentElement?.getAttribute("data-opening") === mark,
    isBlank: document.readyState !== "loading" && isBlank(),
  };
}

/** On the browser's own error page, in the world of its script. */
function lookAtError(): string {
  const { loadTimeDataRaw } = globalThis as unknown as { loadTimeDataRaw?: { errorCode?: string } };
  return `${loadTimeDataRaw?.errorCode ?? ""} ${document.body?.innerText ?? ""}`.slice(0, 5000);
}

interface Evaluated {
  result: { value?: unknown };
  exceptionDetails?: unknown;
}

/** Looks at the page of a connection whose Page domain is enabled. @throws {Error} when it does not answer, or moves on. */
export async function lookAtPage(page: DevTools, frameId: string): Promise<PageLook> {
  const world = { frameId, worldName: "browser-stream-look" };
  const { executionContextId } = await page.send<{ executionContextId: number }>(
    "Page.createIsolatedWorld",
    world,
  );
  const expression = `(${look})(${JSON.stringify(OPENING_MARK)}, ${MAX_ELEMENTS})`;
  const answer = await page.send<Evaluated>("Runtime.evaluate", {
    expression,
    contextId: executionContextId,
    returnByValue: true,
  });
  const { href, status, isOpening, isBlank } = Object(answer.result.value);
  if (typeof href !== "string") throw new Error("the page could not be looked at");
  const isError = href.startsWith("chrome-error:");
  const words = isError ? await page.evaluate<unknown>(`(${lookAtError})()`) : "";
  const error = /\b(?:ERR|DNS)_[A-Z0-9_]{2,60}/.exec(String(words))?.[0] ?? "";
  return {
    href: href.slice(0, 2000),
    status: Number.isInteger(status) && status >= 100 && status <= 599 ? status : 0,
    error,
    isOpening: isOpening === true,
    isBlank: isBlank === true,
  };
}

/** What the Security domain tells of the certificate that a page has or was refused for. */
export interface SeenCertificate extends PageCertificate {
  /** Why nobody vouches for it, such as ERR_CERT_DATE_INVALID. */
  error: string;
}

/** Bytes of all certificates of a chain, in base64. */
const MAX_CHAIN = 100_000;

/** The certificate in an event Security.visibleSecurityStateChanged, if something is wrong with it. */
export function untrustedCertificate(params: Record<string, unknown>): SeenCertificate | null {
  const state = Object(Object(params.visibleSecurityState).certificateSecurityState);
  const { certificate, certificateNetworkError, subjectName, issuer, validFrom, validTo } = state;
  if (typeof certificateNetworkError !== "string" || !Array.isArray(certificate)) return null;
  const chain = certificate.filter((one) => typeof one === "string");
  if (chain.length === 0 || chain.join("").length > MAX_CHAIN) return null;
  const hash = createHash("sha256");
  for (const one of chain) hash.update(one, "base64");
  return {
    error: shortSeen(certificateNetworkError).replace(/^net::/, ""),
    fingerprint: hash.digest("hex"),
    subject: shortSeen(String(subjectName ?? "")),
    issuer: shortSeen(String(issuer ?? "")),
    validFrom: (Number(validFrom) || 0) * 1000,
    validTo: (Number(validTo) || 0) * 1000,
  };
}

/** Goes on from the browser's warning, for exactly the certificate that it warns of. @throws {Error} when it cannot. */
export async function proceed(page: DevTools): Promise<void> {
  await page.evaluate("certificateErrorPageController.proceed()");
}
