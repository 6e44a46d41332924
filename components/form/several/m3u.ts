/**
 * An M3U playlist of pages, read as VLC and Kodi read it, and more leniently where lists in use break their rules: see
 * channelOf. Pure.
 */
import { logoProblem } from "../../../lib/model/channel.ts";
import { completeAddress } from "../../../lib/model/web_address.ts";
import { oneLine } from "../../../lib/model/entered/one_line.ts";
import type { Line } from "./line.ts";

/** The settings for the next address, so far. */
type Channel = Omit<Line, "url">;

/** Attributes of a channel, which may also stand where a name begins or ends. */
const KEY = "(?:tvg|group|channel|catchup|timeshift|radio|parent|audio|aspect|url)(?:-[\\w-]+)?";
/** The quotes that texts have, from keyboards, documents and chats. */
const END = "(?=\\s*(?:,|$|[\\w-]+=))";
const QUOTED = `(?:["“”„](.*?)["“”]${END}|['‘’](.*?)['’]${END}|["“”„]([^"“”]*)["“”](?=\\s))`;
const UNQUOTED = `([^"'“”„‘’\\s,][^,]*?)(?=\\s*(?:,|$|\\s[\\w-]+=))`;

/** A quote that nothing closes before the comma. */
const UNCLOSED = `["“”„‘’']([^"“”„‘’',=]+)(?=,)`;

/** An attribute where attributes are expected, and one where a name may be: "Radio=Live at 5" is a name. */
const ATTRIBUTE = new RegExp(`\\s*([\\w-]+)=(?:${QUOTED}|${UNQUOTED}|${UNCLOSED}|(?=\\s|,|$))`, "y");
const SURE_ATTRIBUTE = new RegExp(
  `\\s*(${KEY})=(?:${QUOTED}|(?<=-[\\w-]{1,40}=)${UNQUOTED}|([^"'“”„‘’\\s,]+)(?=\\s*,|\\s+${KEY}=)|(?=\\s|,|$))`,
  "iy",
);
const LAST_ATTRIBUTES = new RegExp(
  // without quotes in quotes: a pattern with several possible ends would take for ever
  `(?:\\s+${KEY}=(?:["“”„][^"“”„]*["“”]|['‘’][^'‘’]*['’]))+\\s*$`,
  "i",
);

/** Beginnings of a line that is the rest of one of channels, as in a part of a list. */
const CUT_OFF = new RegExp(`^(?:-?\\d+[\\s,]+)?${KEY}=["']`, "i");

/** Kodi's headers behind an address. */
const HEADERS = /^(.*?)\|([a-z][\w-]*=.*)$/i;

const FILE = /^[^/?#:]+\.(?:html?|php|aspx?|jsp|m3u8?|ts|mp4|mkv|pdf|png|jpe?g|svg|txt)(?:[?#].*)?$/i;

/** Whether lines are a playlist, or a part of one. */
export function isM3u(rows: readonly string[]): boolean {
  return rows.some((row) => /^[\s\ufeff]*#\s*(?:EXTM3U\b|EXTINF:)/i.test(row));
}

/** The lines of a playlist: names, numbers, logos and groups are in the lines above each address. */
export function linesOfM3u(rows: readonly string[]): Line[] {
  const lines: Line[] = [];
  let channel: Channel | null = null;
  /** Of the addresses that follow: a group before the first line of a channel. */
  let groupOfAll = "";
  const begin = (next: Channel | null) => {
    // a channel whose address is missing has to be seen, too
    if (channel?.name) lines.push({ ...channel, url: "" });
    channel = next;
  };
  for (const row of rows.map((each) => each.replace(/^[\s\ufeff]+|\s+$/g, "")).filter(Boolean)) {
    const [, directive, value] = /^#\s*([\w-]+?)(?:--|:)(.*)$/.exec(row) ?? [];
    if (directive?.toUpperCase() === "EXTINF") begin(channelOf(value));
    else if (CUT_OFF.test(row)) begin(channelOf(row));
    else if (directive?.toUpperCase() === "EXTGRP" && channel === null) groupOfAll = lineOf(value, 60);
    else if (directive !== undefined) {
      channel &&= withDirective(channel, directive.toUpperCase(), value.trim());
    }
    if (row.startsWith("#") || CUT_OFF.test(row)) continue;
    lines.push(lineAt(row, channel ?? { name: "" }, groupOfAll));
    channel = null;
  }
  begin(null);
  return lines;
}

const lineOf = (text: string, most: number) =>
  oneLine(oneLine(text).replace(/^["“„'](.*)["”“']$/, "$1")).slice(0, most).trim();

/** The settings after another line of the channel. Players' options that no stream has are named as left out. */
function withDirective(channel: Channel, directive: string, value: string): Channel {
  const leftOut = (what: string) => ({ ...channel, leftOut: [...channel.leftOut ?? [], what] });
  const [, option = value, given = ""] = /^([\w.-]+)=(.*)$/.exec(value) ?? [];
  switch (directive) {
    case "EXTGRP":
      return channel.group || !lineOf(value, 60) ? channel : { ...channel, group: lineOf(value, 60) };
    case "EXTIMG":
    case "EXTALBUMARTURL":
      return channel.channelLogo ? channel : withLogo(channel, value);
    case "EXTVLCOPT":
    case "KODIPROP":
      if (/^http-user-agent$/i.test(option)) return withUserAgent(channel, given);
      return leftOut(`${directive} ${option.slice(0, 60)}`);
    case "EXTHTTP":
      return leftOut("EXTHTTP");
  }
  return channel;
}

function withLogo(channel: Channel, logo: string): Channel {
  if (logo === "") return channel;
  if (logoProblem(logo) === null) return { ...channel, channelLogo: logo };
  return { ...channel, leftOut: [...channel.leftOut ?? [], "the logo, which is not a complete web address"] };
}

function withUserAgent(channel: Channel, text: string): Channel {
  const userAgent = text.replace(/^["'](.*)["']$/, "$1").trim();
  if (/^[\x20-\x7e]{1,512}$/.test(userAgent)) return { ...channel, userAgent };
  return { ...channel, leftOut: [...channel.leftOut ?? [], "the user agent"] };
}

/** The address of a row, with its settings. */
function lineAt(row: string, channel: Channel, groupOfAll: string): Line {
  const [, address = row, headers = ""] = HEADERS.exec(row) ?? [];
  let known = channel;
  for (const header of headers.split("&").filter(Boolean)) {
    const [name, ...value] = header.split("=");
    if (/^user-agent$/i.test(name)) known = withUserAgent(known, unescaped(value.join("=")));
    else known = { ...known, leftOut: [...known.leftOut ?? [], `the header ${name.slice(0, 60)}`] };
  }
  const group = known.group || groupOfAll;
  return { ...known, url: addressOf(address.trim()), ...group ? { group } : {} };
}

/** The text of a part of an address, if it is one. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The whole address; one that is relative to its list, which is not known here, stays so that it cannot be taken for a host. */
function addressOf(text: string): string {
  const isPath = /^[\w-]+\//.test(text) && !/^localhost\//i.test(text);
  return isPath || FILE.test(text) ? `./${text}` : completeAddress(text);
}

/**
 * The channel of what follows "#EXTINF:": its seconds, attributes, and behind the first comma that is in none of them, its
 * whole name. A comma before attributes, single quotes, none at all, and attributes behind the name are read as well.
 */
function channelOf(text: string): Channel {
  const values = new Map<string, string>();
  const words: string[] = [];
  let at = /^\s*[-+]?[\d.]*/.exec(text)![0].length;
  while (at < text.length && text[at] !== ",") {
    const next = afterAttributes(text, at, ATTRIBUTE, values);
    const word = next > at ? "" : /^\s*[^\s,]*/.exec(text.slice(at))![0];
    words.push(word.trim());
    at = next + word.length;
  }
  const hasComma = text[at] === ",";
  // behind the seconds, a comma may stand before the attributes
  const behind = new Map(values);
  const next = afterAttributes(text, at + 1, SURE_ATTRIBUTE, behind);
  let name = text.slice(next).replace(/^[\s,]+/, "");
  const [last = ""] = LAST_ATTRIBUTES.exec(name) ?? [];
  afterAttributes(last, 0, SURE_ATTRIBUTE, behind);
  name = hasComma ? name.slice(0, name.length - last.length) : words.join(" ");
  return channelWith(oneLine(name) || behind.get("tvg-name") || "", behind);
}

/** Notes the attributes that stand at a place of a text. @returns the place behind them. */
function afterAttributes(text: string, at: number, pattern: RegExp, values: Map<string, string>): number {
  pattern.lastIndex = at;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [, key, ...given] = match;
    const value = given.find((one) => one !== undefined) ?? "";
    values.set(key.toLowerCase(), oneLine(value.replace(/\\(["'])/g, "$1")));
    at = pattern.lastIndex;
  }
  return at;
}

function channelWith(name: string, values: ReadonlyMap<string, string>): Channel {
  const number = (values.get("tvg-chno") || values.get("channel-number") || "").replace(/^0+(?=\d)/, "");
  const group = values.get("group-title")?.slice(0, 60).trim();
  const isNumber = /^[1-9]\d{0,3}$/.test(number);
  const channel: Channel = {
    name: name.slice(0, 120).trim(),
    ...isNumber ? { channelNumber: number } : {},
    ...group ? { group } : {},
    ...isNumber || /^0?$/.test(number)
      ? {}
      : { leftOut: [`the number ${number.slice(0, 20)}, which is not from 1 to 9999`] },
  };
  return withLogo(channel, values.get("tvg-logo") ?? "");
}
