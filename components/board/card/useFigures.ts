import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../../client/api.ts";
import { usePolling } from "../../client/usePolling.ts";
import type { DragLock } from "../order/dragLock.ts";
import type { StreamFigures, SystemFigures } from "../../../lib/model/answers/shapes.ts";

const EVERY_MS = 5000;

/**
 * What each stream takes, and who watches it, and how the machine is: asked for while somebody looks at this page.
 * @param initial how the machine was when the page was made. @param onFailed takes an answer that did not come: who
 * only listens does not notice.
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
