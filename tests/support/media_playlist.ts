/**
 * HLS media playlists of live channels in MPEG-TS, as hls-parser reads them, which knows RFC 8216. What it takes although
 * "clients MUST fail to parse" it, or although no live list has it (a byte order mark, a negative number, a tag behind the
 * last segment, an end), the form below refuses: players are kinder, each in its own way, so nothing may rely on that.
 */
import * as HLS from "hls-parser";

export interface Segment {
  uri: string;
  /** Seconds. */
  duration: number;
  /** Media Sequence Number. */
  sequence: number;
  /** Discontinuity Sequence Number: the breaks before it, since the channel began. */
  discontinuity: number;
  /** Unix ms of its begin: its own date, or that of the one before and its duration; missing where the list does not say it. */
  date?: number;
}

export interface MediaPlaylist {
  version: number;
  /** Seconds. */
  targetDuration: number;
  sequence: number;
  discontinuitySequence: number;
  segments: Segment[];
}

// else it only prints what is wrong
HLS.setOptions({ strictMode: true });

/** Blank lines and comments, which may be anywhere. */
const SKIPPED = "(?:#(?!EXT)[^\\n]*\\n|\\n)*";
const NUMBER = `#EXT-X-(?:VERSION|TARGETDURATION|MEDIA-SEQUENCE|DISCONTINUITY-SEQUENCE):\\d+\\n${SKIPPED}`;
const BREAK = `#EXT-X-DISCONTINUITY\\n${SKIPPED}`;
const DATE = `#EXT-X-PROGRAM-DATE-TIME:\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z\\n${SKIPPED}`;
const SEGMENT = `#EXTINF:\\d+(?:\\.\\d+)?,[^\\n]*\\n${SKIPPED}[^#\\s]\\S*\\n${SKIPPED}`;
/** A live list: its numbers once each, then segments, each behind a break or not, with a date or not. RFC 8216, 4.1 and 4.3. */
const LIVE = new RegExp(`^#EXTM3U\\n${SKIPPED}(?:${NUMBER})*(?:(?:${BREAK})?(?:${DATE})?${SEGMENT})*$`);

/** Reads a playlist. @throws {Error} that says what is wrong with it; {TypeError} for what is no UTF-8. */
export function parseMediaPlaylist(file: Uint8Array | string): MediaPlaylist {
  const bytes = typeof file === "string" ? new TextEncoder().encode(file) : file;
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    .replaceAll("\r\n", "\n");
  const list = HLS.parse(text);
  if (!(list instanceof HLS.types.MediaPlaylist) || !LIVE.test(text) || /[^\P{Cc}\n]/u.test(text)) {
    throw new Error(`no live media playlist (RFC 8216, 4): ${JSON.stringify(text.slice(0, 400))}`);
  }
  let next: number | undefined;
  const segments = list.segments.map((segment): Segment => {
    const { uri, duration, mediaSequenceNumber: sequence, discontinuitySequence: discontinuity } = segment;
    const date: number | undefined = segment.programDateTime?.getTime() ??
      (segment.discontinuity ? undefined : next);
    next = date === undefined ? undefined : date + duration * 1000;
    return { uri, duration, sequence, discontinuity, ...(date === undefined ? {} : { date }) };
  });
  return {
    version: list.version ?? 1,
    targetDuration: list.targetDuration,
    sequence: list.mediaSequenceBase ?? 0,
    discontinuitySequence: list.discontinuitySequenceBase ?? 0,
    segments,
  };
}
