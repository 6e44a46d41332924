/** The addresses of one stream below the service's origin: its pages, its feed and its thumbnail. Pure. */
import { timeText } from "./past.ts";

/** The addresses of a stream's media player, browser pages and API. */
export interface StreamLinks {
  /** The HLS playlist. */
  feed: string;
  /** The HLS playlist of what it showed before, without the query that says when. */
  pastList: string;
  /** The channel as one MPEG transport stream. */
  transport: string;
  /** The page around the TV player, which reloads it when the viewer wants that. */
  player: string;
  /** The TV player itself, with buttons and all channels. */
  tvPlayer: string;
  /** The player with nothing around it. */
  minimalPlayer: string;
  vnc: string;
  /** The stream's own page: its state with advice, its last day, its events and logs. */
  stream: string;
  log: string;
  thumbnail: string;
}

/** The addresses of the stream with this id. */
export function streamLinks(id: string): StreamLinks {
  const encoded = encodeURIComponent(id);
  return {
    feed: `/api/hls/live/${encoded}/index.m3u8`,
    pastList: `/api/streams/${encoded}/rewind/index.m3u8`,
    transport: `/api/ts/${encoded}`,
    player: `/player/${encoded}`,
    tvPlayer: `/static/${encoded}`,
    minimalPlayer: `/player/${encoded}.html`,
    vnc: `/vnc/${encoded}`,
    stream: `/streams/${encoded}`,
    log: `/streams/${encoded}/log`,
    thumbnail: `/api/streams/${encoded}/thumb`,
  };
}

/** The page of a stream's past. @param at the moment that it opens, in Unix s; absent: the newest. */
export function rewindLink(id: string, at?: number): string {
  const page = `${streamLinks(id).stream}/rewind`;
  return at === undefined ? page : `${page}?at=${timeText(at)}`;
}

/** The page of a wall's past. @param at as above. */
export function wallRewindLink(layout: string, at?: number): string {
  const page = `/wall/rewind?layout=${encodeURIComponent(layout)}`;
  return at === undefined ? page : `${page}&at=${timeText(at)}`;
}
