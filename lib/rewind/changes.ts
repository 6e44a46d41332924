/** How much of the picture changed where, in slots of time. Pure. */
import { timeText } from "../model/past.ts";
import type { StreamEvent } from "../model/answers/shapes.ts";
import { NO_CHANGE } from "./recorder/piece.ts";
import { type Range } from "./query.ts";
import type { Gap, Timeline, Why } from "./timeline.ts";

interface Slot {
  share: number;
  cells: Uint8Array;
  /** The cells of the change before. */
  last: Uint8Array | null;
  events: StreamEvent[];
}

/** What the API answers; times are RFC 3339. */
export function changesOf(
  { spans, gaps }: Timeline,
  { start, end, scale }: Range & { scale: number },
  events: readonly StreamEvent[],
) {
  const slots = new Map<number, Slot>();
  const slotAt = (time: number) => {
    const number = Math.floor((time - start) / scale);
    let slot = slots.get(number);
    if (!slot) slots.set(number, slot = { share: 0, cells: NO_CHANGE.cells.slice(), last: null, events: [] });
    return slot;
  };
  for (const stretch of spans.flatMap(({ stretches }) => stretches)) {
    for (const { at, share, cells } of stretch.piece.pictures) {
      if (share === 0 || at < stretch.start || at >= stretch.end) continue;
      const slot = slotAt(at);
      slot.share = Math.max(slot.share, share);
      // a clock changes the same cells each time
      if (slot.last === cells) continue;
      slot.last = cells;
      for (let byte = 0; byte < cells.length; byte++) slot.cells[byte] |= cells[byte];
    }
  }
  for (const event of eventsOf(events, { start, end })) slotAt(event.at / 1000).events.push(event);
  return {
    start: timeText(start),
    end: timeText(end),
    scale,
    slots: [...slots].sort(([one], [other]) => one - other).map(([number, { share, cells, events }]) => ({
      start: timeText(start + number * scale),
      share,
      cells: cells.toHex(),
      ...events.length > 0 ? { events } : {},
    })),
    gaps: gaps.map(gapAnswer),
  };
}

export function gapAnswer({ start, end, ...why }: Gap) {
  return { start: timeText(start), duration: end - start, ...whyAnswer(why) };
}

/** Why nothing is kept, as the API says it. */
export function whyAnswer({ reason, node }: Why) {
  return { ...reason ? { reason } : {}, ...node ? { node } : {} };
}

/** The events that began in a time. */
export function eventsOf(events: readonly StreamEvent[], { start, end }: Range): StreamEvent[] {
  return events.filter(({ at }) => at >= start * 1000 && at < end * 1000);
}
