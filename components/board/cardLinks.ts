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

const feedOf = (id: string) => `/api/hls/live/${id}/index.m3u8`;

/** In Pure mode a card opens the feed itself and the player without anything around it. */
export function cardLinks(id: string, { pureMode, openNewTab }: Required<CardPrefs>): CardLinks {
  return {
    play: pureMode ? feedOf(id) : `/player/${id}`,
    html: pureMode ? `/player/${id}.html` : `/static/${id}`,
    vnc: `/vnc/${id}`,
    log: `/streams/${id}/log`,
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
 * (templates/nginx.conf).
 * @param origin such as "http://wall.example.org:3000"
 */
export function addressesOf(id: string, origin: string, rtmpPort: number): Address[] {
  return [
    { label: "HLS address", text: origin + feedOf(id) },
    { label: "player address", text: `${origin}/player/${id}` },
    { label: "RTMP address (this server only)", text: `rtmp://127.0.0.1:${rtmpPort}/live/${id}` },
  ];
}
