/**
 * Blocking reloads of playlists (HLS 2nd edition, draft-pantos-hls-rfc8216bis, 6.2.5.2): a player that asks for a segment
 * which is not there yet gets its answer as soon as it is, and not at its next look. Only players that say so get it.
 */
import { lastSequence } from "../model/segments.ts";
import { sleep } from "../machine/tools/time.ts";
import type { HlsAnswer } from "./hls_cache.ts";
import { withText } from "./media/hls.ts";

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

/** The answer with the word that players may wait; other answers stay. */
export function waitable(answer: HlsAnswer): HlsAnswer {
  if (answer.kind !== "file" || answer.file.text === null) return answer;
  return { kind: "file", file: withText(answer.file, withWaiting(answer.file.text)) };
}

/** Waits for the segments of one channel. */
export class PlaylistWait {
  #writtenAt: () => number | null;
  #elapsed: () => number;
  /** The next look at the playlist: one for all who wait; null: nobody does. */
  #next: Promise<number | null> | null = null;

  /** @param writtenAt the playlist's own time; null: there is none. @param elapsed ms of a steady clock. */
  constructor(writtenAt: () => number | null, elapsed: () => number) {
    this.#writtenAt = writtenAt;
    this.#elapsed = elapsed;
  }

  /**
   * Asks for the playlist until it has the segment, at most for 6 s, or until the client leaves.
   * @param ask the playlist as it was at that time, ms of the steady clock, or later; null: there is none.
   */
  async until<Answer>(
    segment: number,
    ask: (notBefore: number) => Promise<Answer>,
    textOf: (answer: Answer) => string | null,
    signal: AbortSignal,
  ): Promise<Answer> {
    const end = this.#elapsed() + MOST_MS;
    const isOver = () => signal.aborted || this.#elapsed() >= end;
    for (let notBefore = 0;;) {
      const writtenAt = this.#writtenAt();
      const answer = await ask(notBefore);
      const text = textOf(answer);
      if (text === null || lastSequence(text) >= segment || isOver()) return answer;
      while (await this.#look() === writtenAt) if (isOver()) return answer;
      notBefore = this.#elapsed();
    }
  }

  /** The playlist's time after a moment. */
  #look(): Promise<number | null> {
    return this.#next ??= sleep(LOOK_MS).then(() => {
      this.#next = null;
      return this.#writtenAt();
    });
  }
}
