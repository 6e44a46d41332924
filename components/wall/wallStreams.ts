/** The streams of the walls' page, and their relations to walls. */
import { streamLinks } from "../../lib/model/links.ts";
import type { NewAccessToken } from "../client/api.ts";
import type { PublicStream } from "../../lib/model/schema.ts";
import type { Wall } from "../../lib/model/wall/wall.ts";
import { MAX_SIDE, RUNNING_WALL, wallAddress, wallOfAddress } from "../../lib/model/wall/layout.ts";
import { runningWall } from "../../lib/model/wall/view.ts";

export interface WallStream extends Pick<PublicStream, "id" | "name" | "group" | "url"> {
  /** Whether the stream is meant to run. */
  isOn: boolean;
  /** Who may look at its past; absent: operators. */
  rewindFor?: PublicStream["rewindFor"];
  /** When its thumbnail was taken, Unix ms; absent: it has none. */
  thumbAt?: number;
}

/** The wall's channels: the streams that show the wall. */
export function channelsOfWall(id: string, streams: readonly WallStream[]): WallStream[] {
  return streams.filter(({ url }) => wallOfAddress(url) === id);
}

/** The wall of all running streams, which always exists. */
export function wallOfRunning(streams: readonly WallStream[]): Wall {
  const ids = streams.filter(({ isOn, url }) => isOn && wallOfAddress(url) === null).map(({ id }) => id);
  return { id: RUNNING_WALL, name: "All running streams", showNames: true, revision: 0, ...runningWall(ids) };
}

/** The address of a stream's last thumbnail; null: it has none. */
export function wallThumbnail({ id, thumbAt }: Pick<WallStream, "id" | "thumbAt">): string | null {
  return thumbAt === undefined ? null : `${streamLinks(id).thumbnail}?at=${thumbAt}`;
}

/**
 * The access token of a wall's address: it opens the streams on the wall now; the token of the wall of all running streams
 * opens all. null: the wall is empty.
 */
export function accessOfWall({ id, name, slots }: Wall): Record<string, unknown> | null {
  const named = { name: `Wall ${name}`.slice(0, 60) };
  if (id === RUNNING_WALL) return named;
  const streams = [...new Set(slots.flatMap(({ stream }) => stream ?? []))];
  return streams.length === 0 ? null : { ...named, streams };
}

/** What every address of a new access token begins with. */
export function baseOfAccess({ playlist }: Pick<NewAccessToken, "playlist">): string {
  return playlist.slice(0, playlist.lastIndexOf("/playlist.m3u"));
}

/** Whether viewers may look at the past of a stream on the wall. */
export function hasPastForViewers({ slots }: Pick<Wall, "slots">, streams: readonly WallStream[]): boolean {
  return streams.some(({ id, rewindFor }) =>
    rewindFor === "viewers" && slots.some(({ stream }) => stream === id)
  );
}

/** The cost of a wall's channel, in words: measured with four slots, which took as much as two or three moving pages. */
export function channelCost({ slots }: Pick<Wall, "slots">): string {
  const count = slots.filter(({ stream }) => stream !== null).length;
  if (count < 2) return "Its browser plays the wall on the server, as a page with a video.";
  const pages = Math.ceil(count * 0.6);
  return `Its browser plays all ${count} pictures on the server. That takes as much as ${pages} streams whose pages move.`;
}

export function wallPage(id: string): string {
  return `/wall?layout=${encodeURIComponent(id)}`;
}

/**
 * The settings of a new stream whose page is a wall. The stream decodes and draws every slot on the server, so it
 * starts small; people whose server has the processor for more raise size and rate in the form.
 */
export function channelOfWall({ id, name }: Pick<Wall, "id" | "name">): Record<string, unknown> {
  return {
    name,
    url: wallAddress(id),
    resolution: "1280x720",
    scale: "1280x720",
    fps: 10,
    bitrate: "2500k",
    bufsize: "5000k",
    // all slots are muted, and each slot decodes a channel
    audio: false,
    memoryLimitMb: 3000,
  };
}

/** "2 × 3, 5 streams: Clock, News and 3 more" */
export function wallText({ rows, columns, slots }: Wall, streams: readonly WallStream[]): string {
  const names = slots.flatMap(({ stream }) => {
    return stream === null ? [] : streams.find(({ id }) => id === stream)?.name ?? `${stream} (deleted)`;
  });
  const size = `${rows} × ${columns}`;
  if (names.length === 0) return `${size}, empty`;
  const shown = names.slice(0, 3).join(", ");
  const more = names.length > 3 ? ` and ${names.length - 3} more` : "";
  return `${size}: ${shown}${more}`;
}

/** The groups of all streams in order, without the empty group. */
export function groupsOfStreams(streams: readonly WallStream[]): string[] {
  return [...new Set(streams.map(({ group }) => group.trim()))].filter(Boolean).sort((a, b) =>
    a.localeCompare(b)
  );
}

/** The numbers of rows or columns that a wall may have, from 1. */
export const SIDES = Array.from({ length: MAX_SIDE }, (_, at) => String(at + 1));
