/** The addresses of a stream that people give away. Pure. */
import { streamLinks } from "../../lib/model/links.ts";
import type { PublicStream } from "../../lib/model/schema.ts";
import { rtmpApplication } from "../../lib/model/segments.ts";

export type ShareKind = "player" | "tv" | "minimal" | "feed" | "vnc" | "rtmp" | "page";

export interface ShareAddress {
  label: string;
  /** The address's purpose. */
  hint: string;
  url: string;
  /** Whether a browser can open the address. */
  isPage: boolean;
}

/**
 * Each address with its purpose. The media server takes RTMP viewers on its own machine only, and none with a login
 * (lib/channel/media/access.ts).
 * @param origin such as "http://wall.example.org:3000" @param rtmpPort null with a login
 */
export function shareAddresses(
  stream: Pick<PublicStream, "id" | "url" | "gop" | "fps">,
  origin: string,
  rtmpPort: number | null,
): Partial<Record<ShareKind, ShareAddress>> {
  const { id, url } = stream;
  const links = streamLinks(id);
  return {
    player: {
      label: "Player page",
      hint: "For browsers: the channel fills the window and comes back by itself after an outage.",
      url: origin + links.player,
      isPage: true,
    },
    tv: {
      label: "TV player",
      hint: "For a TV's browser: all channels, controlled by the keys of a remote control.",
      url: origin + links.tvPlayer,
      isPage: true,
    },
    minimal: {
      label: "Minimal player",
      hint: "The picture alone, for a kiosk or a frame in another page.",
      url: origin + links.minimalPlayer,
      isPage: true,
    },
    feed: {
      label: "HLS feed (.m3u8)",
      hint: "For VLC, IPTV apps and other players. The playlist has all channels.",
      url: origin + links.feed,
      isPage: true,
    },
    vnc: {
      label: "Remote control (VNC)",
      hint: "The stream's own browser. Anyone who opens it can click and type there.",
      url: origin + links.vnc,
      isPage: true,
    },
    ...(rtmpPort === null ? {} : {
      rtmp: {
        label: "RTMP address (this server only)",
        hint: "For programs on the server itself that need the encoder's own video.",
        url: `rtmp://127.0.0.1:${rtmpPort}/${rtmpApplication(stream)}/${id}`,
        isPage: false,
      },
    }),
    page: {
      label: "The page itself",
      hint: "The web page that the stream shows.",
      url,
      isPage: true,
    },
  };
}
