/** The channels that this viewer may see, as /api/channels lists them. */
import { fetchText } from "./fetch_text.ts";
import type { StreamState } from "./stream_state.ts";

const LIMIT_MS = 5000;

export interface Channel {
  number: number;
  id: string;
  name: string;
  /** The address of a picture. */
  logo?: string;
  state: StreamState;
  /** It runs only while somebody watches, which the service alone sees: never straight from the media server. */
  onDemand?: boolean;
}

export interface ChannelList {
  channels: Channel[];
  /** The Date header: when they were. */
  date: string | null;
}

/** Null when they cannot be told now. @param url address of the list. */
export async function fetchChannels(url: string): Promise<ChannelList | null> {
  try {
    const { status, text, date } = await fetchText(url, LIMIT_MS);
    return status === 200 ? { channels: JSON.parse(text), date } : null;
  } catch (_) {
    return null;
  }
}

/** Whether there is something to play, or will be soon. */
export function isOn({ state }: Channel): boolean {
  return !/^(stopped|planned|failed)$/.test(state);
}

/** The next channel that is on, by number, and after the last one the first; null when no other is. */
export function neighbour(channels: readonly Channel[], id: string, step: 1 | -1): Channel | null {
  const count = channels.length;
  let at = positionOf(channels, id);
  // the current one may have been deleted
  if (at < 0 && step < 0) at = 0;
  for (let tried = 1; tried <= count; tried++) {
    const channel = channels[(at + step * tried + count * 2) % count];
    if (channel.id !== id && isOn(channel)) return channel;
  }
  return null;
}

/** -1 when it is not among them. */
export function positionOf(channels: readonly Channel[], id: string): number {
  return channels.map((channel) => channel.id).indexOf(id);
}

/** The path of another stream's transport stream, made of one's. */
export function transportOf(path: string, id: string): string {
  return path.replace(/[^/]+$/, encodeURIComponent(id));
}

/** The address of another stream's feed, made of one's. */
export function feedOf(url: string, id: string): string {
  return url.replace(/[^/]+(?=\/index\.m3u8$)/, encodeURIComponent(id));
}
