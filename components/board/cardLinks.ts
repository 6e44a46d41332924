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
 * The addresses other programs take. The media server takes RTMP viewers on its own machine only,
 * and none with a login (lib/media/access.ts).
 * @param origin such as "http://wall.example.org:3000" @param rtmpPort null with a login
 */
export function addressesOf(
  stream: { id: string } & Pick<PublicStream, "gop" | "fps">,
  origin: string,
  rtmpPort: number | null,
): Address[] {
  const { id } = stream;
  const links = streamLinks(id);
  const addresses = [
    { label: "HLS address", text: origin + links.feed },
    { label: "player address", text: origin + links.player },
  ];
  const rtmp = `rtmp://127.0.0.1:${rtmpPort}/${rtmpApplication(stream)}/${id}`;
  return rtmpPort === null
    ? addresses
    : [...addresses, { label: "RTMP address (this server only)", text: rtmp }];
}
