/** Opens a page in a tab that nobody sees yet, and waits until it has loaded: then it can be put in front at once. */
import type { BrowserControl, Target } from "./client.ts";
import { type FirstLook, lookFirst, lookUntilSettled } from "./first_look.ts";
import { HttpLogin, type PageLogin } from "./http_login.ts";
import { openPage } from "./open_page.ts";
import { proceed, type SeenCertificate, untrustedCertificate } from "./page_look.ts";

/** Warnings that are passed for an accepted certificate: one for each site that the page leads over. */
const MOST_WARNINGS = 3;

export interface BehindParts {
  url: string;
  /** What its server may be told. */
  login: PageLogin;
  /** Fingerprints of certificates that it may have. */
  accepted: readonly string[];
  /** What is done with the tab before. */
  dress(tab: Target): Promise<void>;
  /** How long each page of a PDF is shown. */
  pageSeconds: number;
  limits: { loadMs: number; lookMs: number; settleMs: number };
  /** Milliseconds of a steady clock. */
  elapsed(): number;
}

export interface LoadedBehind {
  /** How the page is; null when it has shown nothing in time, or the signal aborted. */
  look: FirstLook | null;
  /** The certificate that the browser refused, and that is not accepted. */
  certificate: SeenCertificate | null;
}

/**
 * Loads a page in a blank tab, until it has settled or the time is over.
 * @throws {Error} when the browser does not answer, or the tab is gone.
 */
export async function loadBehind(
  browser: BrowserControl,
  tab: Target,
  { url, login, accepted, dress, pageSeconds, limits, elapsed }: BehindParts,
  signal: AbortSignal,
): Promise<LoadedBehind> {
  await dress(tab);
  await using page = await browser.connect(tab);
  let certificate: SeenCertificate | null = null;
  page.onevent = (method, params) => {
    if (method === "Security.visibleSecurityStateChanged") certificate = untrustedCertificate(params);
  };
  await page.send("Page.enable");
  await page.send("Security.enable");
  const prepare = () => new HttpLogin(login, { elapsed }).watch(page);
  const { loadMs, lookMs, settleMs } = limits;
  const openedAt = elapsed();
  await openPage(page, url, { prepare, isBehind: true, pageSeconds });
  let warnings = 0;
  const look = async () => {
    // it may be between two documents
    const seen = await lookFirst(page, tab.id).catch((error) => {
      if (!page.isOpen) throw error;
      return undefined;
    });
    if (seen?.isOpening) return null;
    if (!isAccepted(seen, certificate, accepted) || warnings++ >= MOST_WARNINGS) return seen;
    await proceed(page);
    certificate = null;
    return null;
  };
  const last = await lookUntilSettled(
    look,
    ({ error, isLoaded }) => error !== "" || isLoaded,
    { limitMs: loadMs - (elapsed() - openedAt), lookMs, settleMs, elapsed },
    signal,
  );
  const isRefused = last !== null && last.error.startsWith("ERR_CERT");
  return { look: signal.aborted ? null : last, certificate: isRefused ? certificate : null };
}

/** Whether the browser warns of a certificate that it may go on with. */
function isAccepted(
  look: FirstLook | undefined,
  certificate: SeenCertificate | null,
  accepted: readonly string[],
): boolean {
  return look !== undefined && look.error.startsWith("ERR_CERT") && certificate !== null &&
    accepted.includes(certificate.fingerprint);
}
