/** The pages that a stream shows in turn: its fields url, pageSeconds and morePages. Pure, also for the form. */
import { isOnWallHost } from "../../reach/wall_address.ts";
import { urlProblem } from "../page_address.ts";
import { linesOf } from "../page_settings.ts";
import { completeAddress } from "../web_address.ts";

/** The limits of a page's seconds: each page is loaded anew for its turn. */
export const LEAST_SECONDS = 5;
export const MOST_SECONDS = 86_400;

const MAX_PAGES = 30;

export interface Page {
  url: string;
  seconds: number;
}

/** A line of morePages: an address, and the line's own seconds, if any. */
export interface PageLine {
  url: string;
  seconds: number | null;
}

/** The lines of a text, with addresses as people type them. Seconds that are no number are NaN. */
export function parsePages(text: string): PageLine[] {
  return linesOf(text).map((line) => {
    const [url, seconds, ...rest] = line.split(/\s+/);
    const isNumber = seconds !== undefined && /^\d{1,6}$/.test(seconds) && rest.length === 0;
    return {
      url: completeAddress(url),
      seconds: seconds === undefined ? null : isNumber ? Number(seconds) : NaN,
    };
  });
}

/** The text that `parsePages` reads back. */
export function formatPages(lines: readonly PageLine[]): string {
  return lines.map(({ url, seconds }) => seconds === null ? url : `${url} ${seconds}`).join("\n");
}

/** The problem of a text of pages; null: it is valid. */
export function pagesProblem(text: string): string | null {
  const lines = parsePages(text);
  if (lines.length > MAX_PAGES) return `There are at most ${MAX_PAGES}.`;
  for (const [index, { url, seconds }] of lines.entries()) {
    const problem = otherPageProblem(url) ?? secondsProblem(seconds);
    if (problem !== null) return `line ${index + 1}: ${problem}`;
  }
  return null;
}

/** The problem of a page's address beside the stream's own; null: it is valid. */
export function otherPageProblem(url: string): string | null {
  if (!isOnWallHost(url)) return urlProblem(url);
  return "A wall of this service is shown by a stream of its own, not among other pages.";
}

function secondsProblem(seconds: number | null): string | null {
  if (seconds === null || seconds >= LEAST_SECONDS && seconds <= MOST_SECONDS) return null;
  return `After the address come the seconds it is shown, ${LEAST_SECONDS} to ${MOST_SECONDS}. ` +
    "Example: https://status.example.org/ 20";
}

/** A stream's pages in their order; without further pages its one page. */
export function pagesOf(
  { url, pageSeconds, morePages }: { url: string; pageSeconds: number; morePages: string },
): Page[] {
  const others = parsePages(morePages).map((line) => ({
    url: line.url,
    seconds: line.seconds ?? pageSeconds,
  }));
  return [{ url, seconds: pageSeconds }, ...others];
}
