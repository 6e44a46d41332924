/** What all parts of the service are built on. */
import type { ProxyLogin } from "../auth/proxy_login.ts";
import type { Config } from "../config.ts";
import type { StreamEvents } from "../reports/events.ts";
import type { Machine } from "../machine.ts";
import type { Paths } from "../paths.ts";
import type { StreamId } from "../model/id.ts";
import type { StreamStore } from "../store/streams.ts";
import type { DiskReserve } from "../system/disk.ts";
import type { Timings } from "../timings.ts";

/** What is there before any part is. */
export interface Base {
  config: Config;
  paths: Paths;
  machine: Machine;
  store: StreamStore;
  events: StreamEvents;
  reserve: DiskReserve;
  limits: Timings;
  /** What the proxies of pages are told; null: nothing. */
  proxyLogin: ProxyLogin | null;
  /** Milliseconds since a channel's playlist was last written; null if there is none. */
  playlistAgeMs(id: StreamId): number | null;
  /** Unix ms, for stamps. */
  now(): number;
  /** Milliseconds of a steady clock, for intervals. */
  elapsed(): number;
}
