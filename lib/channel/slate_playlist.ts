/**
 * The playlist of a channel that goes on from others' segments: those of a slate, one a second, while somebody waits for its
 * start, or those of the node that had the channel. The encoder's come behind a discontinuity (RFC 8216, 4.3.2.3 and 6.2.2).
 * Pure.
 */
import { firstSequence } from "../model/segments.ts";
import { segmentTime } from "./media/hls.ts";
import { BEHIND_SECONDS } from "./slate_segments.ts";

/** One start of a channel as its viewers see it. */
export interface SlateRun {
  /** Unix ms: segments of before belong to an earlier run of the encoder; or to the node before, whose last one ends then. */
  beganAt: number;
  /** Since when the display shows the page, Unix ms; null while it does not. */
  shownAt: number | null;
  /** Unix ms: a page that is not there by then is not waited for. */
  pageUntil: number;
  /** The channel's target duration in seconds. */
  target: number;
  /** Media sequence number of the first segment: of the slate's, or of those of the node before. */
  first: number;
  /** The segments of the node before, each with its tags. */
  before?: string[];
  /** The first number that is still listed. */
  listed: number;
  /** Where the encoder's segments begin, and what its numbers lag behind those of the viewers; null before that. */
  joined: { at: number; offset: number } | null;
}

/** A slate that is shown, or that the encoder's segments are numbered on from. */
export interface SlateEntry {
  run: SlateRun;
  /** Unix ms: a channel that has nothing by then will not have anything soon. */
  until: number;
  /** Unix ms at the beginning of the steady clock, as it was when the run began: the clock may be set while it lasts. */
  begin: number;
  /** Whether the channel is not being started yet: it waits for room. */
  isHeld?: boolean;
}

/** Segments that the media server lists; a list of ours is never shorter. */
const LISTED = 8;

/** Target durations that players stay behind the end, so that a list begins with as many (RFC 8216, 6.3.3). */
const BEHIND = 3;

/**
 * Begins a slate.
 * @param next the first number that no segment of the channel ever had, as far as anybody knows.
 * @param pageMs how long the page is waited for.
 */
export function beginSlate(now: number, target: number, next: number, pageMs: number): SlateRun {
  const first = Math.max(firstSequence(now) - BEHIND * target + 1, next);
  return { beganAt: now, shownAt: null, pageUntil: now + pageMs, target, first, listed: first, joined: null };
}

/**
 * Goes on from the last list of the node that had the channel; null: it had no segment.
 * @param playlist as its viewers got it.
 */
export function beginBehind(playlist: string): SlateRun | null {
  const known = read(playlist);
  const target = Number(/^#EXT-X-TARGETDURATION:(\d+)/m.exec(playlist)?.[1] ?? NaN);
  const last = known?.entries.at(-1);
  if (!known || !last || Number.isNaN(target)) return null;
  const beganAt = segmentTime(last.name) + last.seconds * 1000;
  const { sequence, entries } = known;
  return {
    beganAt,
    shownAt: null,
    pageUntil: beganAt,
    target,
    first: sequence,
    listed: sequence,
    before: entries.map(textOf),
    joined: null,
  };
}

/** The number of the newest segment that is not the encoder's: of a slate, one more each second. */
function newest({ first, target, beganAt, before }: SlateRun, now: number): number {
  if (before) return first + before.length - 1;
  return first + BEHIND * target - 1 + Math.max(0, Math.floor((now - beganAt) / 1000));
}

/** The name of a segment of the slate, which never means another one. */
export const slateSegment = (sequence: number) => `slate-${sequence}.ts`;

/** The sequence number of a slate's segment; null for any other name. */
export function slateSequence(name: string): number | null {
  const digits = /^slate-(\d{1,12})\.ts$/.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Unix ms of a slate's segment, which its timestamps have, too; null for a run that has no slate. */
export function slateTime({ first, target, beganAt, before }: SlateRun, sequence: number): number | null {
  if (before) return null;
  const second = Math.floor(beganAt / 1000) + sequence - (first + BEHIND * target - 1);
  return (second - BEHIND_SECONDS) * 1000;
}

/** The entries before the encoder's. */
const earlierEntries = ({ first, before }: SlateRun, from: number, to: number) =>
  before ? before.slice(from - first).join("") : Array.from(
    { length: Math.max(0, to - from) },
    (_, at) => `#EXTINF:1.000,\n${slateSegment(from + at)}\n`,
  ).join("");

const head = (sequence: number, target: number) =>
  `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-MEDIA-SEQUENCE:${sequence}\n#EXT-X-TARGETDURATION:${target}\n`;

/** The list while there is nothing but the slate. */
export function slatePlaylist(run: SlateRun, now: number): { playlist: string; run: SlateRun } {
  const end = newest(run, now) + 1;
  const listed = Math.max(run.listed, end - Math.max(LISTED, BEHIND * run.target));
  return { playlist: head(listed, run.target) + earlierEntries(run, listed, end), run: { ...run, listed } };
}

interface Entry {
  sequence: number;
  seconds: number;
  name: string;
  /** The tag's line with what stands before it. */
  lines: string[];
}

/** The segments of a list of the media server, and what stands before them. */
function read(playlist: string): { sequence: number; entries: Entry[] } | null {
  const sequence = Number(/^#EXT-X-MEDIA-SEQUENCE:(\d+)\r?$/m.exec(playlist)?.[1] ?? NaN);
  if (Number.isNaN(sequence)) return null;
  const entries: Entry[] = [];
  let lines: string[] = [], seconds = 0;
  for (const line of playlist.split("\n").map((text) => text.trim())) {
    if (line.startsWith("#EXTINF:")) seconds = Number.parseFloat(line.slice("#EXTINF:".length)) || 0;
    if (line.startsWith("#EXTINF:") || line === BREAK) lines.push(line);
    else if (line !== "" && !line.startsWith("#")) {
      entries.push({ sequence: sequence + entries.length, seconds, name: line, lines });
      [lines, seconds] = [[], 0];
    }
  }
  return { sequence, entries };
}

const textOf = ({ lines, name }: Pick<Entry, "lines" | "name">) => [...lines, name].join("\n") + "\n";

const BREAK = "#EXT-X-DISCONTINUITY";

/** Milliseconds that a page has been on the display when that is told: what it is asked by waits for so long. */
const SHOWN_FOR_MS = 300;

/** Unix ms of the first segment that viewers get: an empty window is not what they wait for. */
function firstTime({ beganAt, shownAt, pageUntil }: SlateRun, now: number): number {
  if (shownAt !== null) return Math.max(beganAt, shownAt - SHOWN_FOR_MS);
  return now < pageUntil ? Infinity : beganAt;
}

/** The encoder's first segment that viewers get: behind another node's, the one that goes on from those without a hole. */
function firstEntry(run: SlateRun, entries: Entry[], now: number, isOver: boolean): Entry | undefined {
  if (run.before) return entries.findLast(({ name }) => segmentTime(name) <= run.beganAt) ?? entries[0];
  return entries.find(({ name }) => isOver || segmentTime(name) >= firstTime(run, now));
}

/**
 * The media server's list as viewers of this run get it. Its numbers go on from the earlier segments, which leave it one by one.
 * @param isOver whether any segment will do: the slate has been shown for its longest time.
 * @returns null while it has no segment of this run that shows the page.
 */
export function joinedPlaylist(
  run: SlateRun,
  playlist: string,
  now: number,
  isOver = false,
): { playlist: string; run: SlateRun } | null {
  const known = read(playlist);
  if (known === null) return null;
  const begin = run.joined === null
    ? firstEntry(run, known.entries, now, isOver)?.sequence
    : run.joined.at - run.joined.offset;
  if (begin === undefined) return null;
  const own = known.entries.filter(({ sequence }) => sequence >= begin);
  // the media server was started anew, and has nothing yet
  if (own.length === 0) return null;
  const at = run.joined?.at ?? newest(run, now) + 1;
  const offset = at - begin;
  const firstOwn = own[0].sequence + offset;
  const seconds = own.reduce((sum, one) => sum + one.seconds, 0);
  // earlier segments leave the list when enough others are in it, and they cannot stand before a gap
  const wanted = Math.max(LISTED - own.length, Math.ceil(BEHIND * run.target - seconds));
  const earlier = firstOwn > at ? 0 : Math.max(0, wanted);
  const listed = firstOwn > at ? firstOwn : Math.max(run.listed, at - earlier);
  const entries = own.map(({ sequence, name, lines }) => {
    const isJoint = sequence + offset === at && !lines.includes(BREAK);
    return textOf({ name, lines: isJoint ? [BREAK, ...lines] : lines });
  });
  return {
    playlist: head(listed, run.target) + earlierEntries(run, listed, at) + entries.join(""),
    run: { ...run, listed, joined: { at, offset } },
  };
}
