/**
 * Blocking reloads of playlists (HLS 2nd edition, draft-pantos-hls-rfc8216bis, 6.2.5.2): a player that asks for a segment
 * which is not there yet gets its answer as soon as it is, and not at its next look. Only players that say so get it.
 */
import type { StreamId } from "../model/id.ts";
import { lastSequence } from "../model/segments.ts";
import { sleep } from "../system/time.ts";

/** The query by which a player asks for playlists that it can wait for. */
export const WAITS = "wait";
/** The query's name of the segment. */
export const SEGMENT = "_HLS_msn";

/** Milliseconds between two looks at the file's time, which costs some microseconds: it is in memory. */
const LOOK_MS = 30;
/** Milliseconds that an answer is held at most: three of the longest segments would be longer than proxies wait. */
const MOST_MS = 6000;

/** The segment that a player waits for, a media sequence number; null: it waits for none. */
export function awaitedSegment(query: URLSearchParams): number | null {
  const text = query.get(SEGMENT) ?? "";
  return query.has(WAITS) && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

const WORD = "\n#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES";

/** The playlist with the word that players may wait for its next segment. */
export function withWaiting(playlist: string): string {
  return playlist.replace(/^#EXTM3U.*$/m, `$&${WORD}`);
}

export function withoutWaiting(playlist: string): string {
  return playlist.replace(WORD, "");
}

export class PlaylistWait {
  #writtenAt: (id: StreamId) => number | null;
  #elapsed: () => number;
  /** The next look at each playlist that somebody waits for: one for all of them. */
  #looks = new Map<string, Promise<number | null>>();

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
    const isOver = () => signal.aborted || this.#elapsed() >= end;
    for (let notBefore = 0;;) {
      const writtenAt = this.#writtenAt(id);
      const answer = await ask(notBefore);
      const text = textOf(answer);
      if (text === null || lastSequence(text) >= segment || isOver()) return answer;
      while (await this.#look(id) === writtenAt) if (isOver()) return answer;
      notBefore = this.#elapsed();
    }
  }

  /** The playlist's time after a moment. */
  #look(id: StreamId): Promise<number | null> {
    const known = this.#looks.get(id);
    if (known) return known;
    const look = sleep(LOOK_MS).then(() => {
      this.#looks.delete(id);
      return this.#writtenAt(id);
    });
    this.#looks.set(id, look);
    return look;
  }
}
