/** What streams of a wall have in common: one bar for all of them. Pure. Moments are Unix times in s. */
import { gapText } from "./bars.ts";
import type { Channel } from "./channel.ts";
import type { Changes, Gap, Slot } from "./past.ts";

/** The slots of all channels, each with the largest share. @param all of one scale, one at least. */
export function mergedChanges(all: readonly (Pick<Channel, "name"> & { known: Changes })[]): Changes {
  const [{ known: first }] = all;
  if (all.length === 1) return first;
  const slots = new Map<number, Slot>();
  for (const { name, known } of all) {
    for (const { start, share, cells, events } of known.slots) {
      const slot = slots.get(start) ?? { start, share: 0, cells, events: [], names: [] };
      slots.set(start, slot);
      slot.events.push(...events.map((event) => ({ ...event, stream: name })));
      if (share > 0) slot.names!.push(name);
      if (share > slot.share) Object.assign(slot, { share, cells });
    }
  }
  return {
    start: Math.min(...all.map(({ known }) => known.start)),
    end: Math.max(...all.map(({ known }) => known.end)),
    askedAt: Math.min(...all.map(({ known }) => known.askedAt)),
    scale: first.scale,
    slots: [...slots.values()].sort((one, other) => one.start - other.start),
    gaps: all.flatMap(({ known }) => known.gaps),
  };
}

/** The times of which no channel has anything, with the reason that all of them have. @param all of each channel, in order. */
export function commonGaps(all: readonly (readonly Gap[])[]): Gap[] {
  const [first = [], ...others] = all;
  return others.reduce<readonly Gap[]>(
    (common, gaps) =>
      common.flatMap((one) =>
        gaps.filter((other) => other.start < one.end && other.end > one.start).map((other) => ({
          ...one,
          ...gapText(one) === gapText(other) ? {} : { reason: null, node: undefined },
          start: Math.max(one.start, other.start),
          end: Math.min(one.end, other.end),
        }))
      ),
    first,
  ) as Gap[];
}

/** "Clock", "Clock and News", "Clock, News and 3 more" */
export function namesText(names: readonly string[]): string {
  const [one, other, third] = names;
  if (names.length < 3) return names.join(" and ");
  return names.length === 3
    ? `${one}, ${other} and ${third}`
    : `${one}, ${other} and ${names.length - 2} more`;
}
