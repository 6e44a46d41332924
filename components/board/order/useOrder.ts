import type { Signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { api, ApiError, problemOf } from "../../client/api.ts";
import { type BoardState, idsOf, inOrder } from "../boardState.ts";
import type { DragLock } from "./dragLock.ts";

/** The order of the cards: shown at once, saved behind, and undone with a message if the service refuses. */
export function useOrder(
  board: Signal<BoardState>,
  dragLock: DragLock,
  onProblem: (message: string) => void,
) {
  const unsaved = useRef<string[] | null>(null);
  const isSaving = useRef(false);
  const changedAt = useRef(-1);

  function show(ids: string[]) {
    changedAt.current = performance.now();
    board.value = { ...board.peek(), streams: inOrder(board.peek().streams, ids) };
  }

  /** Moves during a save wait for its end; only the last move is sent. */
  async function reorder(ids: string[]) {
    let saved: string[] = idsOf(board.peek().streams);
    unsaved.current = ids;
    show(ids);
    if (isSaving.current) return;
    isSaving.current = true;
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
    isSaving.current = false;
    changedAt.current = performance.now();
  }

  /** Whether a poll that was sent at this time may not know the order shown. */
  const isNewerThan = (sentAt: number) => isSaving.current || changedAt.current > sentAt;

  return { reorder, isNewerThan };
}
