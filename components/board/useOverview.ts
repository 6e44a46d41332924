import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../client/api.ts";
import { usePolling } from "../client/usePolling.ts";
import type { DragLock } from "./order/dragLock.ts";
import type { Heartbeats } from "../../lib/model/answers/shapes.ts";

const EVERY_MS = 60_000;

/** The board's data that changes slowly, beside the streams' states. */
export interface Overview {
  heartbeats: Heartbeats;
  /** The problems of the service's machine, for people. */
  problems: string[];
}

/** The present overview, polled once a minute. @param hasPending polls at once: `initial` covers some streams only. */
export function useOverview(initial: Overview, hasPending: boolean, dragLock: DragLock) {
  const overview = useSignal(initial);
  const poll = usePolling(async () => {
    const [heartbeats, health] = await Promise.all([api.heartbeats(), api.health()]);
    dragLock.whenUnlocked(() => overview.value = { heartbeats, problems: health.reasons ?? [] });
  }, EVERY_MS);
  useEffect(() => {
    if (hasPending) poll();
  }, []);
  return overview;
}
