/** What all live streams of a machine stand on. */
import type { ProxyLogin } from "../auth/proxy_login.ts";
import type { Config } from "../config.ts";
import type { Machine } from "../machine.ts";
import type { RelayViewer } from "../media/relay/relay.ts";
import type { Slates } from "../media/slates.ts";
import type { AddEvent } from "../model/answers/events.ts";
import type { StreamId } from "../model/id.ts";
import type { Stream } from "../model/schema.ts";
import type { Paths } from "../paths.ts";
import type { Displays } from "../pipeline/displays.ts";
import type { StreamStore } from "../store/streams.ts";
import type { Supervisor } from "../supervisor/control.ts";
import type { ProgramStatus } from "../supervisor/status.ts";
import type { BackgroundQueue, Semaphore } from "../system/concurrency.ts";
import type { Restarts } from "./programs/restarts.ts";

export interface Ground {
  config: Config;
  paths: Paths;
  machine: Machine;
  /** The streams as people want them. */
  store: StreamStore;
  addEvent: AddEvent;
  /** Of plans that name none. */
  timeZone: string;
  supervision: Supervision;
  around: Around;
}

/** What starts programs and knows them. */
export interface Supervision {
  supervisor: Supervisor;
  status: ProgramStatus;
  displays: Displays;
  restarts: Restarts;
  /** Work on streams that nobody waits for, a few streams at a time. */
  background: BackgroundQueue;
  /** How many thumbnails are captured at once. */
  captures: Semaphore;
}

/** What the rest of the service knows of a stream, and does for it. */
export interface Around {
  /** How many people are in the stream's browser by VNC. */
  viewers(id: StreamId): number;
  /** Hands a stream's channel to a viewer that is nobody; false: the channel is off. */
  watch(id: StreamId, viewer: RelayViewer): boolean;
  unwatch(id: StreamId, viewer: RelayViewer): void;
  /** What a channel shows that starts for a viewer. */
  slates: Pick<Slates, "prepare" | "begin" | "end" | "shown">;
  /** The address that the stream's browser opens for a page. */
  pageAddress(page: Pick<Stream, "id" | "url">): string;
  /** What is wrong with the place of a page's address, or null: what a name means may have changed. */
  placeProblem(url: string): Promise<string | null>;
  /** What proxies on the way are told; null: nothing. */
  proxyLogin: ProxyLogin | null;
  /** Milliseconds since a channel's playlist was last written; null if there is none. */
  playlistAgeMs(id: StreamId): number | null;
  /** Whether the disk that the channels are on is nearly full. */
  isDiskLow(): boolean;
  /** Takes each page that was opened in a browser that had just started. @param stream what the browser was started with. */
  opened(stream: Stream): void;
}
