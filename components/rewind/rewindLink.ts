import { timeText } from "../../lib/model/past.ts";
import { streamLinks } from "../../lib/model/links.ts";

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
