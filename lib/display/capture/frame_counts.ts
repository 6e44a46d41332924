/** The numbers of pictures of each display that encoders got and missed, from the capture program. Pure. */

export interface FrameCounts {
  /** Pictures that an encoder took. */
  sent: number;
  /** Pictures with a change that the encoder was too slow for. */
  dropped: number;
}

/** The counts by the display's number. */
export type FrameCountsOfDisplays = ReadonlyMap<number, Readonly<FrameCounts>>;

/** Bytes: more than 500 displays need; a longer text is not read. */
export const MAX_COUNTS = 64 * 1024;

/** A line for each display: its number, and both counts. */
export function countsText(counts: FrameCountsOfDisplays): string {
  return Array.from(counts, ([display, { sent, dropped }]) => `${display} ${sent} ${dropped}\n`).join("");
}

/** The counts in a text of `countsText`; other lines are left out. */
export function parseCounts(text: string): FrameCountsOfDisplays {
  const lines = text.matchAll(/^(\d{1,5}) (\d{1,15}) (\d{1,15})$/gm);
  return new Map(
    Array.from(
      lines,
      ([, display, sent, dropped]) => [Number(display), { sent: Number(sent), dropped: Number(dropped) }],
    ),
  );
}
