import { Icon } from "../ui/Icon.tsx";
import { useBoardContext } from "./BoardContext.ts";
import { FilterBox } from "./filter/FilterBox.tsx";
import { StateChips } from "./filter/StateChips.tsx";
import { ViewMenu } from "./ViewMenu.tsx";

/** The number of streams in each state, the button for the playlist and the choice of the view. */
export function BoardTitle() {
  const { openDialog } = useBoardContext();
  return (
    <div class="page-title">
      <h1>Streams</h1>
      <FilterBox />
      <StateChips />
      <button
        type="button"
        class="js board-button to-playlist"
        title="Playlist for TVs and apps"
        onClick={() => openDialog({ kind: "playlist" })}
      >
        <Icon name="tv" />
        <span>Playlist</span>
      </button>
      <ViewMenu />
    </div>
  );
}
