import { HeartbeatBar } from "../board/card/HeartbeatBar.tsx";
import { faultText, heartbeatLabel } from "../board/card/heartbeatText.ts";
import { rewindLink } from "../../lib/model/links.ts";
import { seesPast } from "../rewind/seesPast.ts";
import type { Heartbeats } from "../../lib/model/answers/shapes.ts";
import type { ShownStream } from "./useStream.ts";

/** The number of faults that are listed: the newest. */
const MAX_LISTED = 5;

interface StreamDayProps {
  shown: ShownStream;
  /** Absent: the viewer's own. */
  timeZone?: string;
}

/** The stream's last 24 hours and 30 days: how much was good, the bars, and the day's newest faults in words. */
export function StreamDay({ shown: { stream, heartbeats }, timeZone }: StreamDayProps) {
  const { id } = stream;
  const { day, month } = heartbeats;
  const isReady = timeZone === undefined;
  const isPastSeen = isReady && seesPast(stream);
  const faults = day.streams[id].faults.slice(-MAX_LISTED).reverse();
  const startOf = (slot: number) => Math.floor((day.from + slot * day.slotMs) / 1000);
  const bar = (span: Heartbeats) => (
    <>
      <h2>{heartbeatLabel(span, span.streams[id])}</h2>
      <HeartbeatBar stream={stream} heartbeats={span} href="#what-happened" target={{}} />
    </>
  );
  return (
    <section class="stream-day">
      {bar(day)}
      {faults.length > 0 && (
        <ul>
          {faults.map((fault) => (
            <li key={fault.from}>
              {faultText(day, fault, timeZone)}{" "}
              {isPastSeen && <a href={rewindLink(id, startOf(fault.from))}>Show it</a>}
            </li>
          ))}
        </ul>
      )}
      {bar(month)}
    </section>
  );
}
