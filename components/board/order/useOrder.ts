import { useRef } from "preact/hooks";
import { api, ApiError, problemOf } from "../../client/api.ts";
import { idsOf, inOrder } from "../boardState.ts";
import type { Streams } from "../useStreams.ts";

/** The order of the cards: shown at once, saved behind, and undone with a message if the service refuses. */
export function useOrder({ state, ownOrder, dragLock }: Streams, onProblem: (message: string) => void) {
  const unsaved = useRef<string[] | null>(null);

  function show(ids: string[]) {
    ownOrder.at = performance.now();
    state.value = { ...state.peek(), streams: inOrder(state.peek().streams, ids) };
  }

  /** Moves during a save wait for its end; only the last move is sent. */
  async function reorder(ids: string[]) {
    let saved: string[] = idsOf(state.peek().streams);
    unsaved.current = ids;
    show(ids);
    if (ownOrder.isSaving) return;
    ownOrder.isSaving = true;
    while (unsaved.current) {
      const sent = unsaved.current;
      unsaved.current = null;
      try {
        await api.reorder(sent);
        saved = sent;
      } catch (error) {
        unsaved.current = null;
        const stored = (error instanceof ApiError && error.ids) || saved;
        dragLock.whenUnlocked(() => show(stored));
        onProblem(`The new order was not saved. The cards are in the old order again. ${problemOf(error)}`);
      }
    }
    ownOrder.isSaving = false;
    ownOrder.at = performance.now();
  }

  return { reorder };
}
