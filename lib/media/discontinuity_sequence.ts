/**
 * EXT-X-DISCONTINUITY-SEQUENCE, which nginx-rtmp does not write. RFC 8216 section 6.2.2 asks for it: a player that
 * polls sees a break in the timeline leave the list, and has to know that the segments left are still behind it.
 */
import { readOrNull, writeFileAtomic } from "../os/files.ts";
import { errorText, log } from "../system/log.ts";

/** What was listed last, as far as it decides what the next list is to say. */
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

const SEQUENCE = /^#EXT-X-MEDIA-SEQUENCE:(\d+)\r?$/m;
const DISCONTINUITY = /^#EXT-X-DISCONTINUITY-SEQUENCE:(\d+)\r?$/m;

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

/** The numbers of all channels, over restarts of the web app and of the service, which viewers outlive. */
export class DiscontinuitySequences {
  readonly #path: string;
  readonly #channels: Map<string, SeenPlaylist>;
  #written: Promise<void> = Promise.resolve();

  private constructor(path: string, channels: Map<string, SeenPlaylist>) {
    this.#path = path;
    this.#channels = channels;
  }

  /** Goes on with what the file remembers of the streams that there are. */
  static async open(path: string, isKnown: (id: string) => boolean): Promise<DiscontinuitySequences> {
    const channels = [...await load(path)].filter(([id]) => isKnown(id));
    return new DiscontinuitySequences(path, new Map(channels));
  }

  /** A channel's playlist as viewers get it. @param playlist as the media server wrote it. */
  numbered(id: string, playlist: string): string {
    const before = this.#channels.get(id) ?? null;
    const { playlist: numbered, listed } = withDiscontinuitySequence(playlist, before);
    if (listed !== null && listed !== before) {
      this.#channels.set(id, listed);
      if (hasNewBreaks(listed, before)) this.#save();
    }
    return numbered;
  }

  /** A channel goes on from a list that another node has numbered. */
  goOn(id: string, playlist: string): void {
    const numbers = numbersOf(playlist);
    const discontinuity = DISCONTINUITY.exec(playlist)?.[1];
    if (!numbers || discontinuity === undefined) return;
    this.#channels.set(id, { ...numbers, discontinuity: Number(discontinuity) });
    this.#save();
  }

  /** The first number after all segments of the channel that were listed, as far as it is known. */
  next(id: string): number {
    const known = this.#channels.get(id);
    return known ? known.next ?? known.first : 0;
  }

  /** A channel that is no more. */
  forget(id: string): void {
    if (this.#channels.delete(id)) this.#save();
  }

  /** Resolves when all that is to be remembered is in the file. */
  saved(): Promise<void> {
    return this.#written;
  }

  /** Writes one after the other; a list that changes meanwhile is written as it is then. */
  #save(): void {
    this.#written = this.#written
      .then(() => writeFileAtomic(this.#path, JSON.stringify(Object.fromEntries(this.#channels)), 0o600))
      .catch((error) => log("warn", "discontinuity sequences not saved", { error: errorText(error) }));
  }
}

/** Whether a list says something that the earlier one does not lead to by itself. */
function hasNewBreaks(listed: SeenPlaylist, before: SeenPlaylist | null): boolean {
  return listed.discontinuity !== before?.discontinuity || String(listed.breaks) !== String(before.breaks);
}

async function load(path: string): Promise<Map<string, SeenPlaylist>> {
  const text = await readOrNull(path).catch(() => null);
  if (text === null) return new Map();
  try {
    const channels: Record<string, SeenPlaylist> = JSON.parse(text);
    // the file is as old as the last break, so it does not tell which segments came after it
    return new Map(Object.entries(channels).map(([id, listed]) => [id, { ...listed, next: null }]));
  } catch (error) {
    log("warn", "discontinuity sequences not read", { error: errorText(error) });
    return new Map();
  }
}
