/** The streams' programs: when they are wanted, which run, and who makes them follow the list. */
import { join } from "node:path";
import { Demand } from "../fleet/demand.ts";
import { Plans } from "../fleet/plans.ts";
import { Reconciler } from "../fleet/reconciler.ts";
import { Restarts } from "../live/programs/restarts.ts";
import { RunningStreams } from "../fleet/running_streams.ts";
import { Slots } from "../live/slots.ts";
import type { Slates } from "../media/slates.ts";
import { ownTimeZone } from "../model/local_time.ts";
import type { Stream } from "../model/schema.ts";
import type { StreamId } from "../model/id.ts";
import { Supervisor } from "../supervisor/control.ts";
import { ProgramStatus } from "../supervisor/status.ts";
import type { Base } from "./base.ts";

interface Around {
  slates: Slates;
  /** How many people are in the stream's browser by VNC. */
  viewers(id: StreamId): number;
  /** The address of the page whose turn it is. */
  pageNow(stream: Stream): string;
  pageAddress(stream: { id: string; url: string }): string;
  placeProblem(url: string): Promise<string | null>;
}

export type Programs = ReturnType<typeof buildPrograms>;

export function buildPrograms(
  { config, paths, machine, store, events, limits, now, elapsed }: Base,
  { slates, viewers, pageNow, pageAddress, placeProblem }: Around,
) {
  const addEvent = events.add;
  const plans = new Plans({
    streams: () => store.list(),
    reconcile: (id): Promise<void> => reconciler.reconcileInBackground(id),
    timeZone: ownTimeZone(),
    addEvent,
    limits,
    now,
    elapsed,
  });
  const demand = new Demand({
    stream: (id) => store.get(id),
    vncViewers: viewers,
    reconcile: (id): Promise<void> => reconciler.retry(id),
    slates,
    isOff: (stream) => plans.isOff(stream),
    addEvent,
    limits,
    elapsed,
  });
  const supervisor = new Supervisor(machine.run, join(paths.configDir, "supervisord.conf"));
  const status = new ProgramStatus(() => machine.programs(), limits.statusCacheMs, elapsed);
  const slots = new Slots({ display: config.DISPLAY_BASE }, machine.isSlotFree);
  const reconciler = new Reconciler({
    ...{ store, supervisor, status, slots, paths, demand, placeProblem, addEvent, now, elapsed },
    broker: machine.broker,
  });
  const running = new RunningStreams({ store, reconciler, programs: status, pageNow, pageAddress });
  const isBusy = (id: StreamId) => reconciler.isBusy(id);
  return {
    ...{ plans, demand, supervisor, status, slots, reconciler, running, isBusy, viewers, placeProblem },
    restarts: new Restarts(),
  };
}
