import type { PublicStream } from "../../lib/model/schema.ts";
import type { StreamState } from "../../lib/model/answers/status.ts";
import type { StreamStatus } from "../../lib/model/answers/shapes.ts";

export interface BoardState {
  /** The streams in card order. */
  streams: PublicStream[];
  statuses: Record<string, StreamStatus>;
  /** The streams behind these, in card order: the server's HTML has only these fields, and the first poll has all. */
  pending: PendingStream[];
}

/** The content of a card before its stream is known. */
export interface PendingStream {
  id: string;
  name: string;
  group: string;
  state: StreamState;
  /** Whether the filter of the page's address leaves the stream out. */
  isOut?: true;
}

/** The viewer's edits since a poll was sent: they are newer than the poll's answer. */
export interface LocalEdits {
  /** Whether this stream was added, changed or removed here. */
  hasStream: (id: string) => boolean;
  hasOrder: boolean;
}

/** The states in the order of their urgency. */
export const STATES: StreamState[] = [
  "failed",
  "degraded",
  "starting",
  "running",
  "waiting",
  "planned",
  "stopped",
];

/**
 * The board after a poll. The viewer's edits stay: added streams do not vanish again, deleted streams do not come back,
 * commands do not flicker, and a card that was just moved does not jump back.
 */
export function mergePoll(
  local: BoardState,
  polled: Omit<BoardState, "pending">,
  edits: LocalEdits,
): BoardState {
  const known = new Map(local.streams.map((stream) => [stream.id, stream]));
  const streams = polled.streams
    .filter((stream) => known.has(stream.id) || !edits.hasStream(stream.id))
    .map((stream) => edits.hasStream(stream.id) ? known.get(stream.id)! : stream);
  const listed = new Set(polled.streams.map((stream) => stream.id));
  streams.push(...local.streams.filter((stream) => edits.hasStream(stream.id) && !listed.has(stream.id)));
  const statuses = { ...polled.statuses };
  for (const { id } of streams) {
    if (edits.hasStream(id) && Object.hasOwn(local.statuses, id)) statuses[id] = local.statuses[id];
  }
  return {
    streams: edits.hasOrder ? inOrder(streams, idsOf(local.streams)) : streams,
    statuses,
    pending: [],
  };
}

export const idsOf = (streams: { id: string }[]) => streams.map((stream) => stream.id);

/** The streams in the order of `ids`; other streams come last, in their present order. */
export function inOrder(streams: PublicStream[], ids: string[]): PublicStream[] {
  const positions = new Map(ids.map((id, position) => [id, position]));
  const positionOf = ({ id }: PublicStream) => positions.get(id) ?? ids.length;
  return [...streams].sort((a, b) => positionOf(a) - positionOf(b));
}

/** The ids with one of them at another position, counted from 0; positions beyond the ends mean the ends. */
export function moved(ids: string[], id: string, position: number): string[] {
  const others = ids.filter((other) => other !== id);
  others.splice(Math.max(0, Math.min(position, others.length)), 0, id);
  return others;
}

/** The ids with one of them at another position among some of them: all other ids keep their places. */
export function movedAmong(ids: string[], among: string[], id: string, position: number): string[] {
  const next = moved(among, id, position);
  const places = new Set(among);
  let at = 0;
  return ids.map((one) => places.has(one) ? next[at++] : one);
}

/** The ids with some of them before another one, or at the end, in their order among each other. */
export function placedBefore(
  all: readonly string[],
  ids: readonly string[],
  before: string | null,
): string[] {
  const others = all.filter((id) => !ids.includes(id));
  const at = before === null ? -1 : others.indexOf(before);
  others.splice(at < 0 ? others.length : at, 0, ...all.filter((id) => ids.includes(id)));
  return others;
}

/** A stream's status; a stream without one (just added elsewhere) counts by its desired state. */
export function statusOf(stream: PublicStream, statuses: Record<string, StreamStatus>): StreamStatus {
  if (Object.hasOwn(statuses, stream.id)) return statuses[stream.id];
  const state = stream.desiredState === "running" ? "starting" : "stopped";
  return { id: stream.id, state, programs: [] };
}

/** The number of streams in each state that occurs, with the most urgent state first. */
export function stateCounts(states: readonly StreamState[]): { state: StreamState; count: number }[] {
  return STATES.map((state) => ({ state, count: states.filter((it) => it === state).length }))
    .filter(({ count }) => count > 0);
}

/** Seconds in words: "45 s", "12 min", "3 h 5 min", "4 d 2 h". */
export function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (minutes < 1) return `${Math.max(0, Math.floor(seconds))} s`;
  if (hours < 1) return `${minutes} min`;
  if (hours < 24) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return hours % 24 ? `${Math.floor(hours / 24)} d ${hours % 24} h` : `${hours / 24} d`;
}
