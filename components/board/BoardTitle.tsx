import type { CardSize } from "../prefs/prefs.ts";
import { SIZE_WORDS } from "../prefs/SettingsDialog.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Segments } from "../ui/Segments.tsx";
import { type BoardState, stateCounts } from "./boardState.ts";

interface BoardTitleProps {
  board: BoardState;
  cardSize: CardSize;
  onCardSize: (size: CardSize) => void;
  onPlaylist: () => void;
}

/** How things stand in one line, how large the cards are, and the way to the TVs. */
export function BoardTitle({ board, cardSize, onCardSize, onPlaylist }: BoardTitleProps) {
  return (
    <div class="page-title">
      <h1>Streams</h1>
      <p class="counts">
        <span class="hidden">{board.streams.length} in all:</span>
        {stateCounts(board).map(({ state, count }) => (
          <span key={state} class={`chip is-${state}`}>{count} {state}</span>
        ))}
      </p>
      <button
        type="button"
        class="js to-playlist"
        title="Playlist for TVs and apps"
        onClick={onPlaylist}
      >
        <Icon name="tv" />
        <span>Playlist</span>
      </button>
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
