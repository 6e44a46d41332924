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
  /** Null: nobody knows what there is, since the node cannot be asked. */
  name: PieceName | null;
  start: number;
  /** When the next piece begins; Infinity: there is none. */
  end: number;
  /** The node that has the piece; null: this machine. */
  node: string | null;
}

/** The windows of all pieces that count for some time, the oldest first. */
export function windowsOf(names: readonly PieceName[]): Window[] {
  const windows: Window[] = [];
  let end = Infinity;
  for (const name of names.toSorted((one, other) => other.number - one.number)) {
    if (name.start >= end) continue;
    windows.push({ name, start: name.start, end, node: null });
    end = name.start;
  }
  return windows.reverse();
}

/** The time in which a node had the stream's channel on the air. */
export interface Period {
  /** Null: this machine. */
  node: string | null;
  start: number;
  end: number;
  /** When the node's pieces count among themselves; null: the node cannot be asked. */
  windows: readonly Window[] | null;
}

/** Seconds by which a node records before its channel is on the air: until then it starts, and clocks differ. */
export const EARLY_SECONDS = 60;

/**
 * When the pieces of all nodes count, the oldest first: each in the time in which its node had the channel. What a node has
 * recorded before comes after what the node before it has of the same time (`timelineOf`), and what it has recorded after, as
 * one that was cut off does, does not count. @param periods one behind the other.
 */
export function joinedWindows(periods: readonly Period[]): Window[] {
  const all: Window[] = [];
  for (const [number, { node, start, end, windows }] of periods.entries()) {
    if (windows === null) {
      all.push({ name: null, start, end, node });
      continue;
    }
    const last = all.at(-1)?.start ?? 0;
    for (const window of windows) {
      const isNear = number === 0 || window.start >= start - EARLY_SECONDS;
      const part = { start: Math.max(window.start, isNear ? last : start), end: Math.min(window.end, end) };
      if (part.start < part.end) all.push({ ...window, ...part, node });
    }
  }
  return all;
}

/** The part of a piece that counts, and is asked for. */
export interface Stretch {
  piece: Piece;
  /** The node that has the piece; null: this machine. */
  node: string | null;
  start: number;
  end: number;
}

/** A time of which nothing is kept. */
export interface Gap extends Why {
  start: number;
  end: number;
}

/** Why nothing is kept. */
export interface Why {
  /** Null: nobody knows. */
  reason: Reason | null;
  /** The node that cannot be asked, where that is the reason. */
  node?: string;
}

/** A time of which all is kept, in one size. */
export interface Span extends Why {
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

/**
 * @param windows those that touch the asked time, with their pieces, by their starts; a piece of null tells nothing. Where one
 * begins before another one's piece has ended, it counts from that end on.
 */
export function timelineOf(
  windows: readonly (Window & { piece: Piece | null })[],
  from: number,
  to: number,
): Timeline {
  const spans: Span[] = [];
  const gaps: Gap[] = [];
  const within = (time: number) => Math.min(Math.max(time, from), to);
  /** All before it is told. */
  let told = from;
  /** Why nothing is kept from there on, and until when. */
  let why: Why & { until: number } = { ...UNKNOWN, until: to };
  const add = (end: number, reason: Why) => {
    if (told >= end) return;
    gaps.push({ start: told, end, ...reason });
    told = end;
  };
  const leave = (end: number) => {
    const { until, ...reason } = why;
    add(Math.min(end, until), reason);
    add(end, UNKNOWN);
  };
  for (const { name, start, end: last, node, piece } of windows) {
    const until = within(last);
    leave(within(start));
    const end = Math.min(within(piece?.end ?? start), until);
    if (end < told) continue;
    if (name === null && node !== null) {
      why = { reason: "away", node, until };
      const before = spans.at(-1);
      if (before?.end === told) Object.assign(before, { reason: "away", node });
      continue;
    }
    // a piece that another one writes over has not ended for its reason
    const reason = piece && piece.end <= last ? piece.reason : null;
    if (piece && told < end) {
      join(spans, { start: told, end, reason, stretches: [{ piece, node, start: told, end }] });
      told = end;
    }
    why = { reason, until };
  }
  leave(to);
  return { spans, gaps };
}

const UNKNOWN: Why = { reason: null };

function join(spans: Span[], next: Span): void {
  const last = spans.at(-1);
  const goesOn = last?.end === next.start &&
    isSameSize(last.stretches[0].piece.size, next.stretches[0].piece.size);
  if (!last || !goesOn) return void spans.push(next);
  last.stretches.push(...next.stretches);
  Object.assign(last, { end: next.end, reason: next.reason, node: undefined });
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
