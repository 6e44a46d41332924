import { useRef } from "preact/hooks";
import { useBoardContext } from "../BoardContext.ts";
import type { BoardItem } from "../boardItems.ts";
import { placeByKey } from "../card/cardKeys.ts";
import { PendingCard } from "../card/PendingCard.tsx";
import { StreamCard } from "../card/StreamCard.tsx";
import { useSorting } from "./useSorting.ts";

/** The cards of a list, which can be moved within the list. */
export function CardList({ items, onDrag }: { items: BoardItem[]; onDrag: () => void }) {
  const { board, listOf } = useBoardContext();
  const list = useRef<HTMLUListElement>(null);
  useSorting(list, items.every(({ stream }) => stream !== null), {
    onDrag: (isDragging) => {
      if (isDragging) onDrag();
      board.dragLock.set(isDragging);
    },
    onDrop: (id, position) => {
      // the changes that waited for the end of the drag are not yet rendered
      const stream = board.state.peek().streams.find((it) => it.id === id);
      const ids = listOf(id);
      if (stream && ids.indexOf(id) !== position) board.move(stream, position, ids);
    },
  });

  function keyDown(event: KeyboardEvent) {
    const id = (event.target as Element).closest<HTMLElement>(".card")?.dataset.id;
    const stream = board.state.peek().streams.find((it) => it.id === id);
    if (!stream) return;
    const ids = listOf(stream.id);
    const position = ids.indexOf(stream.id);
    const place = placeByKey(event, position, ids.length - 1);
    if (place === null) return;
    event.preventDefault();
    if (place !== position) board.move(stream, place, ids);
  }

  return (
    <ul class="cards" ref={list} onKeyDown={keyDown}>
      {items.map(({ stream, ...item }) =>
        stream ? <StreamCard key={item.id} stream={stream} /> : <PendingCard key={item.id} {...item} />
      )}
    </ul>
  );
}
