import { useRef } from "preact/hooks";
import type { BoardItem } from "../boardItems.ts";
import { PendingCard } from "../card/PendingCard.tsx";
import { StreamCard } from "../card/StreamCard.tsx";
import { useTurn } from "../card/useTurn.ts";
import { useMoving } from "./useMoving.ts";

/** The cards of a list, which can be moved within the list. */
export function CardList({ items, onDrag }: { items: BoardItem[]; onDrag: () => void }) {
  const list = useRef<HTMLUListElement>(null);
  const keyDown = useMoving(list, items, onDrag);
  return (
    <ul class="cards" ref={list} onKeyDown={keyDown}>
      {items.map((item) => <Card key={item.id} {...item} />)}
    </ul>
  );
}

function Card({ stream, ...item }: BoardItem) {
  return useTurn(item.id, stream !== null) && stream
    ? <StreamCard stream={stream} />
    : <PendingCard {...item} />;
}
