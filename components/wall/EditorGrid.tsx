import type { WallDraft } from "./useWallDraft.ts";
import { StreamPicture } from "./StreamPicture.tsx";
import type { WallStream } from "./wallStreams.ts";

interface EditorGridProps {
  draft: WallDraft;
  streams: readonly WallStream[];
}

/** The slots as they lie on the wall. One slot is chosen; streams can be dropped into every slot. */
export function EditorGrid({ draft, streams }: EditorGridProps) {
  const { layout: { rows, columns, slots }, chosen } = draft;
  const nameOf = (id: string) => streams.find((stream) => stream.id === id)?.name ?? `${id} (deleted)`;
  return (
    <div
      class="wall-grid"
      role="group"
      aria-label="Slots"
      style={{ gridTemplateRows: `repeat(${rows}, 1fr)`, gridTemplateColumns: `repeat(${columns}, 1fr)` }}
    >
      {slots.map(({ row, column, rowSpan, columnSpan, stream }, at) => {
        const where = `Row ${row}, column ${column}`;
        const name = stream === null ? "Empty" : nameOf(stream);
        return (
          <div
            // an element for each place: the dragged element is put back into it
            key={`${row} ${column} ${rowSpan} ${columnSpan}`}
            class="wall-slot"
            data-slot={at}
            style={{ gridArea: `${row} / ${column} / span ${rowSpan} / span ${columnSpan}` }}
          >
            <button
              type="button"
              class={stream === null ? "slot-button" : "slot-button is-set"}
              aria-pressed={at === chosen}
              aria-label={`${where}: ${name}`}
              onClick={() => draft.choose(at)}
              onKeyDown={({ key }) => {
                if (key === "Delete" || key === "Backspace") draft.place(at, null);
              }}
            >
              <StreamPicture stream={streams.find(({ id }) => id === stream)} />
              <span>{name}</span>
            </button>
          </div>
        );
      })}
    </div>
  );
}
