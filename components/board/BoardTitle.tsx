import { SIZE_WORDS } from "../prefs/SettingsDialog.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Segments } from "../ui/Segments.tsx";
import { useBoardContext } from "./BoardContext.ts";
import { stateCounts } from "./boardState.ts";

/** The number of streams in each state, the button for the playlist and the choice of the card size. */
export function BoardTitle() {
  const { board, prefs, openDialog } = useBoardContext();
  const { streams, pending } = board.state.value;
  return (
    <div class="page-title">
      <h1>Streams</h1>
      <p class="counts">
        <span class="hidden">{streams.length + pending.length} in all:</span>
        {stateCounts(board.state.value).map(({ state, count }) => (
          <span key={state} class={`chip is-${state}`}>{count} {state}</span>
        ))}
      </p>
      <button
        type="button"
        class="js to-playlist"
        title="Playlist for TVs and apps"
        onClick={() => openDialog({ kind: "playlist" })}
      >
        <Icon name="tv" />
        <span>Playlist</span>
      </button>
      <Segments
        class="js sizes"
        name="card-size"
        label="Card size"
        options={SIZE_WORDS}
        value={prefs.general.cardSize}
        onChange={(cardSize) => prefs.setGeneral({ cardSize })}
      />
    </div>
  );
}
