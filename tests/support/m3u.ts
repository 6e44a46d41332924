/** Playlists as iptv-playlist-parser reads them. */
import parser from "iptv-playlist-parser";

export interface M3uChannel {
  /** The attributes of `#EXTINF`, by name. */
  attributes: Record<string, string>;
  /** What stands after the comma. */
  name: string;
  url: string;
  /** How apps show what was on before. */
  catchup: { type: string; days: string; source: string };
}

export interface M3u {
  /** The attributes of `#EXTM3U`. */
  header: Record<string, string>;
  channels: M3uChannel[];
}

/** Reads a playlist. @param file its bytes, or its text. @throws {Error} when it is none, or no UTF-8. */
export function parseM3u(file: Uint8Array | string): M3u {
  const text = typeof file === "string"
    ? file
    : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(file);
  const { header, items } = parser.parse(text);
  return { header: { ...header.attrs }, channels: items.map(channelOf) };
}

function channelOf(
  { name, url, tvg, group, catchup, raw }: ReturnType<typeof parser.parse>["items"][0],
): M3uChannel {
  // the parser knows no numbers
  const numberOf = (attribute: string) => new RegExp(` ${attribute}="(.*?)"`).exec(raw)?.[1] ?? "";
  const attributes = {
    "tvg-id": tvg.id,
    "tvg-name": tvg.name,
    "tvg-logo": tvg.logo,
    "tvg-chno": numberOf("tvg-chno"),
    "channel-number": numberOf("channel-number"),
    "group-title": group.title,
  };
  const { type = "", days = "", source = "" } = catchup;
  return { name, url, attributes, catchup: { type, days, source } };
}
