/** The streams as an IPTV app sees them: numbered channels. Pure. */
import { badInput } from "../../errors.ts";
import { hasCatchup } from "./catchup.ts";
import { groupAsked } from "./listed.ts";
import { ownTimeZone } from "../../model/plan/local_time.ts";
import type { StreamId } from "../../model/id.ts";
import { type Page, pagesOf } from "../../model/plan/pages.ts";
import type { PublicStream } from "../../model/schema.ts";
import { Timetable } from "../../model/plan/timetable.ts";

export interface Channel {
  id: string;
  name: string;
  /** "" without one. */
  group: string;
  /** Its own, from 1: neither another card's place nor a filter changes it. */
  number: number;
  /** The address of its logo; "": its thumbnail is the logo. */
  logo: string;
  /** Hosts and ports of the pages that are shown; "" without any. Their paths and queries may hold secrets. */
  pageHosts: string;
  /** What its thumbnail's address as a logo ends with: another one with each picture, as apps never ask for an address again. */
  logoOf: number;
  isOn: boolean;
  /** It runs only while somebody watches. */
  isOnDemand: boolean;
  /** For how many hours apps may show what it showed before (catch-up); 0: they may not. */
  pastHours: number;
  /**
   * What it shows when; null: it has no weekly plan. The guide alone asks, since a plan takes a while to read.
   * @param isPast of what was on before: what a person wants instead of the plan counts from now on.
   */
  timetable(isPast?: boolean): Timetable | null;
}

/** The query by which apps ask for a logo. */
export const LOGO_OF = "logo";

/**
 * @param streams all of them, in card order. @param pictureAt when a stream's thumbnail was taken, Unix ms.
 * @param pastHours for which the past of channels is kept.
 */
export function channelsOf(
  streams: readonly PublicStream[],
  pictureAt: (id: StreamId) => number | undefined = () => undefined,
  pastHours = 0,
): Channel[] {
  const timeZone = ownTimeZone();
  return streams.map((stream) => ({
    id: stream.id,
    name: stream.name,
    group: stream.group,
    number: stream.channelNumber,
    logo: stream.channelLogo,
    pageHosts: hostsOf(pagesOf(stream)),
    logoOf: Math.floor((pictureAt(stream.id) ?? 0) / 1000),
    isOn: stream.desiredState === "running",
    isOnDemand: stream.onDemand,
    pastHours: hasCatchup(stream) ? pastHours : 0,
    timetable(isPast = false) {
      if (stream.plan === "") return null;
      return new Timetable(isPast ? { ...stream, planOverride: undefined } : stream, timeZone);
    },
  }));
}

/** "grafana.local:3000, status.example.org"; each once. */
export function hostsOf(pages: readonly Page[]): string {
  return [...new Set(pages.map(({ url }) => hostOf(url)))].filter(Boolean).join(", ");
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return "";
  }
}

/** What a playlist's channels can be: HLS, or one MPEG transport stream that goes on. */
export type ChannelFormat = "hls" | "ts";

/** The format that `?format=` asks for. @throws {ServiceError} 400 when there is none of that name. */
export function chosenFormat(query: URLSearchParams): ChannelFormat {
  const format = (query.get("format") || "hls").toLowerCase();
  if (format !== "hls" && format !== "ts") {
    throw badInput({ format: "format is hls or ts (MPEG-TS over HTTP). Example: ?format=ts" });
  }
  return format;
}

const FLAGS: Record<string, boolean> = { "": false, "0": false, "false": false, "1": true, "true": true };

/**
 * The channels that `?group=` (whatever its case, and as a list shows it) and `?running=1` ask for; an empty value filters nothing.
 * @throws {ServiceError} 400 when `running` is neither 0 nor 1.
 */
export function chosenChannels(channels: readonly Channel[], query: URLSearchParams): Channel[] {
  const group = (query.get("group") ?? "").trim();
  const running = (query.get("running") ?? "").toLowerCase();
  if (!Object.hasOwn(FLAGS, running)) {
    throw badInput({ running: "running is 1 (without the stopped streams) or 0. Example: ?running=1" });
  }
  const isAsked = group === "" ? () => true : groupAsked(group);
  return channels.filter((channel) => isAsked(channel.group) && (!FLAGS[running] || channel.isOn));
}
