/** The streams as an IPTV app sees them: numbered channels. Pure. */
import { badInput } from "../errors.ts";
import { isSameGroup } from "../streams/group.ts";
import type { PublicStream } from "../streams/schema.ts";

export interface Channel {
  id: string;
  name: string;
  /** "" without one. */
  group: string;
  /** The position among all cards, from 1: a filter changes no channel's number. */
  number: number;
  /** Host and port of the page that is shown; "" if it has none. Its path and query may hold secrets. */
  pageHost: string;
  isOn: boolean;
  /** It runs only while somebody watches. */
  isOnDemand: boolean;
}

/** @param streams all of them, in card order. */
export function channelsOf(streams: readonly PublicStream[]): Channel[] {
  return streams.map(({ id, name, group, url, desiredState, onDemand }, position) => ({
    id,
    name,
    group,
    number: position + 1,
    pageHost: hostOf(url),
    isOn: desiredState === "running",
    isOnDemand: onDemand,
  }));
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return "";
  }
}

const FLAGS: Record<string, boolean> = { "": false, "0": false, "false": false, "1": true, "true": true };

/**
 * The channels that `?group=` (whatever its case) and `?running=1` ask for; an empty value filters nothing.
 * @throws {ServiceError} 400 when `running` is neither 0 nor 1.
 */
export function chosenChannels(channels: readonly Channel[], query: URLSearchParams): Channel[] {
  const group = (query.get("group") ?? "").trim();
  const running = (query.get("running") ?? "").toLowerCase();
  if (!Object.hasOwn(FLAGS, running)) {
    throw badInput({ running: "running is 1 (without the stopped streams) or 0. Example: ?running=1" });
  }
  return channels.filter((channel) =>
    (group === "" || isSameGroup(channel.group, group)) && (!FLAGS[running] || channel.isOn)
  );
}
