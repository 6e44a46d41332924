/**
 * Which piece counts when: that with the greatest number of those that begin before, so that a clock that was set back writes
 * over what was there. Pure. All times are Unix times in s.
 */
import type { Reason } from "../model/past.ts";
import type { Size } from "../display/capture/picture.ts";
import { BLOCK_HEAD_BYTES } from "./recorder/piece_video.ts";
import type { KeptPicture, Piece, PieceName } from "./recorder/piece.ts";

/** The time for which a piece counts. */
export interface Window {
  name: PieceName;
  start: number;
  /** When the next piece begins; Infinity: there is none. */
  end: number;
}

/** The windows of all pieces that count for some time, the oldest first. */
export function windowsOf(names: readonly PieceName[]): Window[] {
  const windows: Window[] = [];
  let end = Infinity;
  for (const name of names.toSorted((one, other) => other.number - one.number)) {
    if (name.start >= end) continue;
    windows.push({ name, start: name.start, end });
    end = name.start;
  }
  return windows.reverse();
}

/** The part of a piece that counts, and is asked for. */
export interface Stretch {
  piece: Piece;
  start: number;
  end: number;
}

/** A time of which nothing is kept. */
export interface Gap {
  start: number;
  end: number;
  /** Null: nobody knows. */
  reason: Reason | null;
}

/** A time of which all is kept, in one size. */
export interface Span {
  start: number;
  end: number;
  /** Why nothing is kept behind it; null: something is, or nobody knows. */
  reason: Reason | null;
  stretches: Stretch[];
}

export interface Timeline {
  spans: Span[];
  gaps: Gap[];
}

/** @param windows those that touch the asked time, with their pieces; a piece of null tells nothing. */
export function timelineOf(
  windows: readonly (Window & { piece: Piece | null })[],
  from: number,
  to: number,
): Timeline {
  const spans: Span[] = [];
  const gaps: Gap[] = [];
  const leave = (start: number, end: number, reason: Reason | null) => {
    if (start < end) gaps.push({ start, end, reason });
  };
  leave(from, Math.min(to, windows[0]?.start ?? to), null);
  for (const window of windows) {
    const { piece } = window;
    const within = (time: number) => Math.min(Math.max(time, from), to, window.end);
    const [start, end] = [within(window.start), within(piece?.end ?? window.start)];
    // a piece that another one writes over has not ended for its reason
    const reason = piece && piece.end <= window.end ? piece.reason : null;
    if (piece && start < end) join(spans, { start, end, reason, stretches: [{ piece, start, end }] });
    leave(end, within(Infinity), reason);
  }
  return { spans, gaps };
}

function join(spans: Span[], next: Span): void {
  const last = spans.at(-1);
  const goesOn = last?.end === next.start &&
    isSameSize(last.stretches[0].piece.size, next.stretches[0].piece.size);
  if (!last || !goesOn) return void spans.push(next);
  last.stretches.push(...next.stretches);
  Object.assign(last, { end: next.end, reason: next.reason });
}

export function isSameSize(one: Size, other: Size): boolean {
  return one.width === other.width && one.height === other.height;
}

/** The stretch that has a moment. */
export function stretchAt({ spans }: Timeline, at: number): Stretch | undefined {
  return spans.find(({ start, end }) => start <= at && at < end)?.stretches.find(({ end }) => at < end);
}

/** A picture with its place. */
export type PlacedPicture = KeptPicture & { place: NonNullable<KeptPicture["place"]> };

/** What is shown at a time within the piece: the last picture by then. */
export function shownAt({ pictures }: Piece, at: number): PlacedPicture | null {
  const isShown = (one: KeptPicture): one is PlacedPicture => one.at <= at && one.place !== null;
  return pictures.findLast(isShown) ?? null;
}

/** Where the bytes of a picture end in its piece's file. */
export function endOf({ place }: PlacedPicture): number {
  return place.offset + place.bytes;
}

/** Where the first picture's block begins. */
export function firstBlock({ pictures }: Piece): number {
  return pictures[0].place!.offset - BLOCK_HEAD_BYTES;
}
