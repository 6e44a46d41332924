import { Icon, type IconName } from "../ui/Icon.tsx";
import type { WallDraft } from "./useWallDraft.ts";
import type { WallStream } from "./wallStreams.ts";

interface SlotToolsProps {
  draft: WallDraft;
  streams: readonly WallStream[];
}

/** The stream and the size of the chosen slot; keys can set both. */
export function SlotTools({ draft, streams }: SlotToolsProps) {
  const { slot: { row, column, rowSpan, columnSpan, stream }, chosen } = draft;
  const isKnown = stream === null || streams.some(({ id }) => id === stream);
  const size = (label: string, icon: IconName, rows: number, columns: number) => {
    const isPossible = draft.canSpan(rows, columns);
    return (
      <button
        type="button"
        class="small"
        aria-label={label}
        disabled={!isPossible}
        onClick={() => draft.span(rows, columns)}
      >
        <Icon name={icon} />
        <span>{label}</span>
      </button>
    );
  };
  return (
    <fieldset class="slot-tools">
      <legend>Slot in row {row}, column {column}</legend>
      <div class="field">
        <label for="slot-stream">Shows</label>
        <select
          id="slot-stream"
          value={stream ?? ""}
          onChange={({ currentTarget: { value } }) => draft.place(chosen, value || null)}
        >
          <option value="">Nothing</option>
          {!isKnown && <option value={stream!}>{stream} (deleted)</option>}
          {streams.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
        </select>
      </div>
      <div class="slot-sizes">
        {size("Wider", "add", rowSpan, columnSpan + 1)}
        {size("Narrower", "minus", rowSpan, columnSpan - 1)}
        {size("Taller", "add", rowSpan + 1, columnSpan)}
        {size("Shorter", "minus", rowSpan - 1, columnSpan)}
      </div>
    </fieldset>
  );
}
