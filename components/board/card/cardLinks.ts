import { streamLinks } from "../../../lib/model/links.ts";
import type { CardPrefs } from "../../prefs/prefs.ts";

/** The addresses of a card's buttons. */
export interface CardLinks {
  play: string;
  html: string;
  vnc: string;
  /** The page about the stream. */
  stream: string;
  log: string;
  /** Attributes of every link of the card. */
  target: { target?: "_blank"; rel?: "noopener" };
}

/** In Pure mode a card opens the feed itself, and the player without a frame around it. */
export function cardLinks(id: string, { pureMode, openNewTab }: Required<CardPrefs>): CardLinks {
  const { feed, player, minimalPlayer, tvPlayer, vnc, stream, log } = streamLinks(id);
  return {
    play: pureMode ? feed : player,
    html: pureMode ? minimalPlayer : tvPlayer,
    vnc,
    stream,
    log,
    target: openNewTab ? { target: "_blank", rel: "noopener" } : {},
  };
}
