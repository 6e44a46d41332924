/** The streams of the walls' page, and their relations to walls. */
import type { PublicStream } from "../../lib/model/schema.ts";
import type { Wall } from "../../lib/model/wall/wall.ts";
import { MAX_SIDE, RUNNING_WALL, wallAddress, wallOfAddress } from "../../lib/model/wall/layout.ts";
import { runningWall } from "../../lib/model/wall/view.ts";

export interface WallStream extends Pick<PublicStream, "id" | "name" | "group" | "url"> {
  /** Whether the stream is meant to run. */
  isOn: boolean;
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

export function wallPage(id: string): string {
  return `/wall?layout=${encodeURIComponent(id)}`;
}

/**
 * The settings of a new stream whose page is a wall. The stream decodes and draws every slot on the server, so it
 * starts small; people whose server has the processor for more raise size and rate in the form.
 */
export function channelOfWall({ id, name }: Pick<Wall, "id" | "name">): Record<string, unknown> {
  return {
    ...{ name, url: wallAddress(id) },
    ...{ resolution: "1280x720", scale: "1280x720", fps: 10, bitrate: "2500k", bufsize: "5000k" },
    // all slots are muted, and each slot decodes a channel
    ...{ audio: false, memoryLimitMb: 3000 },
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
