import type { CardSize } from "../prefs/prefs.ts";
import { SIZE_WORDS } from "../prefs/SettingsDialog.tsx";
import { Segments } from "../Segments.tsx";
import { type BoardState, stateCounts } from "./boardState.ts";

interface BoardTitleProps {
  board: BoardState;
  cardSize: CardSize;
  onCardSize: (size: CardSize) => void;
}

/** How things stand in one line, and how large the cards are. */
export function BoardTitle({ board, cardSize, onCardSize }: BoardTitleProps) {
  return (
    <div class="page-title">
      <h1>Streams</h1>
      <p class="counts">
        <span class="hidden">{board.streams.length} in all:</span>
        {stateCounts(board).map(({ state, count }) => (
          <span key={state} class={`chip is-${state}`}>{count} {state}</span>
        ))}
      </p>
      <Segments
        class="js sizes"
        name="card-size"
        label="Card size"
        options={SIZE_WORDS}
        value={cardSize}
        onChange={onCardSize}
      />
    </div>
  );
}
