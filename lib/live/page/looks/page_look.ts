/** One look at a page's content, from our own world where the page's scripts have changed nothing. */
import { createHash } from "node:crypto";
import { shortSeen } from "../../../model/answers/page_health.ts";
import { withTimeout } from "../../../machine/tools/time.ts";
import type { DevTools } from "../../../browser/client.ts";
import { documentOf, type WorldEvaluator, worldOf } from "../../../browser/document.ts";
import { OPENING_MARK } from "../../../browser/open_page.ts";
import { appScheme } from "./other_apps.ts";
import { PLACES, readPlaces, type ScrollPlaces } from "./page_scroll.ts";
import type { PageCertificate } from "../../../model/answers/shapes.ts";

/** Most characters of an address in a look. */
export const MAX_HREF = 2000;

export interface PageLook {
  /** At most MAX_HREF characters. */
  href: string;
  /** The document's HTTP status; 0: the document has none. */
  status: number;
  /**
   * The browser's error on its own error page, such as ERR_NAME_NOT_RESOLVED, or the scheme of the program that the address
   * leads to, such as "mailto:"; else empty.
   */
  error: string;
  /** The origin that the browser's own error page stands for: where the address has led; else empty. */
  failedAt: string;
  /** The page is still the empty page of openPage: nothing has come from the server. */
  isOpening: boolean;
  /** The page has no visible content; and whether some of it is still to come. */
  isBlank: boolean;
  isLoading: boolean;
  scroll: ScrollPlaces;
  /** Pixels of the screen for one of the page: more where a person has enlarged the page; null: not known. */
  zoom: number | null;
  /** Whether keys go to the browser's own parts, such as a dialog; and whether they did so since the last look. */
  isAway: boolean;
  wasAway: boolean;
}

/** Most elements for a closer look: a page with more elements is not blank. */
const MAX_ELEMENTS = 200;

/** Runs in the page's isolated world. */
function look(
  mark: string,
  maxElements: number,
  maxHref: number,
  scroll: ScrollPlaces,
): Omit<PageLook, "error" | "failedAt"> {
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
    // a custom element may have anything in its shadow, once the page's script has defined the element
    const mayHaveShadow = element.shadowRoot !== null ||
      localName.includes("-") && element.matches(":defined");
    return mayHaveShadow || paints(element);
  };
  const elements = body?.getElementsByTagName("*") ?? [];
  // the browser also shows other documents, such as a picture or a feed
  const isHtml = /^html$/i.test(documentElement?.localName ?? "html");
  const isBlank = () =>
    isHtml && elements.length <= maxElements && !body?.innerText?.trim() && !paints(documentElement) &&
    !(body && paints(body)) && ![...elements].some(isContent);
  const known = globalThis as { wasAway?: boolean };
  // a blur also comes when a frame of the page gets the focus
  if (known.wasAway === undefined) {
    addEventListener("blur", () => setTimeout(() => known.wasAway ||= !document.hasFocus()));
  }
  const isAway = !document.hasFocus();
  const wasAway = isAway || known.wasAway === true;
  known.wasAway = isAway;
  return {
    href: location.href.slice(0, maxHref),
    status: entry?.responseStatus ?? 0,
    isOpening: documentElement?.getAttribute("data-opening") === mark,
    isBlank: isBlank(),
    isLoading: document.readyState !== "complete",
    scroll,
    zoom: devicePixelRatio,
    isAway,
    wasAway,
  };
}

/** Milliseconds for a picture of the page, which a busy browser may not give. */
const PICTURE_MS = 1000;

/**
 * In the page's isolated world: whether a picture of the page has only the ground that Chromium paints below a page:
 * white, or nearly black for a dark colour scheme. A line of a pixel in 4K is still seen.
 */
async function isUnpainted(picture: string): Promise<boolean> {
  const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0));
  const options = { resizeWidth: 320, resizeHeight: 180, resizeQuality: "high" } as const;
  const bitmap = await createImageBitmap(new Blob([bytes]), options);
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d")!;
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  const isAll = (ground: number) => data.every((value, at) => at % 4 === 3 || Math.abs(value - ground) <= 3);
  return isAll(255) || isAll(18);
}

/**
 * Whether a page that looks empty by its elements is empty: a page may paint by hidden means, such as a closed shadow
 * or a style sheet's text. A page that is not visible, or gives no picture, is taken for empty.
 */
async function isEmpty(page: DevTools, ask: WorldEvaluator): Promise<boolean> {
  const look = async () => {
    if (await ask("document.visibilityState") !== "visible") return true;
    const picture = { format: "jpeg", quality: 80 };
    const { data } = await page.send<{ data?: string }>("Page.captureScreenshot", picture);
    return typeof data !== "string" || await ask(`(${isUnpainted})(${JSON.stringify(data)})`) !== false;
  };
  return await withTimeout(PICTURE_MS, look()).catch(() => true);
}

/** Runs on the browser's own error page, in the world of that page's script. */
function lookAtError(): string {
  const { loadTimeDataRaw } = globalThis as unknown as { loadTimeDataRaw?: { errorCode?: string } };
  return `${loadTimeDataRaw?.errorCode ?? ""} ${document.body?.innerText ?? ""}`.slice(0, 5000);
}

/** The reason for the browser's own error page, empty where it says none, and the origin that it stands for. */
async function errorOf(page: DevTools): Promise<Pick<PageLook, "error" | "failedAt">> {
  const { unreachable } = await documentOf(page);
  const scheme = appScheme(unreachable ?? "");
  if (scheme !== null) return { error: `${scheme}:`, failedAt: "" };
  const words = await page.evaluate<unknown>(`(${lookAtError})()`);
  const error = /\b(?:ERR|DNS)_[A-Z0-9_]{2,60}/.exec(String(words))?.[0] ?? "";
  const isWeb = /^https?:/i.test(unreachable ?? "") && URL.canParse(unreachable!);
  return { error, failedAt: isWeb ? new URL(unreachable!).origin : "" };
}

/** Looks at a page whose Page domain is enabled. @throws {Error} when the page does not answer, or moves on. */
export async function lookAtPage(page: DevTools, frameId: string): Promise<PageLook> {
  const ask = await worldOf(page, frameId, "browser-stream-look");
  const given = `${JSON.stringify(OPENING_MARK)}, ${MAX_ELEMENTS}, ${MAX_HREF}, ${PLACES}`;
  const seen = await ask(`(${look})(${given})`);
  const { href, status, isOpening, isBlank, isLoading, scroll, zoom, isAway, wasAway } = Object(seen);
  if (typeof href !== "string") throw new Error("the page could not be examined");
  const isError = href.startsWith("chrome-error:");
  const { error, failedAt } = isError ? await errorOf(page) : { error: "", failedAt: "" };
  return {
    href: href.slice(0, MAX_HREF),
    status: Number.isInteger(status) && status >= 100 && status <= 599 ? status : 0,
    error,
    failedAt,
    isOpening: isOpening === true,
    scroll: readPlaces(scroll),
    zoom: Number.isFinite(zoom) ? zoom : null,
    isAway: isAway === true,
    wasAway: wasAway === true,
    isLoading: isLoading === true,
    isBlank: isBlank === true && await isEmpty(page, ask),
  };
}

/** The Security domain's facts on the certificate that a page has or was refused for. */
export interface SeenCertificate extends PageCertificate {
  /** The reason why the certificate is not trusted, such as ERR_CERT_DATE_INVALID. */
  error: string;
}

/** Bytes of all certificates of a chain, in base64. */
const MAX_CHAIN = 100_000;

/** The certificate in an event Security.visibleSecurityStateChanged, if the certificate has an error. */
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

/** The certificate for which the browser shows its warning instead of a page; null: the browser tells none. */
export async function refusedCertificate(page: DevTools): Promise<SeenCertificate | null> {
  const seen: { certificate: SeenCertificate | null } = { certificate: null };
  page.onevent = (method, params) => {
    if (method === "Security.visibleSecurityStateChanged") seen.certificate = untrustedCertificate(params);
  };
  // the browser tells it before it answers
  await page.send("Security.enable");
  return seen.certificate;
}

/** When the certificate in an event Security.visibleSecurityStateChanged ends (Unix ms); null: the page has none. */
export function certificateEnd(params: Record<string, unknown>): number | null {
  const { validTo } = Object(Object(params.visibleSecurityState).certificateSecurityState);
  return typeof validTo === "number" && validTo > 0 ? validTo * 1000 : null;
}

/** Goes on from the browser's warning, for exactly its certificate. @throws {Error} when the page cannot go on. */
export async function proceed(page: DevTools): Promise<void> {
  await page.evaluate("certificateErrorPageController.proceed()");
}
