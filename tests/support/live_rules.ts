/**
 * The rules a live playlist keeps from one version to the next: RFC 8216 section 6.2, and the field's own
 * (docs/iptv.md). Pure: it is told the versions and the times they were seen at. Ours, since the field's readers (hls-parser,
 * hls.js, FFmpeg) look at each version alone, and Apple's mediastreamvalidator runs on no Linux.
 */
import { type MediaPlaylist, parseMediaPlaylist, type Segment } from "./media_playlist.ts";

/** Segments that are listed at least, once the channel has been on for so long. */
const FEWEST = 6;
/** Milliseconds by which a date that follows from durations may differ from another: those of the list are rounded. */
const DATE_MS = 20;
/** Target durations that a list lasts at least, so that players may stay three behind (6.2.2, 6.3.3). */
const LEAST_DURATIONS = 3;

export interface Update {
  /** Milliseconds. */
  at: number;
  added: Segment[];
  removed: Segment[];
}

export class LiveRules {
  /** What was broken, in words. */
  readonly problems: string[] = [];
  /** Every version that brought new segments. */
  readonly updates: Update[] = [];
  #last: MediaPlaylist | null = null;
  #firstSequence = NaN;
  readonly #sequences = new Map<string, number>();

  /** The newest version; null before the first. */
  get newest(): MediaPlaylist | null {
    return this.#last;
  }

  /** Takes a version of the playlist; says what is new, or null if nothing is. */
  add(file: Uint8Array | string, at: number): Update | null {
    let next: MediaPlaylist;
    try {
      next = parseMediaPlaylist(file);
    } catch (error) {
      this.#problem(error instanceof Error ? error.message : String(error));
      return null;
    }
    const before = this.#last;
    this.#last = next;
    this.#checkUris(next);
    this.#checkLength(next);
    if (before === null) return this.#update(at, next.segments, []);

    if (next.targetDuration !== before.targetDuration) {
      this.#problem(
        `the target duration went from ${before.targetDuration} to ${next.targetDuration} (6.2.1)`,
      );
    }
    if (next.version !== before.version) this.#problem(`version ${before.version} became ${next.version}`);
    if (next.sequence < before.sequence) {
      this.#problem(`the media sequence went back from ${before.sequence} to ${next.sequence} (6.2.2)`);
    }
    if (next.discontinuitySequence < before.discontinuitySequence) {
      this.#problem(
        `the discontinuity sequence went back from ${before.discontinuitySequence} to ` +
          `${next.discontinuitySequence} (6.2.2)`,
      );
    }
    const end = before.sequence + before.segments.length;
    if (next.sequence > end) {
      this.#problem(`segments ${end} to ${next.sequence - 1} were never listed: the list jumped`);
    }
    if (next.sequence + next.segments.length < end) {
      this.#problem(`segment ${end - 1} was taken from the list's end (6.2.1)`);
    }
    this.#checkUnchanged(before, next);
    const removed = before.segments.filter(({ sequence }) => sequence < next.sequence);
    const added = next.segments.filter(({ sequence }) => sequence >= end);
    if (added.length === 0 && removed.length === 0) return null;
    return this.#update(at, added, removed);
  }

  #problem(text: string): void {
    if (!this.problems.includes(text)) this.problems.push(text);
  }

  #update(at: number, added: Segment[], removed: Segment[]): Update {
    const update = { at, added, removed };
    if (added.length > 0) this.updates.push(update);
    return update;
  }

  /** Segments that stay are what they were: same place, same file, same side of every break (6.2.1, 6.2.2). */
  #checkUnchanged(before: MediaPlaylist, next: MediaPlaylist): void {
    for (const old of before.segments) {
      const same = next.segments[old.sequence - next.sequence];
      if (!same) continue;
      if (same.uri !== old.uri) this.#problem(`segment ${old.sequence} was ${old.uri}, now ${same.uri}`);
      if (same.duration !== old.duration) this.#problem(`${old.uri} changed its duration`);
      if (old.date !== undefined && !(Math.abs((same.date ?? NaN) - old.date) <= DATE_MS)) {
        this.#problem(`${old.uri} was of ${dateText(old)}, now ${dateText(same)}`);
      }
      if (same.discontinuity !== old.discontinuity) {
        this.#problem(
          `${old.uri} changed its discontinuity sequence from ${old.discontinuity} to ${same.discontinuity} (6.2.2)`,
        );
      }
    }
  }

  /** Segments are cached by their address, for minutes: it must never mean another one. */
  #checkUris(next: MediaPlaylist): void {
    for (const { uri, sequence } of next.segments) {
      const known = this.#sequences.get(uri);
      if (known !== undefined && known !== sequence) {
        this.#problem(`${uri} is segment ${sequence} and was segment ${known}`);
      }
      this.#sequences.set(uri, sequence);
    }
  }

  #checkLength({ sequence, segments, targetDuration }: MediaPlaylist): void {
    if (segments.length === 0) return this.#problem("a list without a segment");
    if (Number.isNaN(this.#firstSequence)) this.#firstSequence = sequence;
    if (sequence === this.#firstSequence) return; // nothing was removed yet: the channel may have just begun
    if (segments.length < FEWEST) {
      this.#problem(`${segments.length} segments are listed, fewer than ${FEWEST}`);
    }
    if (duration(segments) < LEAST_DURATIONS * targetDuration) {
      this.#problem(
        `the list lasts ${duration(segments)} s, less than ${LEAST_DURATIONS} target durations (6.2.2)`,
      );
    }
  }
}

const dateText = ({ date }: Segment) => date === undefined ? "no date" : new Date(date).toISOString();

/** Seconds that segments last. */
export function duration(segments: Segment[]): number {
  return segments.reduce((sum, segment) => sum + segment.duration, 0);
}

/** The times between updates, in milliseconds, that begin and end outside of `apart`. */
export function intervals(updates: Update[], apart: { from: number; to: number }[]): number[] {
  const pairs = updates.slice(1).map(({ at }, index) => ({ from: updates[index].at, to: at }));
  const isApart = (one: { from: number; to: number }) =>
    apart.some(({ from, to }) => one.to > from && one.from < to);
  return pairs.filter((one) => !isApart(one)).map(({ from, to }) => to - from);
}
