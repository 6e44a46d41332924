/**
 * The capture program's counts of each display: the pictures that encoders got and missed, and when the picture last
 * changed. Pure.
 */

export interface FrameCounts {
  /** Pictures that an encoder took. */
  sent: number;
  /** Pictures with a change that the encoder was too slow for. */
  dropped: number;
  /** When the picture last differed from the one before, in whole Unix ms; 0: that is not known yet. */
  changedAt: number;
}

/** The counts by the display's number. */
export type FrameCountsOfDisplays = ReadonlyMap<number, Readonly<FrameCounts>>;

/** Bytes: more than 500 displays need; a longer text is not read. */
export const MAX_COUNTS = 64 * 1024;

/** A line for each display: its number, both counts, and the time of the last change. */
export function countsText(counts: FrameCountsOfDisplays): string {
  const line = ([display, { sent, dropped, changedAt }]: [number, FrameCounts]) =>
    `${display} ${sent} ${dropped} ${changedAt}\n`;
  return Array.from(counts, line).join("");
}

/** The counts in a text of `countsText`; other lines are left out. An older program tells no time of a change. */
export function parseCounts(text: string): FrameCountsOfDisplays {
  const lines = text.matchAll(/^(\d{1,5}) (\d{1,15}) (\d{1,15})(?: (\d{1,15}))?$/gm);
  return new Map(
    Array.from(
      lines,
      ([, display, sent, dropped, changedAt = "0"]) => [
        Number(display),
        { sent: Number(sent), dropped: Number(dropped), changedAt: Number(changedAt) },
      ],
    ),
  );
}
