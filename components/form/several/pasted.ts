/** A pasted text of several addresses -> a stream for each. Pure. */
import { completeAddress, hostOf, isAddress } from "../../../lib/model/web_address.ts";
import { oneLine } from "../../../lib/model/entered/one_line.ts";
import { freeName } from "../../../lib/model/entered/title_name.ts";
import type { Line } from "./line.ts";
import { isM3u, linesOfM3u, unescaped } from "./m3u.ts";

export type { Line };

/** The lines that are shown and added at a time: each line becomes a browser. */
export const MAX_LINES = 100;

/**
 * The addresses of a text, each with the words beside it as its name, as in a copied table or list, or with what the line
 * above it says in an M3U playlist; null: the text is no list. A row without an address, and a word with another scheme,
 * stay as lines of their own, so that the list can show their problems. @param taken the names of the present streams.
 */
export function pastedLines(text: string, taken: readonly string[]): Line[] | null {
  const rows = text.split(/[\r\n\u0085\u2028\u2029]+/);
  const isPlaylist = isM3u(rows);
  const lines = isPlaylist ? linesOfM3u(rows) : rows.flatMap(linesOfRow);
  if (isPlaylist ? lines.length === 0 : !isList(lines)) return null;
  const used = new Set(taken);
  const ofHost = Map.groupBy(lines, ({ url }) => hostOf(url));
  return lines.map(({ name, url, ...channel }) => {
    const isAlone = ofHost.get(hostOf(url))!.length === 1;
    const offered = freeName(name || nameOf(url, isAlone) || "Without an address", used);
    used.add(offered);
    return { name: offered, url, ...channel };
  });
}

/** Whether there are at least two addresses; all but one may be wrong, such as "htp://a.example". */
function isList(lines: readonly Line[]): boolean {
  const isWhole = lines.some(({ url }) => isAddress(url));
  return isWhole && lines.filter(({ url }) => url.includes("://")).length > 1;
}

/** A row with one address may have its name beside it; other words of rows with several addresses are left out. */
export function linesOfRow(row: string): Line[] {
  const bare = row.trim().replace(/^(?:\d+[.)]|[-*•])\s+/, "");
  const words = bare.split(/[\s,;|]+/).map((word) => word.replace(/^[<"'(]+|[>"')]+$/g, ""));
  const urls = words.map((word) => completeAddress(word)).filter((word) =>
    isAddress(word) || word.includes("://")
  );
  if (urls.length === 0 && bare) return [{ name: "", url: bare }];
  if (urls.length !== 1) return urls.map((url) => ({ name: "", url }));
  const others = words.filter((word) => !word.includes("://") && !isAddress(completeAddress(word)));
  const name = oneLine(others.join(" ")).replace(/^[\s\p{P}]+|[\s\-–—:=]+$/gu, "").slice(0, 120);
  return [{ name: /\p{L}|\p{N}/u.test(name) ? name : "", url: urls[0] }];
}

/** The host and, unless the host is enough, the last word of the path. */
function nameOf(url: string, isHostEnough: boolean): string {
  const { pathname } = isAddress(url) ? new URL(url) : { pathname: "" };
  const last = pathname.split("/").filter(Boolean).at(-1) ?? "";
  const words = unescaped(last).replace(/\.(html?|php|aspx?)$/i, "").replace(/[-_+\s]+/g, " ").trim();
  return (isHostEnough || !words ? hostOf(url) : `${hostOf(url)} ${words}`).slice(0, 110);
}
