/** The list of a part of the past for players (HLS), whose segments are made when they are asked for. Pure. */
import { type Speed, timeText } from "../model/past.ts";
import type { StreamEvent } from "../model/answers/shapes.ts";
import { type Range } from "./query.ts";
import type { Timeline } from "./timeline.ts";

export const LIST_TYPE = "application/vnd.apple.mpegurl";

/** Seconds of the past in a segment at most: it begins at a multiple of that, or where its span does. */
export const SEGMENT_SECONDS: Readonly<Record<Speed, number>> = { 1: 60, 10: 100, 60: 600 };

/** Pictures a second that a film has. */
export function filmRate(speed: Speed): number {
  const MOST = 30;
  return Math.min(MOST, speed);
}

/** A list's segments; null at a place where the pictures do not go on. */
function segmentsOf({ spans }: Timeline, speed: Speed): (Range | null)[] {
  const most = SEGMENT_SECONDS[speed];
  return spans.flatMap(({ start, end }, at) => {
    const segments: (Range | null)[] = at > 0 ? [null] : [];
    for (let from = start; from < end;) {
      const to = Math.min(end, (Math.floor(from / most) + 1) * most);
      segments.push({ start: from, end: to });
      from = to;
    }
    return segments;
  });
}

/** A text between quotation marks (RFC 8216, section 4.2). */
const quoted = (text: string) => `"${text.replace(/[\r\n]+/g, " ").replaceAll('"', "'")}"`;

/**
 * The list. Its timestamps count from `start` on, gaps included, so that a segment follows from its address alone.
 * @param events of that time. @param speed a faster film has a date at each segment: inside, time goes by faster.
 */
export function filmList(
  timeline: Timeline,
  start: number,
  events: readonly StreamEvent[],
  speed: Speed,
): string {
  const lines = [
    ...["#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-PLAYLIST-TYPE:VOD", "#EXT-X-INDEPENDENT-SEGMENTS"],
    ...[`#EXT-X-TARGETDURATION:${Math.ceil(SEGMENT_SECONDS[speed] / speed)}`, "#EXT-X-MEDIA-SEQUENCE:0"],
  ];
  let isNew = true;
  const marks: string[] = [];
  for (const { id, at, kind, level, text } of events) {
    const date = new Date(at).toISOString();
    marks.push(
      `#EXT-X-DATERANGE:ID="event-${id}",CLASS="event",START-DATE="${date}",X-KIND="${kind}",X-LEVEL="${level}",` +
        `X-TEXT=${quoted(text)}`,
    );
  }
  for (const gap of timeline.gaps) {
    const reason = (gap.reason ? `,X-REASON="${gap.reason}"` : "") +
      (gap.node ? `,X-NODE="${gap.node}"` : "");
    const date = timeText(gap.start);
    marks.push(
      `#EXT-X-DATERANGE:ID="gap-${gap.start}",CLASS="gap",START-DATE="${date}",DURATION=${
        gap.end - gap.start
      }${reason}`,
    );
  }
  for (const segment of segmentsOf(timeline, speed)) {
    if (segment === null) {
      lines.push("#EXT-X-DISCONTINUITY");
      isNew = true;
      continue;
    }
    if (isNew || speed > 1) {
      lines.push(`#EXT-X-PROGRAM-DATE-TIME:${new Date(segment.start * 1000).toISOString()}`);
    }
    if (marks.length > 0) lines.push(...marks.splice(0));
    isNew = false;
    const duration = segment.end - segment.start;
    const query = `start=${segment.start}&duration=${duration}&from=${start}${
      speed > 1 ? `&speed=${speed}` : ""
    }`;
    lines.push(`#EXTINF:${(duration / speed).toFixed(3)},`, `segment.ts?${query}`);
  }
  return [...lines, "#EXT-X-ENDLIST", ""].join("\n");
}
