import type { RefObject } from "preact";
import { useBoardContext } from "../BoardContext.ts";
import { mayDo } from "../../client/mayDo.ts";
import type { BoardItem } from "../boardItems.ts";
import { placeByKey } from "../card/cardKeys.ts";
import { useSorting } from "./useSorting.ts";

/**
 * Moves the streams of a list by drags and keys, each among the shown ones of its group.
 * @param isFixed whether the list is in another order than the board's. @returns the handler of the list's keys.
 */
export function useMoving(
  list: RefObject<HTMLElement>,
  items: readonly BoardItem[],
  onDrag: () => void,
  isFixed = false,
): (event: KeyboardEvent) => void {
  const { board, listOf } = useBoardContext();
  // the changes that waited for the end of a drag are not yet rendered
  const known = (id: string | undefined) => board.state.peek().streams.find((it) => it.id === id);
  useSorting(list, !isFixed && items.every(({ stream }) => stream !== null), {
    onDrag: (isDragging) => {
      if (isDragging) onDrag();
      board.dragLock.set(isDragging);
    },
    onDrop: (id, position) => {
      const stream = known(id);
      const ids = listOf(id);
      const others = items.map((item) => item.id).filter((other) => other !== id);
      const place = others.slice(0, position).filter((other) => ids.includes(other)).length;
      if (stream && ids.indexOf(id) !== place) board.move(stream, place, ids);
    },
  });

  return (event) => {
    const stream = known((event.target as Element).closest<HTMLElement>(".card")?.dataset.id);
    if (!stream || isFixed || !mayDo("operator")) return;
    const ids = listOf(stream.id);
    const position = ids.indexOf(stream.id);
    const place = placeByKey(event, position, ids.length - 1);
    if (place === null) return;
    event.preventDefault();
    if (place !== position) board.move(stream, place, ids);
  };
}
