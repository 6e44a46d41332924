import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { StreamFigures } from "../../lib/streams/figures.ts";
import { api } from "../client/api.ts";
import { usePolling } from "../client/usePolling.ts";
import type { DragLock } from "./dragLock.ts";

const EVERY_MS = 5000;

/** What each stream takes, and who watches it: asked for while somebody looks at this page. */
export function useFigures(dragLock: DragLock) {
  const figures = useSignal<Record<string, StreamFigures>>({});
  const poll = usePolling(async () => {
    const next = await api.figures();
    dragLock.whenUnlocked(() => figures.value = next);
  }, EVERY_MS);
  useEffect(() => poll(), []);
  return figures;
}
