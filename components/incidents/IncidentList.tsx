import { useEffect, useState } from "preact/hooks";
import type { Incident } from "../../lib/model/answers/shapes.ts";
import { api } from "../client/api.ts";
import { showOpenCount } from "../client/openCount.ts";
import { usePolling } from "../client/usePolling.ts";
import { IncidentRow } from "./IncidentRow.tsx";
import { byFirstDay, KINDS } from "./incidentText.ts";

/** A stream of which there may be incidents. */
export interface IncidentStream {
  id: string;
  name: string;
  /** Whether the person may see what it showed before. */
  hasPast: boolean;
}

export interface IncidentListProps {
  first: Incident[];
  streams: IncidentStream[];
  groups: string[];
  /** Absent: the viewer's own. */
  timeZone?: string;
}

const EVERY_MS = 10_000;
/** A longer list is cut: nobody reads it. */
const MAX_SHOWN = 200;

/** What went wrong, of all streams and of the machine, the newest first. */
export function IncidentList({ first, streams, groups, timeZone }: IncidentListProps) {
  const [all, setAll] = useState(first);
  const [stream, setStream] = useState("");
  const [group, setGroup] = useState("");
  const [kind, setKind] = useState("");
  const [isOpen, setOpen] = useState(false);
  usePolling(async () => setAll((await api.incidents()).incidents), EVERY_MS);
  const shown = all.filter((one) =>
    (!stream || one.stream === stream) && (!group || one.group === group) && (!kind || one.kind === kind) &&
    (!isOpen || one.to === null)
  );
  const open = all.filter(({ to }) => to === null).length;
  useEffect(() => showOpenCount(open, "Incidents · Browser Stream"), [open]);
  const isFiltered = Boolean(stream || group || kind || isOpen);
  const byId = new Map(streams.map((one) => [one.id, one]));
  return (
    <>
      <h1>Incidents{open > 0 && <span class="chip is-failed">{open} open</span>}</h1>
      {/* without a script one reads all of them */}
      <div class="incident-filter js" role="group" aria-label="Filter">
        <Choice
          label="Stream"
          all="All streams"
          value={stream}
          onChange={setStream}
          options={streams.map(({ id, name }) => [id, name])}
        />
        {groups.length > 0 && (
          <Choice
            label="Group"
            all="All groups"
            value={group}
            onChange={setGroup}
            options={groups.map((one) => [one, one])}
          />
        )}
        <Choice
          label="Kind"
          all="All kinds"
          value={kind}
          onChange={setKind}
          options={Object.entries(KINDS)}
        />
        <div class="check">
          <label>
            <input
              type="checkbox"
              checked={isOpen}
              onChange={(event) => setOpen(event.currentTarget.checked)}
            />
            Open only
          </label>
        </div>
      </div>
      <p class="quiet-text" role="status">
        {shown.length > 0 ? "" : isFiltered ? "No incident matches." : "No incident yet."}
      </p>
      {byFirstDay(shown.slice(0, MAX_SHOWN), timeZone).map(({ name, incidents }) => (
        <section key={name} aria-label={name}>
          <h2>{name}</h2>
          <ul class="incident-list">
            {incidents.map((one) => {
              const known = byId.get(one.stream ?? "");
              const isThere = known !== undefined;
              const hasPast = known?.hasPast ?? false;
              return <IncidentRow key={one.id} incident={one} {...{ isThere, hasPast, timeZone }} />;
            })}
          </ul>
        </section>
      ))}
    </>
  );
}

interface ChoiceProps {
  label: string;
  all: string;
  value: string;
  options: [value: string, word: string][];
  onChange: (value: string) => void;
}

function Choice({ label, all, value, options, onChange }: ChoiceProps) {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">{all}</option>
      {options.map(([one, word]) => <option key={one} value={one}>{word}</option>)}
    </select>
  );
}
