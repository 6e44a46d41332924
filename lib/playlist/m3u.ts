/** The playlist for IPTV apps: extended M3U with the attributes they read. Pure. */
import { streamLinks } from "../streams/links.ts";
import type { Channel } from "./channels.ts";
import { oneLine } from "./text.ts";

/** HLS's own type, application/vnd.apple.mpegurl, keeps VLC 3 from reading a list of channels (docs/decisions/iptv.md). */
export const M3U_TYPE = "audio/x-mpegurl; charset=utf-8";

/** Where the guide is, below the public address. */
export const GUIDE_PATH = "/epg.xml";

/** Nothing can escape a quote in this format, so values have none. */
function value(text: string): string {
  return oneLine(text.replaceAll('"', ""));
}

/** The address of a channel's logo, its thumbnail. @param origin the service's public origin. */
export function logoUrl(origin: string, id: string): string {
  return origin + streamLinks(id).thumbnail;
}

/**
 * The channels as a playlist, in their order.
 * @param origin the service's public origin: every address is absolute.
 */
export function playlist(channels: readonly Channel[], origin: string): string {
  const guide = origin + GUIDE_PATH;
  const lines = [`#EXTM3U x-tvg-url="${guide}" url-tvg="${guide}"`];
  for (const { id, name, group, number } of channels) {
    const shown = value(name) || id;
    const attributes = {
      "tvg-id": id,
      "tvg-name": shown,
      "tvg-chno": number,
      "channel-number": number,
      "tvg-logo": logoUrl(origin, id),
      "group-title": value(group),
    };
    const listed = Object.entries(attributes).map(([key, text]) => `${key}="${text}"`).join(" ");
    lines.push(`#EXTINF:-1 ${listed},${shown}`, origin + streamLinks(id).feed);
  }
  return lines.join("\n") + "\n";
}
