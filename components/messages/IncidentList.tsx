import { useEffect, useState } from "preact/hooks";
import type { Incident } from "../../lib/model/answers/shapes.ts";
import { rewindLink, streamLinks } from "../../lib/model/links.ts";
import { api } from "../client/api.ts";
import { showOpenCount } from "../client/openCount.ts";
import { usePolling } from "../client/usePolling.ts";
import { INCIDENT_WORDS } from "./messageText.ts";

interface IncidentListProps {
  first: Incident[];
  streams: { id: string; name: string }[];
  groups: string[];
}

const EVERY_MS = 10_000;
/** A longer list is cut: nobody reads it. */
const MAX_SHOWN = 200;

/** What went wrong, of all streams and of the machine, the newest first. */
export function IncidentList({ first, streams, groups }: IncidentListProps) {
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
  useEffect(() => showOpenCount(open, "Messages · Browser Stream"), [open]);
  const isFiltered = Boolean(stream || group || kind || isOpen);
  return (
    <section aria-labelledby="incidents-title">
      <h2 id="incidents-title">Incidents{open > 0 && <span class="chip is-failed">{open} open</span>}</h2>
      <div class="incident-filter js" role="group" aria-label="Filter">
        <Choice
          label="Stream"
          all="All streams"
          value={stream}
          onChange={setStream}
          options={streams.map(({ id, name }) => [id, name])}
        />
        <Choice
          label="Group"
          all="All groups"
          value={group}
          onChange={setGroup}
          options={groups.map((one) => [one, one])}
        />
        <Choice
          label="Kind"
          all="All kinds"
          value={kind}
          onChange={setKind}
          options={Object.entries(INCIDENT_WORDS)}
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
      <ul class="incidents">
        {shown.slice(0, MAX_SHOWN).map(({ id, stream, name, kind, what, from, to }) => (
          <li key={id} class={to === null ? "box incident is-open" : "box incident"}>
            <p>
              <strong>{stream ? <a href={streamLinks(stream).stream}>{name}</a> : "This machine"}</strong>
              {" "}
              <span class="quiet-text">{INCIDENT_WORDS[kind]}</span>
            </p>
            <p>{what || "The stream's log has the details."}</p>
            <p class="quiet-text">
              {timeText(from)} to {to === null ? "now" : timeText(to)}
              {stream && (
                <>
                  {". "}
                  <a href={rewindLink(stream, Math.floor(from / 1000))}>Show what it showed then</a>
                </>
              )}
            </p>
          </li>
        ))}
      </ul>
    </section>
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

/** "2026-11-28 03:04", in the viewer's time. */
function timeText(at: number): string {
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
