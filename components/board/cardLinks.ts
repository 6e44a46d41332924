import { streamLinks } from "../../lib/streams/links.ts";
import type { PublicStream } from "../../lib/streams/schema.ts";
import { rtmpApplication } from "../../lib/streams/segments.ts";
import type { CardPrefs } from "../prefs/prefs.ts";

/** Where the buttons of a card lead. */
export interface CardLinks {
  play: string;
  html: string;
  vnc: string;
  log: string;
  /** Attributes of every link of the card. */
  target: { target?: "_blank"; rel?: "noopener" };
}

/** In Pure mode a card opens the feed itself and the player without anything around it. */
export function cardLinks(id: string, { pureMode, openNewTab }: Required<CardPrefs>): CardLinks {
  const { feed, player, minimalPlayer, tvPlayer, vnc, log } = streamLinks(id);
  return {
    play: pureMode ? feed : player,
    html: pureMode ? minimalPlayer : tvPlayer,
    vnc,
    log,
    target: openNewTab ? { target: "_blank", rel: "noopener" } : {},
  };
}

export interface Address {
  /** As in "Copy HLS address". */
  label: string;
  text: string;
}

/**
 * The addresses other programs take. The media server takes RTMP viewers on its own machine only
 * (templates/rtmp_application.conf).
 * @param origin such as "http://wall.example.org:3000"
 */
export function addressesOf(
  stream: { id: string } & Pick<PublicStream, "gop" | "fps">,
  origin: string,
  rtmpPort: number,
): Address[] {
  const { id } = stream;
  const links = streamLinks(id);
  return [
    { label: "HLS address", text: origin + links.feed },
    { label: "player address", text: origin + links.player },
    {
      label: "RTMP address (this server only)",
      text: `rtmp://127.0.0.1:${rtmpPort}/${rtmpApplication(stream)}/${id}`,
    },
  ];
}
