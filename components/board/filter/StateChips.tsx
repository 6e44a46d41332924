import type { StreamState } from "../../../lib/model/answers/status.ts";
import { useBoardContext } from "../BoardContext.ts";
import { stateCounts, STATES } from "../boardState.ts";
import { boardPath, toggled } from "./filter.ts";

/** The number of streams in each state; the board shows only chosen states. The links also work without JavaScript. */
export function StateChips() {
  const { items, filter } = useBoardContext();
  const { states } = filter.current;
  const counts = new Map(
    stateCounts(items.map(({ state }) => state)).map(({ state, count }) => [state, count]),
  );
  const shown = STATES.filter((state) => counts.has(state) || states.includes(state));
  return (
    <div class="counts" role="group" aria-label="States">
      <span class="hidden">{items.length} in all:</span>
      {shown.map((state) => <StateLink key={state} state={state} count={counts.get(state) ?? 0} />)}
    </div>
  );
}

function StateLink({ state, count }: { state: StreamState; count: number }) {
  const { filter } = useBoardContext();
  const states = toggled(filter.current.states, state);
  const isChosen = states.length < filter.current.states.length;
  return (
    <a
      class={`chip filter-chip is-${state}`}
      href={boardPath({ ...filter.current, states })}
      title={isChosen ? "Show the others again" : `Show only ${state} streams`}
      aria-current={isChosen ? "true" : undefined}
      onClick={(event) => {
        event.preventDefault();
        filter.set({ states });
      }}
    >
      {count} {state}
    </a>
  );
}
