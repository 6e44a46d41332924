/** The HLS files of a stream on the media server's tmpfs. */
import { join } from "node:path";
import { upstreamPath } from "../../door/proxy.ts";
import { isStreamId, type StreamId } from "../../model/id.ts";
import { firstSequence } from "../../model/segments.ts";
import { openRegular, shortText } from "../../machine/os/regular_file.ts";

/** A playlist or a segment, as clients get it. */
export interface HlsFile {
  type: string | null;
  /** A strong one, quoted. A playlist has none: nginx makes it of second and size, which two may share. */
  etag: string | null;
  bytes: Uint8Array<ArrayBuffer>;
  /** Of a playlist. */
  text: string | null;
}

/** A playlist with another text. */
export function withText(file: HlsFile, text: string): HlsFile {
  return { ...file, text, bytes: new TextEncoder().encode(text) };
}

/** The media server's path of a channel's playlist or segment; null for anything else. */
export function hlsPath(rawPath: string): string | null {
  const path = upstreamPath(rawPath);
  return path !== null && /^\/live\/.+\.(m3u8|ts)$/.test(path) ? path : null;
}

/** Whether the path is a playlist's, with a query or without; all others are segments'. */
export function isPlaylist(path: string): boolean {
  return /\.m3u8(?:\?|$)/.test(path);
}

/** The folder of a channel's playlist and segments. */
export function channelDir(hlsDir: string, id: StreamId): string {
  return join(hlsDir, "live", id);
}

/** The path of a channel's playlist. */
export function playlistFile(hlsDir: string, id: StreamId): string {
  return join(channelDir(hlsDir, id), "index.m3u8");
}

/** The channel whose playlist has this path below the media server's root; null if it is no playlist's path. */
export function channelOf(path: string): StreamId | null {
  const id = /^\/live\/([^/]+)\/index\.m3u8$/.exec(path)?.[1];
  return id !== undefined && isStreamId(id) ? id : null;
}

/** The channel that a file with this path below the media server's root belongs to: its playlist, or one of its segments. */
export function channelOfFile(path: string): StreamId | null {
  const id = /^\/live\/([^/]+)\/[^/]+$/.exec(path)?.[1];
  return id !== undefined && isStreamId(id) ? id : null;
}

/** Unix ms of a segment's begin: the media server names it by that. NaN for other names. */
export const segmentTime = (name: string) => Number(/^(?:[\w-]*-)?(\d{10,15})\.ts$/.exec(name)?.[1] ?? NaN);

/** An empty playlist for the media server to go on from. */
export function seedPlaylist(now: number, target = 1, least = 0): string {
  return `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-MEDIA-SEQUENCE:${
    Math.max(firstSequence(now), least)
  }\n#EXT-X-TARGETDURATION:${target}\n`;
}

/** A playlist of this size has no segment yet: players do better with "not found" than with an empty list. */
export const SEED_BYTES = seedPlaylist(Date.UTC(2030, 0, 1)).length + 2;

/** The media server's cleaner, which goes by a file's time, leaves a seed alone for so long. */
const SEED_SECONDS = 60;

/**
 * Leaves a playlist for the media server if there is none. It refuses an encoder without one (templates/nginx.conf),
 * since it would number from 0: its cleaner may come between. Not asynchronous: it is done as the media server's user.
 */
export function seedSequence(
  hlsDir: string,
  id: StreamId,
  now = Date.now(),
  target?: number,
  least?: number,
): void {
  Deno.mkdirSync(channelDir(hlsDir, id), { recursive: true });
  const file = playlistFile(hlsDir, id);
  try {
    Deno.writeTextFileSync(file, seedPlaylist(now, target, least), { createNew: true });
    const cleanable = now / 1000 + SEED_SECONDS;
    Deno.utimeSync(file, cleanable, cleanable);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}

/** The line of the first segment's media sequence number. */
export const SEQUENCE = /^#EXT-X-MEDIA-SEQUENCE:(\d+)\r?$/m;

/** The list's numbers; null if it has no media sequence or no segment. */
export function numbersOf(playlist: string): { first: number; next: number; breaks: number[] } | null {
  const first = Number(SEQUENCE.exec(playlist)?.[1] ?? NaN);
  let next = first;
  const breaks: number[] = [];
  for (const line of playlist.split("\n")) {
    const text = line.trim();
    if (text === "#EXT-X-DISCONTINUITY") breaks.push(next);
    else if (text !== "" && !text.startsWith("#")) next++;
  }
  return next > first ? { first, next, breaks } : null;
}

/** Bytes: many times the longest playlist. */
const MAX_PLAYLIST = 256 * 1024;

/**
 * The media sequence number of a channel's next segment, as its playlist has it; null: there is none with a segment. The
 * media server's user may put a pipe or a link there, which would hold all of us up.
 */
export function nextSequence(hlsDir: string, id: StreamId): number | null {
  try {
    using file = openRegular(playlistFile(hlsDir, id));
    const text = file && shortText(file, MAX_PLAYLIST);
    return text === null ? null : numbersOf(text)?.next ?? null;
  } catch {
    return null;
  }
}

/** When a channel's playlist was last written, Unix ms of the file; null: there is none with a segment. */
export function playlistTime(hlsDir: string, id: StreamId): number | null {
  try {
    const { mtime, size } = Deno.statSync(playlistFile(hlsDir, id));
    return mtime && size > SEED_BYTES ? mtime.getTime() : null;
  } catch {
    return null;
  }
}
