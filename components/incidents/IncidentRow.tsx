import type { Incident } from "../../lib/model/answers/shapes.ts";
import { rewindLink, streamLinks } from "../../lib/model/links.ts";
import { StateChip } from "../board/card/StateChip.tsx";
import { pictureAddress } from "../rewind/past.ts";
import { KIND_WORDS, spanText } from "./incidentText.ts";

interface IncidentRowProps {
  incident: Incident;
  /** Whether its stream is still there. */
  isThere: boolean;
  /** Whether the person may see what its stream showed then, as far as it is kept. */
  hasPast: boolean;
  timeZone?: string;
}

/** One incident: of what, its state, why, from when to when, and the picture of its beginning. */
export function IncidentRow({ incident, isThere, hasPast, timeZone }: IncidentRowProps) {
  const { stream, name, kind, state, what, from, to } = incident;
  const moment = Math.floor(from / 1000);
  const past = hasPast && stream !== null ? rewindLink(stream, moment) : null;
  return (
    <li class={to === null ? "box incident is-open" : "box incident"}>
      <div>
        <p class="incident-head">
          <strong class="wrap">
            {stream === null
              ? "This machine"
              : isThere
              ? <a href={streamLinks(stream).stream}>{name}</a>
              : name}
          </strong>
          {stream !== null && kind !== "certificate" && <StateChip state={state} />}
          <span class="quiet-text">{KIND_WORDS[kind]}</span>
        </p>
        <p>{what || "The stream's log has the details."}</p>
        <p class="quiet-text">{spanText({ from, to }, timeZone)}</p>
        {past && (
          <p>
            <a href={past}>Show what it showed then</a>
          </p>
        )}
      </div>
      {past && (
        // the link above says where it leads; without a picture of that moment nothing is seen
        <a class="incident-picture" href={past} tabIndex={-1} aria-hidden="true">
          <img src={pictureAddress(stream!, moment)} alt="" loading="lazy" decoding="async" />
        </a>
      )}
    </li>
  );
}
