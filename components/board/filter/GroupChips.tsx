import { useBoardContext } from "../BoardContext.ts";
import { boardPath, toggled } from "./filter.ts";
import { hasGroups, type Section, sectionsOf } from "../order/sections.ts";

/** More chips would fill the screen; the filter finds the other groups. */
const MAX_CHIPS = 24;

/** The number of streams in each group; the board shows only chosen groups. */
export function GroupChips() {
  const { items } = useBoardContext();
  if (!hasGroups(items)) return null;
  return (
    <div class="group-chips" role="group" aria-label="Groups">
      {sectionsOf(items).slice(0, MAX_CHIPS).map((section) => (
        <GroupLink key={section.key} section={section} />
      ))}
    </div>
  );
}

function GroupLink({ section: { key, name, streams } }: { section: Section<unknown> }) {
  const { filter } = useBoardContext();
  const groups = toggled(filter.current.groups, key);
  const isChosen = groups.length < filter.current.groups.length;
  return (
    <a
      class="filter-chip"
      href={boardPath({ ...filter.current, groups })}
      title={isChosen ? "Show the others again" : `Show only “${name}”`}
      aria-current={isChosen ? "true" : undefined}
      onClick={(event) => {
        event.preventDefault();
        filter.set({ groups });
      }}
    >
      <span class="group-name">{name}</span> {streams.length}
    </a>
  );
}
