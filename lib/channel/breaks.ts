/**
 * EXT-X-DISCONTINUITY-SEQUENCE, which nginx-rtmp does not write. RFC 8216 section 6.2.2 asks for it: a player that
 * polls sees a break in the timeline leave the list, and has to know that the segments left are still behind it.
 */
import type { StreamId } from "../model/id.ts";
import { numbersOf, SEQUENCE } from "./media/hls.ts";
import type { EntriesFile } from "../store/entries_file.ts";

/** The last list, as far as the next one follows from it. */
export interface SeenPlaylist {
  /** Media sequence number of the first segment. */
  first: number;
  /** Of the first segment after the list; null when it is not known how much of the channel went by unseen. */
  next: number | null;
  /** The list's EXT-X-DISCONTINUITY-SEQUENCE. */
  discontinuity: number;
  /** Media sequence numbers of the segments that have an EXT-X-DISCONTINUITY. */
  breaks: number[];
}

const DISCONTINUITY = /^#EXT-X-DISCONTINUITY-SEQUENCE:(\d+)\r?$/m;

/** Of the media sequence, which counts seconds. */
const DAY_SECONDS = 86_400;

/**
 * A list's discontinuity sequence: the earlier one's and a number more for each break that left the list since. Who
 * begins takes the days of the media sequence, so that a file that was lost seldom takes the number back. It has to be
 * small: with each playlist, hls.js 1.7 looks at every number below it (`initPTS.some`, of a sparse array).
 */
function discontinuityOf(first: number, next: number, breaks: number[], before: SeenPlaylist | null): number {
  if (before === null) return Math.floor(first / DAY_SECONDS);
  if (next < before.first) return before.discontinuity + before.breaks.length + 1;
  // an older list that was overtaken by a newer one
  if (first < before.first) return before.discontinuity - breaks.filter((at) => at < before.first).length;
  const left = before.breaks.filter((at) => at < first).length;
  // nobody asked for so long that a whole list went by: whether there was a break is unknown, and one too many harms
  // nobody, since no segment is listed any more that had another number
  const isUnseen = before.next !== null && first > before.next;
  return before.discontinuity + left + (isUnseen ? 1 : 0);
}

/** The playlist with its EXT-X-DISCONTINUITY-SEQUENCE, and what to remember for the next one. */
export function withDiscontinuitySequence(
  playlist: string,
  before: SeenPlaylist | null,
): { playlist: string; listed: SeenPlaylist | null } {
  const numbers = numbersOf(playlist);
  if (numbers === null) return { playlist, listed: before };
  const { first, next, breaks } = numbers;
  const discontinuity = discontinuityOf(first, next, breaks, before);
  const isOlder = before !== null && first < before.first && next >= before.first;
  return {
    playlist: playlist.replace(SEQUENCE, (line) => `${line}\n#EXT-X-DISCONTINUITY-SEQUENCE:${discontinuity}`),
    listed: isOlder ? before : { first, next, discontinuity, breaks },
  };
}

/** A channel's breaks, over restarts of the web app and of the service, which viewers outlive. */
export class Breaks {
  readonly #id: StreamId;
  readonly #file: EntriesFile<SeenPlaylist>;
  #seen: SeenPlaylist | null;

  /** Goes on with the file's numbers. */
  constructor(id: StreamId, file: EntriesFile<SeenPlaylist>) {
    this.#id = id;
    this.#file = file;
    const kept = file.get(id);
    // the file is as old as the last break, so it does not tell which segments came after it
    this.#seen = kept ? { ...kept, next: null } : null;
  }

  /** The channel's playlist as viewers get it. @param playlist as the media server wrote it. */
  numbered(playlist: string): string {
    const before = this.#seen;
    const { playlist: numbered, listed } = withDiscontinuitySequence(playlist, before);
    this.#seen = listed;
    if (listed !== null && listed !== before && hasNewBreaks(listed, before)) {
      this.#keep(listed);
    }
    return numbered;
  }

  /** The channel goes on from a list that another node has numbered. */
  goOn(playlist: string): void {
    const numbers = numbersOf(playlist);
    const discontinuity = DISCONTINUITY.exec(playlist)?.[1];
    if (!numbers || discontinuity === undefined) return;
    this.#seen = { ...numbers, discontinuity: Number(discontinuity) };
    this.#keep(this.#seen);
  }

  /** The first number after all segments of the channel that were listed, as far as it is known. */
  get next(): number {
    return this.#seen ? this.#seen.next ?? this.#seen.first : 0;
  }

  /** Forgets the numbers: the channel's stream was removed. */
  clear(): void {
    this.#seen = null;
    if (this.#file.delete(this.#id)) void this.#file.save();
  }

  #keep(seen: SeenPlaylist): void {
    this.#file.set(this.#id, seen);
    void this.#file.save();
  }
}

/** Whether a list says something that the earlier one does not lead to by itself. */
function hasNewBreaks(listed: SeenPlaylist, before: SeenPlaylist | null): boolean {
  return listed.discontinuity !== before?.discontinuity || String(listed.breaks) !== String(before.breaks);
}
