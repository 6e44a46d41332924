/** What all parts of the service are built on. */
import type { Config } from "../config.ts";
import type { StreamEvents } from "../control/events.ts";
import type { Reconciler } from "../control/reconciler.ts";
import type { Restarts } from "../control/restarts.ts";
import type { RunningStreams } from "../control/running_streams.ts";
import type { Slots } from "../control/slots.ts";
import type { Machine } from "../machine.ts";
import type { Paths } from "../paths.ts";
import type { StreamId } from "../streams/id.ts";
import type { StreamStore } from "../streams/store.ts";
import type { Supervisor } from "../supervisor/control.ts";
import type { ProgramStatus } from "../supervisor/status.ts";
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
  now(): number;
}

/** The streams' programs, and who makes them follow the list. */
export interface Programs {
  supervisor: Supervisor;
  status: ProgramStatus;
  slots: Slots;
  reconciler: Reconciler;
  running: RunningStreams;
  restarts: Restarts;
  isBusy(id: StreamId): boolean;
  /** How many people are in the stream's browser by VNC. */
  viewers(id: StreamId): number;
}
