import { useState } from "preact/hooks";
import { HeartbeatBar } from "../board/card/HeartbeatBar.tsx";
import { faultText, heartbeatLabel } from "../board/card/heartbeatText.ts";
import { mayDo } from "../client/mayDo.ts";
import { rewindLink } from "../rewind/rewindLink.ts";
import type { Heartbeats } from "../../lib/model/answers/shapes.ts";
import type { ShownStream } from "./useStream.ts";

/** The number of faults that are listed: the newest. */
const MAX_LISTED = 5;

interface StreamDayProps {
  shown: ShownStream;
  /** Absent: the viewer's own. */
  timeZone?: string;
}

/**
 * The stream's last 24 hours and 30 days: how much was good, the bars, and the day's newest faults in words. For whoever may
 * see its past, the day leads to each of its moments.
 */
export function StreamDay({ shown: { stream, heartbeats }, timeZone }: StreamDayProps) {
  const { id, name } = stream;
  const { day, month } = heartbeats;
  const [moment, setMoment] = useState<number | null>(null);
  const isReady = timeZone === undefined;
  const seesPast = isReady && (stream.rewindFor === "viewers" || mayDo("operator"));
  const faults = day.streams[id].faults.slice(-MAX_LISTED).reverse();
  const startOf = (slot: number) => Math.floor((day.from + slot * day.slotMs) / 1000);
  const bar = (span: Heartbeats, href = "#what-happened") => (
    <>
      <h2>{heartbeatLabel(span, span.streams[id])}</h2>
      <HeartbeatBar id={id} name={name} heartbeats={span} href={href} target={{}} />
    </>
  );

  function point({ clientX, currentTarget }: { clientX: number; currentTarget: Element }) {
    const { left, width } = currentTarget.getBoundingClientRect();
    const count = day.streams[id].slots.length;
    setMoment(startOf(Math.max(0, Math.min(Math.floor((clientX - left) / width * count), count - 1))));
  }

  return (
    <section class="stream-day">
      <div class="stream-day-bar" onPointerMove={point} onPointerDown={point}>
        {bar(day, seesPast && moment !== null ? rewindLink(id, moment) : undefined)}
      </div>
      {faults.length > 0 && (
        <ul>
          {faults.map((fault) => (
            <li key={fault.from}>
              {faultText(day, fault, timeZone)}{" "}
              {seesPast && <a href={rewindLink(id, startOf(fault.from))}>Show it</a>}
            </li>
          ))}
        </ul>
      )}
      {bar(month)}
    </section>
  );
}
