/** Opens a page in a tab that nobody sees yet, and waits until it has loaded: then it can be put in front at once. */
import { sleep } from "../system/time.ts";
import type { BrowserControl, Target } from "./client.ts";
import { type FirstLook, lookFirst } from "./first_look.ts";
import { HttpLogin, type PageLogin } from "./http_login.ts";
import { openPage } from "./open_page.ts";

export interface BehindParts {
  url: string;
  /** What its server may be told. */
  login: PageLogin;
  /** What is done with the tab before. */
  dress(tab: Target): Promise<void>;
  limits: { loadMs: number; lookMs: number; settleMs: number };
  now(): number;
}

/**
 * Loads a page in a blank tab.
 * @returns how it is when it has settled or the time is over; null when it has shown nothing by then, or the signal aborts.
 * @throws {Error} when the browser does not answer, or the tab is gone.
 */
export async function loadBehind(
  browser: BrowserControl,
  tab: Target,
  { url, login, dress, limits, now }: BehindParts,
  signal: AbortSignal,
): Promise<FirstLook | null> {
  await dress(tab);
  await using page = await browser.connect(tab);
  await page.send("Page.enable");
  const prepare = () => new HttpLogin(login, { now }).watch(page);
  const deadline = now() + limits.loadMs;
  await openPage(page, url, { prepare, isBehind: true });
  let last: FirstLook | null = null;
  let settledAt: number | null = null;
  while (now() < deadline && !signal.aborted) {
    // it may be between two documents
    const look = await lookFirst(page, tab.id).catch((error) => {
      if (!page.isOpen) throw error;
      return null;
    });
    if (look !== null) last = look.isOpening ? null : look;
    const isSettled = last !== null && (last.error !== "" || last.isLoaded);
    settledAt = isSettled ? settledAt ?? now() : null;
    if (settledAt !== null && now() - settledAt >= limits.settleMs) break;
    await sleep(limits.lookMs, signal);
  }
  return signal.aborted ? null : last;
}
