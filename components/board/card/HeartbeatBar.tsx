import { useState } from "preact/hooks";
import type { Beat } from "../../../lib/model/answers/heartbeat.ts";
import { faultText, heartbeatLabel, runsOf, slotText } from "./heartbeatText.ts";
import type { Heartbeats } from "../../../lib/model/answers/shapes.ts";
import { rewindLink } from "../../../lib/model/links.ts";
import { type PastStream, seesPast } from "../../rewind/seesPast.ts";

/** Tenths of the bar's height: bad times stand out, also without their colour. */
const HEIGHTS: Record<Beat, number> = { failed: 10, degraded: 7, good: 4, stopped: 1, unknown: 4 };

/** The number of faults that a bar names when the keyboard has reached it. */
const MAX_TOLD = 3;

const HOUR_MS = 3_600_000;

interface HeartbeatBarProps {
  stream: PastStream;
  heartbeats: Heartbeats;
  /** The address that says more: the stream's page, or its events. */
  href: string;
  target: Record<string, string>;
}

/**
 * A stream's last 24 hours or 30 days: the bar says when and why under the pointer, and leads to more. For whoever may see the
 * stream's past, a moment of the day leads to what the stream showed then.
 */
export function HeartbeatBar({ stream, heartbeats, href, target }: HeartbeatBarProps) {
  const { id, name } = stream;
  const [told, setTold] = useState<string[]>([]);
  const [moment, setMoment] = useState<string>();
  const heartbeat = heartbeats.streams[id];
  if (!heartbeat) return <div class="beats" />;
  const label = heartbeatLabel(heartbeats, heartbeat);
  const count = heartbeat.slots.length;
  const toldId = `beats-${count}-${id}`;

  function point({ clientX, currentTarget }: { clientX: number; currentTarget: Element }) {
    const { left, width } = currentTarget.getBoundingClientRect();
    const at = Math.max(0, Math.min(Math.floor((clientX - left) / width * count), count - 1));
    setTold([slotText(heartbeats, heartbeat, at)]);
    const { from, slotMs } = heartbeats;
    if (slotMs < HOUR_MS && seesPast(stream)) {
      setMoment(rewindLink(id, Math.floor((from + at * slotMs) / 1000)));
    }
  }

  function focus() {
    setMoment(undefined);
    const faults = heartbeat.faults.slice(-MAX_TOLD).reverse();
    setTold([label, ...faults.map((fault) => faultText(heartbeats, fault))]);
  }

  return (
    <div class="beats">
      <a
        href={moment ?? href}
        draggable={false}
        aria-describedby={told.length > 0 ? toldId : undefined}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setTold([])}
        onFocus={(event) => event.currentTarget.matches(":focus-visible") && focus()}
        onBlur={() => setTold([])}
        {...target}
      >
        <svg
          viewBox={`0 0 ${count} 10`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${label}: ${name}`}
        >
          {runsOf(heartbeat).map(({ beat, from, length }) => (
            <rect
              key={from}
              class={`beat-${beat}`}
              x={from}
              y={10 - HEIGHTS[beat]}
              width={length}
              height={HEIGHTS[beat]}
            />
          ))}
        </svg>
      </a>
      {told.length > 0 && (
        <p class="beats-told" role="tooltip" id={toldId}>
          {told.map((line) => <span key={line}>{line}</span>)}
        </p>
      )}
    </div>
  );
}
