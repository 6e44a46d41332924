/** The parts of the service that all live streams use. */
import type { ProxyLogin } from "../auth/proxy_login.ts";
import type { Placement } from "../cluster/placement.ts";
import type { Config } from "../config.ts";
import type { Machine } from "../machine.ts";
import type { RelayViewer } from "../media/relay/relay.ts";
import type { Slates } from "../media/slates.ts";
import type { AddEvent } from "../model/answers/events.ts";
import type { StreamId } from "../model/id.ts";
import type { Stream } from "../model/schema.ts";
import type { Paths } from "../paths.ts";
import type { Displays } from "../pipeline/displays.ts";
import type { StreamStore } from "../store/stream_store.ts";
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
  /** The zone of plans that name none. */
  timeZone: string;
  supervision: Supervision;
  /** Which streams this machine runs. */
  placement: Placement;
  around: Around;
}

/** The parts that start programs and know them. */
export interface Supervision {
  supervisor: Supervisor;
  status: ProgramStatus;
  displays: Displays;
  restarts: Restarts;
  /** Work on streams that nobody waits for, a few streams at a time. */
  background: BackgroundQueue;
  /** How many displays are captured at once, for thumbnails and still pictures. */
  captures: Semaphore;
}

/** The rest of the service, as far as a stream uses it. */
export interface Around {
  /** How many people are in the stream's browser by VNC. */
  viewers(id: StreamId): number;
  /** Hands a stream's channel to a viewer that is no person; false: the channel is off. */
  watch(id: StreamId, viewer: RelayViewer): boolean;
  unwatch(id: StreamId, viewer: RelayViewer): void;
  /** The slates of channels that start for a viewer. */
  slates: Pick<Slates, "prepare" | "begin" | "hold" | "end" | "shown" | "next">;
  /** The address that the stream's browser opens for a page. */
  pageAddress(page: Pick<Stream, "id" | "url">): string;
  /** The problem of a page's place; null: it is valid. The addresses of a name may have changed. */
  placeProblem(url: string): Promise<string | null>;
  /** The login for proxies on the way; null: there is none. */
  proxyLogin: ProxyLogin | null;
  /** Milliseconds since a channel's playlist was last written; null if there is none. */
  playlistAgeMs(id: StreamId): number | null;
  /** Whether the disk that the channels are on is nearly full. */
  isDiskLow(): boolean;
  /** Takes each page that was opened in a browser that had just started. @param stream the browser's settings. */
  opened(stream: Stream): void;
}
