/** What all parts of the service are built on. */
import type { Config } from "../config.ts";
import type { Machine } from "../machine.ts";
import type { Paths } from "../paths.ts";
import type { StreamStore } from "../store/streams.ts";
import type { DiskReserve } from "../system/disk.ts";

/** What is there before any part is. */
export interface Base {
  config: Config;
  paths: Paths;
  machine: Machine;
  store: StreamStore;
  reserve: DiskReserve;
}
