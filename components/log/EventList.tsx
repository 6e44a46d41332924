import { Icon } from "../ui/Icon.tsx";
import { byDay, countText, KIND_WORDS, LEVEL_ICONS, LEVEL_WORDS, timeOfDay } from "./eventText.ts";
import { cutAtMatches } from "./logBuffer.ts";
import type { StreamEvent } from "../../lib/model/answers/shapes.ts";

interface EventListProps {
  events: readonly StreamEvent[];
  /** The text to mark in the events. */
  query: string;
  /** Absent: the viewer's own. */
  timeZone?: string;
}

/** Events by day, with the newest last. */
export function EventList({ events, query, timeZone }: EventListProps) {
  return (
    <>
      {byDay(events, timeZone).map((day) => (
        <section key={day.name} class="event-day">
          <h2>{day.name}</h2>
          <ol>{day.events.map((event) => <EventRow key={event.id} {...{ event, query, timeZone }} />)}</ol>
        </section>
      ))}
    </>
  );
}

function EventRow({ event, query, timeZone }: { event: StreamEvent; query: string; timeZone?: string }) {
  const { kind, level, text, lastAt } = event;
  const word = LEVEL_WORDS[level];
  const count = countText(event, timeZone);
  return (
    <li class={`event is-${level}`}>
      <time dateTime={new Date(lastAt).toISOString()}>{timeOfDay(lastAt, timeZone)}</time>
      <Icon name={LEVEL_ICONS[level]} />
      <span class="event-kind">{KIND_WORDS[kind]}</span>
      <p class="event-text">
        {word && <strong>{word}:</strong>}{" "}
        {cutAtMatches(text, query).map((piece, at) => at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece)}
        {" "}
        {count && <span class="event-count">{count}</span>}
      </p>
    </li>
  );
}
