import type { PublicStream, StreamState, StreamStatus } from "../lib/streams/stream.ts";

export interface BoardState {
  streams: PublicStream[];
  statuses: Record<string, StreamStatus>;
}

/** States in the order they matter to a person who glances at the page. */
const STATES: StreamState[] = ["failed", "degraded", "starting", "running", "stopped"];

/**
 * The board after a poll. What the user changed since that poll was sent (`isKept`) is newer than the answer,
 * so it stays: added streams do not vanish again, deleted ones do not come back, commands do not flicker.
 */
export function mergePoll(ours: BoardState, polled: BoardState, isKept: (id: string) => boolean): BoardState {
  const known = new Map(ours.streams.map((stream) => [stream.id, stream]));
  const streams = polled.streams
    .filter((stream) => known.has(stream.id) || !isKept(stream.id))
    .map((stream) => isKept(stream.id) ? known.get(stream.id)! : stream);
  const listed = new Set(polled.streams.map((stream) => stream.id));
  streams.push(...ours.streams.filter((stream) => isKept(stream.id) && !listed.has(stream.id)));
  const statuses = { ...polled.statuses };
  for (const { id } of streams) {
    if (isKept(id) && ours.statuses[id]) statuses[id] = ours.statuses[id];
  }
  return { streams, statuses };
}

/** A stream's status; a stream without one (just added elsewhere) counts by what is wanted of it. */
export function statusOf(stream: PublicStream, statuses: Record<string, StreamStatus>): StreamStatus {
  const state = stream.desiredState === "running" ? "starting" : "stopped";
  return statuses[stream.id] ?? { id: stream.id, state, programs: [] };
}

/** "12 streams: 1 failed, 11 running". */
export function summary({ streams, statuses }: BoardState): string {
  const counts = new Map<StreamState, number>();
  for (const stream of streams) {
    const { state } = statusOf(stream, statuses);
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  const parts = STATES.filter((state) => counts.has(state)).map((state) => `${counts.get(state)} ${state}`);
  return `${streams.length} ${streams.length === 1 ? "stream" : "streams"}: ${parts.join(", ")}`;
}

/** Seconds as people say them: "45 s", "12 min", "3 h 5 min", "4 d 2 h". */
export function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (minutes < 1) return `${Math.max(0, Math.floor(seconds))} s`;
  if (hours < 1) return `${minutes} min`;
  if (hours < 24) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return hours % 24 ? `${Math.floor(hours / 24)} d ${hours % 24} h` : `${hours / 24} d`;
}
