/** Opens a page in a tab behind the others, and waits until the page has loaded: then the tab can come to the front. */
import { type BrowserControl, readTarget, type Target } from "../../browser/client.ts";
import type { Connection } from "../../browser/connection.ts";
import { type FirstLook, lookFirst, lookUntilSettled, Warnings } from "./first_look.ts";
import { HttpLogin, type PageLogin } from "../../signin/http.ts";
import { openPage } from "../../browser/open_page.ts";
import { type SeenCertificate, untrustedCertificate } from "./looks/page_look.ts";
import { isFrontSoundWorker } from "../../browser/front_sound.ts";
import { happensWithin, sleep } from "../../machine/tools/time.ts";

export interface BehindParts {
  url: string;
  /** The login that the page's server may get. */
  login: PageLogin;
  /** Fingerprints of certificates that the page may have. */
  accepted: readonly string[];
  /** Prepares the tab before the page is opened. */
  dress(tab: Target): Promise<void>;
  /** The page has shown something. */
  answered(): void;
  /** `answerMs`: until the page shows something; `loadMs`: from then until it is whole. */
  limits: { answerMs: number; loadMs: number; lookMs: number; settleMs: number };
  /** Milliseconds of a steady clock. */
  elapsed(): number;
}

export interface LoadedBehind {
  /** The last look; null: the page has shown nothing in time, or the signal aborted. */
  look: FirstLook | null;
  /** The certificate that the browser refused, and that is not accepted. */
  certificate: SeenCertificate | null;
}

/**
 * Loads a page in a blank tab, until it has settled or the time is over; a page that was slow to show anything has as
 * long as another for the rest.
 * @throws {Error} when the browser does not answer, or the tab is gone.
 */
export async function loadBehind(
  browser: BrowserControl,
  tab: Target,
  { url, login, accepted, dress, answered, limits, elapsed }: BehindParts,
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
  const { answerMs, loadMs, lookMs, settleMs } = limits;
  const openedAt = elapsed();
  await openPage(page, url, { prepare, isBehind: true, isFresh: true });
  const warnings = new Warnings(accepted);
  const look = async () => {
    // the tab may be between two documents
    const seen = await lookFirst(page, tab.id).catch((error) => {
      if (!page.isOpen) throw error;
      return undefined;
    });
    if (seen?.isOpening) return null;
    return seen && await warnings.pass(page, seen, certificate) ? null : seen;
  };
  const limitMs = answerMs - (elapsed() - openedAt);
  const first = await lookUntilSettled(
    look,
    () => true,
    { limitMs, lookMs, settleMs: 0, elapsed },
    signal,
  );
  if (first) answered();
  const last = first && await lookUntilSettled(
    look,
    ({ error, isLoaded }) => error !== "" || isLoaded,
    { limitMs: loadMs, lookMs, settleMs, elapsed },
    signal,
  );
  const isRefused = last !== null && last.error.startsWith("ERR_CERT");
  return { look: signal.aborted ? null : last, certificate: isRefused ? warnings.certificate : null };
}

/** The longest wait for silence, in ms, and the time between two looks: a browser may be without the extension. */
const SILENT_MS = 1000;
const SILENT_LOOK_MS = 50;

const ARE_SILENT = `chrome.tabs.query({ active: false, muted: false }).then(({ length }) => length === 0)`;

/** Resolves when no tab behind is heard, by the extension of lib/browser/front_sound.ts, or that takes too long. */
export async function untilSilentBehind(browser: BrowserControl): Promise<void> {
  const over = new AbortController();
  const silent = async () => {
    await using connection = await browser.open();
    while (!over.signal.aborted && !await areSilent(connection)) await sleep(SILENT_LOOK_MS, over.signal);
  };
  await happensWithin(SILENT_MS, silent());
  over.abort();
}

/** Whether the extension's worker, which a new tab wakes, says so. */
async function areSilent(connection: Connection): Promise<boolean> {
  const { targetInfos } = await connection.send<{ targetInfos: unknown }>("Target.getTargets");
  if (!Array.isArray(targetInfos)) return false;
  const worker = targetInfos.find((one) => isFrontSoundWorker(Object(one)));
  if (worker === undefined) return false;
  const sessionId = await connection.attach(readTarget(worker).id, { onevent: () => {}, onend: () => {} });
  try {
    const params = { expression: ARE_SILENT, awaitPromise: true, returnByValue: true };
    const { result } = await connection.send<{ result: { value?: unknown } }>(
      "Runtime.evaluate",
      params,
      sessionId,
    );
    return result.value === true;
  } finally {
    // a worker that is looked at does not end
    await connection.send("Target.detachFromTarget", { sessionId });
  }
}
