import { HeartbeatBar } from "../board/card/HeartbeatBar.tsx";
import { faultText, heartbeatLabel } from "../board/card/heartbeatText.ts";
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
export function StreamDay({ shown: { stream: { id, name }, heartbeats }, timeZone }: StreamDayProps) {
  const { day, month } = heartbeats;
  const faults = day.streams[id].faults.slice(-MAX_LISTED).reverse();
  const bar = (span: Heartbeats) => (
    <>
      <h2>{heartbeatLabel(span, span.streams[id])}</h2>
      <HeartbeatBar id={id} name={name} heartbeats={span} href="#what-happened" target={{}} />
    </>
  );
  return (
    <section class="stream-day">
      {bar(day)}
      {faults.length > 0 && (
        <ul>
          {faults.map((fault) => <li key={fault.from}>{faultText(day, fault, timeZone)}</li>)}
        </ul>
      )}
      {bar(month)}
    </section>
  );
}
