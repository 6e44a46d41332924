import { Icon } from "../../ui/Icon.tsx";
import { useBoardContext } from "../BoardContext.ts";
import type { BoardItem } from "../boardItems.ts";
import { stateCounts } from "../boardState.ts";
import { CardList } from "./CardList.tsx";
import { isFiltering } from "../filter/filter.ts";
import type { Section } from "./sections.ts";

/** The cards of a group under its name, which opens and closes them. A set filter shows the cards that it finds. */
export function CardSection({ section, onDrag }: { section: Section<BoardItem>; onDrag: () => void }) {
  const { key, name, streams } = section;
  const { filter, collapsed, selection, isReady } = useBoardContext();
  const ids = streams.filter(({ isShown, stream }) => isShown && stream).map(({ id }) => id);
  const isForced = isFiltering(filter.current);
  const troubles = stateCounts(streams.map(({ state }) => state))
    .filter(({ state }) => state === "failed" || state === "degraded");
  return (
    <details class="card-section" data-group={key} open={isForced || !collapsed.has(key)}>
      <summary
        onClick={(event) => {
          event.preventDefault();
          if (!isForced) collapsed.toggle(key);
        }}
      >
        <Icon name="chevron" />
        <h2>{name}</h2>
        <span class="section-count">{streams.length}</span>
        {troubles.map(({ state, count }) => (
          <span key={state} class={`chip is-${state}`}>{count} {state}</span>
        ))}
      </summary>
      {isReady && (
        <button
          type="button"
          class="section-pick"
          data-least="operator"
          aria-label={`Select all of ${name}`}
          aria-pressed={ids.every(selection.has)}
          onClick={() => selection.pickTogether(ids)}
        >
          Select all
        </button>
      )}
      <CardList items={streams} onDrag={onDrag} />
    </details>
  );
}
