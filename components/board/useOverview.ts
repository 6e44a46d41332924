import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../client/api.ts";
import { usePolling } from "../client/usePolling.ts";
import type { DragLock } from "./order/dragLock.ts";
import type { Heartbeats } from "../../lib/model/answers/shapes.ts";

const EVERY_MS = 60_000;

/** What changes slowly, beside the streams' states. */
export interface Overview {
  heartbeats: Heartbeats;
  /** What is wrong with the service's machine, for people. */
  problems: string[];
}

/** The overview as it is, asked for once a minute. @param hasPending asks for it at once: it is of some streams only. */
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
