/**
 * EXT-X-PROGRAM-DATE-TIME, which nginx-rtmp does not write: what the clock said when a segment's first picture was on the
 * display. It is on the first segment and after each discontinuity (draft-pantos-hls-rfc8216bis, 6.2.1): from there players
 * add the durations, which are those of the timestamps. With one on each segment a list would be twice as long.
 */

/** Unix ms of segments by their names; null: it was looked for in vain. */
type Times = Map<string, number | null>;

const TAG = "#EXT-X-PROGRAM-DATE-TIME:";

function timeIn(line: string): number | null {
  const time = Date.parse(line.slice(TAG.length));
  return Number.isNaN(time) ? null : time;
}

/**
 * The list with the dates that follow from known times, and the times of its segments. Where a time is null the next segment
 * has the date. Pure.
 * @returns unknown: the first segment that needs a time which is not in `known`; null: there is none.
 */
export function withDates(
  playlist: string,
  known: Times,
): { playlist: string; times: Times; unknown: string | null } {
  const times: Times = new Map();
  const lines: string[] = [];
  let next: number | null = null, seconds = 0, unknown: string | null = null;
  for (const line of playlist.split("\n")) {
    const text = line.trim();
    if (text === "#EXT-X-DISCONTINUITY") next = null;
    else if (text.startsWith(TAG)) next = timeIn(text);
    else if (text.startsWith("#EXTINF:")) seconds = Number.parseFloat(text.slice("#EXTINF:".length)) || 0;
    else if (text !== "" && !text.startsWith("#")) {
      const begin: number | null | undefined = next ?? known.get(text);
      if (begin === undefined) unknown ??= text;
      else times.set(text, begin);
      if (typeof begin === "number") {
        // before the line with the duration
        if (next === null) lines.splice(-1, 0, TAG + new Date(begin).toISOString());
        next = begin + Math.round(seconds * 1000);
      }
    }
    lines.push(line);
  }
  return { playlist: lines.join("\n"), times, unknown };
}

/** The dates of one channel's lists. */
export class ProgramDates {
  #timeOf: (name: string) => Promise<number | null>;
  /** Of the segments in the last list. */
  #times: Times = new Map();

  /** @param timeOf Unix ms of a segment of this node; null: it does not say it. Asked for one behind each break. */
  constructor(timeOf: (name: string) => Promise<number | null>) {
    this.#timeOf = timeOf;
  }

  /** The channel's list with its dates. */
  async dated(playlist: string): Promise<string> {
    const known: Times = new Map(this.#times);
    for (;;) {
      const { playlist: dated, times, unknown } = withDates(playlist, known);
      if (unknown === null) {
        this.#times = times;
        return dated;
      }
      known.set(unknown, await this.#timeOf(unknown));
    }
  }

  /** The channel goes on from a list that another node has dated. */
  goOn(playlist: string): void {
    this.#times = withDates(playlist, new Map()).times;
  }
}
