/** What a person typed or pasted to add: one page, or a list of them. Pure. */
import { oneLine } from "../../../lib/model/entered/one_line.ts";
import { freeName } from "../../../lib/model/entered/title_name.ts";
import { completeAddress, hostOf, isAddress } from "../../../lib/model/web_address.ts";
import { isM3u } from "./m3u.ts";
import { linesOfRow } from "./pasted.ts";

/** A stream to be added. */
export interface NewPage {
  url: string;
  name: string;
  /** The name is the host's until the page's title is known. */
  nameFollowsTitle?: true;
}

/** @param taken the names of the present streams. @returns null: it is a list, which a person looks through first. */
export function enteredPage(typed: string, taken: readonly string[]): NewPage | null {
  const text = typed.trim();
  if (/[\r\n]/.test(text) || isM3u([text])) return null;
  const named = /[\t,;|]\s|\t|^\S+\s+https?:|\s[-–—]\s/i.test(text) ? linesOfRow(text) : [];
  if (named.length > 1) return null;
  const [line] = named;
  if (line?.name && isAddress(line.url)) return { url: line.url, name: freeName(line.name, new Set(taken)) };
  if (addressesIn(text) > 1) return null;
  const url = oneAddress(text);
  const name = freeName(oneLine(hostOf(url)).slice(0, 110) || "Page", new Set(taken));
  return { url, name, nameFollowsTitle: true };
}

/** The addresses that a row has beside each other: each has a scheme, or none has a scheme and each is whole. */
function addressesIn(text: string): number {
  const words = text.split(/[\s,;|]+/).filter(Boolean);
  const withScheme = words.filter((word) => word.includes("://")).length;
  if (withScheme > 0 || isAddress(completeAddress(joined(text)))) return withScheme;
  return words.filter((word) => isAddress(completeAddress(word))).length;
}

/** A text of one address: blanks in its host go, and others stay as %20. A single word is a machine of the network. */
function oneAddress(text: string): string {
  const [, scheme = "", login = "", host, rest] = /^(https?:\/\/)?([^/?#]*@)?([^/?#]*)(.*)$/i.exec(
    joined(text),
  )!;
  // words are no host
  if (scheme === "" && /\s/.test(host) && !/[.:]/.test(host)) return text;
  const escaped = (part: string) => part.replace(/\s+/g, "%20");
  const address = scheme + escaped(login) + host.replace(/\s+/g, "") + escaped(rest);
  return /^[\p{L}\p{N}_-]{1,63}$/u.test(address) ? `http://${address}/` : completeAddress(address);
}

/** The text without the blanks beside a sign that no word of people ends or begins with. */
const joined = (text: string) => text.replace(/\s*(:\/\/)\s*|([.:/])\s+|\s+(?=[.:/])/g, "$1$2");
