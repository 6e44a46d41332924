import { useSelectEvents } from "../select/useSelectEvents.ts";
import { lazy } from "../ui/lazy.tsx";
import { useBoardContext } from "./BoardContext.ts";
import { shownSections } from "./boardItems.ts";
import { BoardTitle } from "./BoardTitle.tsx";
import { CardList } from "./order/CardList.tsx";
import { CardSection } from "./order/CardSection.tsx";
import { NO_FILTER } from "./filter/filter.ts";
import { GroupChips } from "./filter/GroupChips.tsx";
import { StreamTable } from "./table/StreamTable.tsx";

const SelectionBar = lazy(async () => (await import("../select/SelectionBar.tsx")).SelectionBar);

/** The streams: their counts, the filter, the cards, and the commands for the selected cards. */
export function BoardView() {
  const { board, items, rows, selection } = useBoardContext();
  const { handlers, dragged } = useSelectEvents(selection);
  const sections = shownSections(items);
  return (
    <div class={selection.isOn ? "board is-selecting" : "board"} {...handlers}>
      <BoardTitle />
      <GroupChips />
      {sections.length === 0 && <NothingFound />}
      {rows
        ? <StreamTable rows={rows} onDrag={dragged} />
        : sections.map((section) =>
          section.name === ""
            ? <CardList key="" items={section.streams} onDrag={dragged} />
            : <CardSection key={`group ${section.key}`} section={section} onDrag={dragged} />
        )}
      {selection.isOn && <SelectionBar onFail={(message) => board.problem.value = message} />}
    </div>
  );
}

function NothingFound() {
  const { filter } = useBoardContext();
  return (
    <p class="nothing-found">
      No stream matches.{" "}
      <a
        href="/"
        onClick={(event) => {
          event.preventDefault();
          filter.set(NO_FILTER);
          document.getElementById("filter")?.focus();
        }}
      >
        Show all
      </a>
    </p>
  );
}
