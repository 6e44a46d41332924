import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../../client/api.ts";
import { usePolling } from "../../client/usePolling.ts";
import type { DragLock } from "../order/dragLock.ts";
import type { StreamFigures, SystemFigures } from "../../../lib/model/answers/shapes.ts";

const EVERY_MS = 5000;

/**
 * The figures of each stream, its viewers and the machine: the page asks for them while it is visible.
 * @param initial the machine's figures when the page was made. @param onFailed takes the error of a missing answer: a
 * page that only listens does not notice it.
 */
export function useFigures(initial: SystemFigures, dragLock: DragLock, onFailed: () => void) {
  const figures = useSignal<Record<string, StreamFigures>>({});
  const system = useSignal(initial);
  const poll = usePolling(async () => {
    const { streams, ...next } = await api.system().catch((error) => {
      onFailed();
      throw error;
    });
    dragLock.whenUnlocked(() => {
      figures.value = streams;
      system.value = next;
    });
  }, EVERY_MS);
  useEffect(() => poll(), []);
  return { figures, system };
}
