/** Catch-up: what lets IPTV apps show what was on a channel before. Pure. */
import type { Config } from "../../config.ts";
import type { StreamId } from "../../model/id.ts";
import { streamLinks } from "../../model/links.ts";
import type { PublicStream } from "../../model/schema.ts";
import { maySeePast } from "../../model/shown_stream.ts";

/** For how many hours this machine keeps the channels' past; 0: it keeps none. ffmpeg's own capture has no recorder. */
export function hoursOfPast(
  { REWIND_GB, REWIND_HOURS, CAPTURE }: Pick<Config, "REWIND_GB" | "REWIND_HOURS" | "CAPTURE">,
): number {
  return REWIND_GB === 0 || CAPTURE !== "auto" ? 0 : REWIND_HOURS;
}

/** Whether apps, which have the rights of viewers, may show a stream's past. */
export function hasCatchup(stream: Pick<PublicStream, "rewind" | "rewindFor">): boolean {
  return stream.rewind && maySeePast("viewer", stream);
}

/**
 * What a channel's line in the playlist has for it: the placeholders that most apps know (docs/decisions/iptv.md).
 * @param base what all addresses begin with.
 */
export function catchupAttributes(
  { id, pastHours }: { id: string; pastHours: number },
  base: string,
): Record<string, string | number> {
  if (pastHours === 0) return {};
  return {
    "catchup": "default",
    "catchup-days": Math.ceil(pastHours / 24),
    "catchup-source": `${base}${streamLinks(id).pastList}?start=\${start}&end=\${end}`,
  };
}

/** Where a channel's past is. */
export interface KeptPasts {
  /** Whether this machine knows since when; of another one's it may not. */
  isKnown(id: StreamId): boolean;
  /** Since when something is kept, Unix ms; null: nothing is. */
  since(id: StreamId): Promise<number | null>;
}

/** Since when apps can show streams' past, Unix ms, by id. @param hours of which the past is kept at most. */
export async function catchupSince(
  streams: readonly PublicStream[],
  hours: number,
  now: number,
  { isKnown, since }: KeptPasts,
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  if (hours === 0) return found;
  const earliest = now - hours * 3_600_000;
  for (const stream of streams.filter(hasCatchup)) {
    const { id } = stream;
    // of another machine's nobody here knows more
    const first = isKnown(id) ? await since(id) : earliest;
    if (first !== null && first < now) found.set(id, Math.max(first, earliest));
  }
  return found;
}
