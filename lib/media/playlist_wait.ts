/**
 * Blocking reloads of playlists (HLS 2nd edition, draft-pantos-hls-rfc8216bis, 6.2.5.2): a player that asks for a segment
 * which is not there yet gets its answer as soon as it is, and not at its next look. Only players that say so get it.
 */
import type { StreamId } from "../model/id.ts";
import { sleep } from "../system/time.ts";
import { playlistFile } from "./hls.ts";

/** The query by which a player asks for playlists that it can wait for. */
export const WAITS = "wait";
const SEGMENT = "_HLS_msn";

/** Milliseconds between two looks at the file's time, which costs some microseconds: it is in memory. */
const LOOK_MS = 30;
/** Milliseconds that an answer is held at most: three of the longest segments would be longer than proxies wait. */
const MOST_MS = 6000;

/** The segment that a player waits for, a media sequence number; null: it waits for none. */
export function awaitedSegment(query: URLSearchParams): number | null {
  const text = query.get(SEGMENT) ?? "";
  return query.has(WAITS) && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** The playlist with the word that players may wait for its next segment. */
export function withWaiting(playlist: string): string {
  return playlist.replace(/^#EXTM3U.*$/m, "$&\n#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES");
}

/** The newest media sequence number of a playlist; -1 without segments. */
export function newestSegment(playlist: string): number {
  const segments = playlist.split("#EXTINF:").length - 1;
  const first = /#EXT-X-MEDIA-SEQUENCE:(\d+)/.exec(playlist);
  return segments === 0 ? -1 : (first ? Number(first[1]) : 0) + segments - 1;
}

export class PlaylistWait {
  #writtenAt: (id: StreamId) => number | null;
  #elapsed: () => number;
  /** The next write of each playlist that somebody waits for. */
  #writes = new Map<string, Promise<void>>();

  /** @param writtenAt a playlist's own time; null: there is none. @param elapsed ms of a steady clock. */
  constructor(writtenAt: (id: StreamId) => number | null, elapsed: () => number) {
    this.#writtenAt = writtenAt;
    this.#elapsed = elapsed;
  }

  /**
   * Asks for a playlist until it has the segment, at most for 6 s, or until the client leaves.
   * @param ask the playlist as it was at that time, ms of the steady clock, or later; null: there is none.
   */
  async until<Answer>(
    id: StreamId,
    segment: number,
    ask: (notBefore: number) => Promise<Answer>,
    textOf: (answer: Answer) => string | null,
    signal: AbortSignal,
  ): Promise<Answer> {
    const end = this.#elapsed() + MOST_MS;
    for (let notBefore = 0;;) {
      const write = this.#nextWrite(id);
      const answer = await ask(notBefore);
      const text = textOf(answer);
      const isOver = text === null || newestSegment(text) >= segment || this.#elapsed() >= end;
      if (isOver || signal.aborted) return answer;
      const left = new AbortController();
      await Promise.race([write, sleep(end - this.#elapsed(), left.signal)]);
      left.abort();
      notBefore = this.#elapsed();
    }
  }

  /** Resolves when the playlist is written next, or its last write was long ago. */
  #nextWrite(id: StreamId): Promise<void> {
    const known = this.#writes.get(id);
    if (known) return known;
    const before = this.#writtenAt(id);
    const write = (async () => {
      for (const end = this.#elapsed() + MOST_MS; this.#elapsed() < end;) {
        await sleep(LOOK_MS);
        if (this.#writtenAt(id) !== before) break;
      }
      this.#writes.delete(id);
    })();
    this.#writes.set(id, write);
    return write;
  }
}

/** The time of a channel's playlist, as the file system has it. */
export function playlistTime(hlsDir: string, id: StreamId): number | null {
  try {
    return Deno.statSync(playlistFile(hlsDir, id)).mtime?.getTime() ?? null;
  } catch {
    return null;
  }
}
