/** How many pictures of each display encoders got, and how many they missed, as the capture program tells it. Pure. */

export interface FrameCounts {
  /** Pictures that an encoder took. */
  sent: number;
  /** Pictures with a change that it was too slow for. */
  dropped: number;
}

/** By the display's number. */
export type FrameCountsOfDisplays = ReadonlyMap<number, Readonly<FrameCounts>>;

/** More than 500 displays need; longer ones are not read. */
export const MAX_COUNTS = 64 * 1024;

/** A line for each display: its number, and both counts. */
export function countsText(counts: FrameCountsOfDisplays): string {
  return Array.from(counts, ([display, { sent, dropped }]) => `${display} ${sent} ${dropped}\n`).join("");
}

/** What `countsText` wrote; what is no such line is left out. */
export function parseCounts(text: string): FrameCountsOfDisplays {
  const lines = text.matchAll(/^(\d{1,5}) (\d{1,15}) (\d{1,15})$/gm);
  return new Map(
    Array.from(
      lines,
      ([, display, sent, dropped]) => [Number(display), { sent: Number(sent), dropped: Number(dropped) }],
    ),
  );
}
