import { useState } from "preact/hooks";
import { groupsOfStreams, type WallStream } from "./wallStreams.ts";

interface FillByGroupProps {
  streams: readonly WallStream[];
  /** @returns the number of streams that did not fit. */
  onFill: (group: string) => number;
}

/** Fills the empty slots with the streams of a group, in the order of their cards. */
export function FillByGroup({ streams, onFill }: FillByGroupProps) {
  const [group, setGroup] = useState("");
  const [said, setSaid] = useState("");

  function fill() {
    const left = onFill(group);
    setSaid(left === 0 ? "" : left === 1 ? "One stream did not fit." : `${left} streams did not fit.`);
  }

  return (
    <div class="fill">
      <div class="field">
        <label for="fill-group">Fill the empty slots with</label>
        <select id="fill-group" value={group} onChange={({ currentTarget }) => setGroup(currentTarget.value)}>
          <option value="">All streams</option>
          {groupsOfStreams(streams).map((each) => <option key={each} value={each}>{`Group ${each}`}</option>)}
        </select>
      </div>
      <button type="button" onClick={fill}>Fill</button>
      <p class="hint" role="status">{said}</p>
    </div>
  );
}
