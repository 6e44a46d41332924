/** The parts of the service that all live streams use. */
import type { ProxyLogin } from "../door/access/proxy_login.ts";
import type { Placement } from "../cluster/placement.ts";
import type { Config } from "../config.ts";
import type { Machine } from "../machine/machine.ts";
import type { ChannelGround } from "../channel/ground.ts";
import type { AddEvent } from "../model/answers/events.ts";
import type { ProgramKind } from "../model/programs.ts";
import type { Stream } from "../model/schema.ts";
import type { Paths } from "../paths.ts";
import type { Displays } from "../display/displays.ts";
import type { OpenBridges } from "../takeover/open_bridges.ts";
import type { StreamStore } from "../store/stream_store.ts";
import type { Supervisor } from "../machine/supervisor/control.ts";
import type { ProgramStatus } from "../machine/supervisor/status.ts";
import type { BackgroundQueue, Semaphore } from "../machine/tools/concurrency.ts";
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
  /** The programs that its streams may have. */
  kinds: readonly ProgramKind[];
  supervision: Supervision;
  channels: ChannelGround;
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
  /** The people in the streams' browsers by VNC. */
  bridges: Pick<OpenBridges, "viewers">;
  /** The address that the stream's browser opens for a page. */
  pageAddress(page: Pick<Stream, "id" | "url">): string;
  /** The problem of a page's place; null: it is valid. The addresses of a name may have changed. */
  placeProblem(url: string): Promise<string | null>;
  /** The login for proxies on the way; null: there is none. */
  proxyLogin: ProxyLogin | null;
  /** Whether the disk that the channels are on is nearly full. */
  isDiskLow(): boolean;
  /** Takes each page that was opened in a browser that had just started. @param stream the browser's settings. */
  opened(stream: Stream): void;
}
