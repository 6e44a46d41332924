/** What open dashboards are told of all streams, as server-sent events. Pure. */
import type { StreamStatus } from "./status.ts";

/** How all streams are: the first event of a connection. */
export interface StateEvent {
  /** Of the stream list. */
  version: string;
  statuses: Record<string, StreamStatus>;
}

/** The list is another one: it has to be asked for. */
export interface ListEvent {
  version: string;
}

export interface ThumbnailEvent {
  id: string;
  /** Unix ms; null: there is none any more. */
  thumbAt: number | null;
}

/** Their data, by their names. */
export interface FeedData {
  state: StateEvent;
  status: StreamStatus;
  thumbnail: ThumbnailEvent;
  list: ListEvent;
}

export type FeedEvent = { [Name in keyof FeedData]: { name: Name; data: FeedData[Name] } }[keyof FeedData];
