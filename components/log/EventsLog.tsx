import { useMemo } from "preact/hooks";
import { EventList } from "./EventList.tsx";
import { matches } from "./eventText.ts";
import { LogFrame } from "./LogFrame.tsx";
import { useFollowing } from "./useFollowing.ts";
import type { Log } from "./useLog.ts";

interface EventsLogProps {
  log: Log;
  query: string;
  onQuery: (query: string) => void;
  /** Absent: the viewer's own. */
  timeZone?: string;
}

/** A stream's events, the newest last. */
export function EventsLog({ log, query, onQuery, timeZone }: EventsLogProps) {
  const { events, next } = log.happened;
  const shown = useMemo(() => {
    return query === "" ? events : events.filter((event) => matches(event, query));
  }, [events, query]);
  return (
    <LogFrame
      {...{ log, query, onQuery }}
      noun="event"
      total={events.length}
      shown={shown.length}
      following={useFollowing(Number(next), shown)}
      label="Events"
      empty="Nothing has happened yet. Starts, stops, restarts and the page's own events appear here."
    >
      <EventList events={shown} query={query} timeZone={timeZone} />
      {timeZone && (
        <noscript>
          <p class="log-empty">Times are in the service's zone, {timeZone}.</p>
        </noscript>
      )}
    </LogFrame>
  );
}
