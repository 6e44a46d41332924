import { HeartbeatBar } from "../board/card/HeartbeatBar.tsx";
import { faultText, heartbeatLabel } from "../board/card/heartbeatText.ts";
import type { ShownStream } from "./useStream.ts";

/** The number of faults that are listed: the newest. */
const MAX_LISTED = 5;

interface StreamDayProps {
  shown: ShownStream;
  /** Absent: the viewer's own. */
  timeZone?: string;
}

/** The stream's last 24 hours: how much of it was good, the bar, and its newest faults in words. */
export function StreamDay({ shown: { stream: { id, name }, heartbeats }, timeZone }: StreamDayProps) {
  const heartbeat = heartbeats.streams[id];
  if (!heartbeat) return null;
  const faults = heartbeat.faults.slice(-MAX_LISTED).reverse();
  return (
    <section class="stream-day">
      <h2>{heartbeatLabel(heartbeat)}</h2>
      <HeartbeatBar id={id} name={name} heartbeats={heartbeats} href="#what-happened" target={{}} />
      {faults.length > 0 && (
        <ul>
          {faults.map((fault) => <li key={fault.from}>{faultText(heartbeats, fault, timeZone)}</li>)}
        </ul>
      )}
    </section>
  );
}
