/**
 * How apps find a channel's name in a line of a playlist: the rules of their published sources, in our words, for apps whose
 * code cannot run here. VLC's and mpv's are beside them for unit tests; tests/e2e/names_test.ts asks VLC itself.
 */

/** What a number is for .NET's double.TryParse with the invariant culture, and a bit more: what Python's float takes. */
const NUMBER = /^[+-]?(?:[\p{Nd}_]+\.?[\p{Nd}_]*(?:e[+-]?\p{Nd}+)?|\.\p{Nd}+|inf(?:inity)?|nan)$/iu;

/** Jellyfin's M3U tuner, and Emby's, which it comes from: jellyfin/jellyfin, src/Jellyfin.LiveTv/TunerHosts/M3uParser.cs. */
export function jellyfinName(line: string): string {
  const pairs = [...line.matchAll(/([a-z0-9\-_]+)="([^"]+)"/gi)];
  const rest = pairs.reduce((text, [pair]) => text.replaceAll(pair, ""), line.replace("#EXTINF:", ""));
  const parts = rest.split(",").filter((part) => part !== "");
  let name = parts.length > 1 ? parts.at(-1)!.trim() : "";
  const blank = name.indexOf(" ");
  const isNumbered = blank > 0 && NUMBER.test(name.slice(0, blank).replace(/^[ .]+|[ .]+$/g, "").trim());
  if (isNumbered) name = name.slice(blank + 1).replace(/^[ -]+|[ -]+$/g, "");
  return name || pairs.find(([, key]) => key === "tvg-name")?.[2] || "";
}

/** Kodi's PVR IPTV Simple Client: kodi-pvr/pvr.iptvsimple, src/iptvsimple/PlaylistLoader.cpp. */
export function kodiName(line: string): string {
  const quote = line.lastIndexOf('"');
  const behind = line.slice(quote + 1);
  const comma = behind.trim().startsWith(",") ? quote + 1 + behind.indexOf(",") : line.lastIndexOf(",");
  return line.slice(comma + 1).trim();
}

/** Its groups: the value up to the next quote, apart at semicolons. */
export function kodiGroups(line: string): string[] {
  return (/group-title="([^"]*)"/.exec(line)?.[1] ?? "").split(";").filter(Boolean);
}

/** VLC 3: videolan/vlc, modules/demux/playlist/m3u.c. It knows no attributes, and "artist - title" by its looks. */
export function vlcName(line: string): string {
  const behind = line.slice(line.indexOf(",") + 1);
  const dash = behind.indexOf(" - ");
  if (dash >= 0) return behind.slice(dash + 3);
  if (behind.startsWith(",")) return behind.slice(1);
  return behind.slice(behind.indexOf(",") + 1);
}

/** mpv: mpv-player/mpv, demux/demux_playlist.c. */
export function mpvName(line: string): string {
  return line.slice(line.indexOf(",") + 1).trim();
}

/** The rules by the app's name. */
export const NAME_RULES = { Jellyfin: jellyfinName, Kodi: kodiName, VLC: vlcName, mpv: mpvName };

/** A name as people see it: by the sign that stands for a comma, and the blank that no app looks for. */
export function seen(text: string): string {
  return text.replaceAll("\u201A", ",").replaceAll("\u00A0", " ");
}

/** Names that apps have cut, and the kinds that they are of. */
export const NAMES = [
  ...["Sales, North", "News, Weather, Sport", "a,b", ",", "A,", ",A", "1,000 Seats", "3,5 Hall"],
  ...[
    "24 Hours",
    "3. Floor",
    "1 Lobby",
    "-1 Lobby",
    "+1 Channel",
    "3.5 Hall",
    ".5 Litre",
    "1e3 Lab",
    "0 Day",
  ],
  ...[
    "Infinity Pool",
    "-Infinity Pool",
    "NaN Bread",
    "nan's",
    "inf Lab",
    "1_000 Tables",
    "٢٤ ساعة",
    "２４ Hours",
  ],
  ...[
    "24  Hours",
    "24 7",
    "24 - Hours",
    "24 -",
    "24",
    "24h News",
    "2nd Floor",
    "½ Price",
    "1. - Hall",
    "5... Lab",
  ],
  ...["Ops - Night", "A - B - C", "- Ops", "Ops -", "A - - B", "-", "24, 25 - Hall", "Sales, North - 1, 2"],
  ...[
    "A&E",
    "Berlin; Mitte",
    "Plain",
    "#EXTM3U",
    "a=b",
    "tvg-id=x,y",
    "Größe, 日本語",
    "📺, 1",
    "حالة، الشبكة",
  ],
];
