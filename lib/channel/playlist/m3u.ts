/** The playlist for IPTV apps: extended M3U with the attributes they read. Pure. */
import { streamLinks } from "../../model/links.ts";
import { catchupAttributes } from "./catchup.ts";
import { type Channel, type ChannelFormat, LOGO_OF } from "./channels.ts";
import { attributeText, listedGroup, nameBehindComma, withoutQuotes } from "./listed.ts";

/** HLS's own type, application/vnd.apple.mpegurl, keeps VLC 3 from reading a list of channels (docs/decisions/iptv.md). */
export const M3U_TYPE = "audio/x-mpegurl; charset=utf-8";

/** Where playlist and guide are, below the base of all addresses. */
export const PLAYLIST_PATH = "/playlist.m3u";
export const GUIDE_PATH = "/epg.xml";

/** The address of a channel's logo, which is its thumbnail unless it has another. @param base what all addresses begin with. */
export function logoUrl(base: string, { id, logo, logoOf }: Pick<Channel, "id" | "logo" | "logoOf">): string {
  return logo ? withoutQuotes(logo) : `${base}${streamLinks(id).thumbnail}?${LOGO_OF}=${logoOf}`;
}

/**
 * The channels as a playlist, in their order.
 * @param base what every address begins with, since all are absolute: the service's public origin, and behind it the
 * prefix of an access token if the client has one.
 */
export function playlist(channels: readonly Channel[], base: string, format: ChannelFormat = "hls"): string {
  const guide = base + GUIDE_PATH;
  const lines = [`#EXTM3U x-tvg-url="${guide}" url-tvg="${guide}"`];
  for (const channel of channels) {
    const { id, name, group, number } = channel;
    const shown = withoutQuotes(name) || id;
    const attributes = {
      "tvg-id": id,
      "tvg-name": attributeText(shown),
      "tvg-chno": number,
      "channel-number": number,
      "tvg-logo": logoUrl(base, channel).replaceAll(",", "%2C"),
      "group-title": listedGroup(group),
      ...catchupAttributes(channel, base.replaceAll(",", "%2C")),
    };
    const listed = Object.entries(attributes).map(([key, text]) => `${key}="${text}"`).join(" ");
    const { feed, transport } = streamLinks(id);
    lines.push(`#EXTINF:-1 ${listed},${nameBehindComma(shown)}`, base + (format === "ts" ? transport : feed));
  }
  return lines.join("\n") + "\n";
}
