/** How many pictures a second a channel really has: counted in its newest segment. */
import type { StreamId } from "../model/id.ts";
import type { HlsAnswer } from "./hls_cache.ts";
import { forEachPacket, isVideoPes, pesHeaderAt } from "./transport_packets.ts";

/** The newest segment of a playlist; null if it lists none. */
export function newestSegment(playlist: string): { name: string; seconds: number } | null {
  const lines = playlist.split("\n").map((line) => line.trim());
  const at = lines.findLastIndex((line) => line !== "" && !line.startsWith("#"));
  const seconds = Number(/^#EXTINF:([\d.]+)/.exec(lines[at - 1] ?? "")?.[1]);
  return at > 0 && seconds > 0 ? { name: lines[at], seconds } : null;
}

/** The pictures of a segment with one video: each begins a PES. Null when it is no MPEG-TS. */
export function countPictures(segment: Uint8Array): number | null {
  let pictures = 0;
  try {
    forEachPacket(segment, (packet) => {
      const at = pesHeaderAt(packet);
      if (at !== null && isVideoPes(packet, at)) pictures++;
    });
  } catch {
    return null;
  }
  return pictures;
}

/** Pictures a second of a channel's newest segment, to a whole one; null while there is none. */
export async function pictureRate(
  files: { get(path: string): Promise<HlsAnswer> },
  id: StreamId,
): Promise<number | null> {
  const playlist = await files.get(`/live/${id}/index.m3u8`);
  const newest = playlist.kind === "file" ? newestSegment(playlist.file.text ?? "") : null;
  if (newest === null) return null;
  const segment = await files.get(`/live/${id}/${newest.name}`);
  const pictures = segment.kind === "file" ? countPictures(segment.file.bytes) : null;
  return pictures === null ? null : Math.round(pictures / newest.seconds);
}
