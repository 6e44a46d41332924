/**
 * A strict reader of HLS media playlists: RFC 8216 section 4, for live channels in MPEG-TS. "Clients MUST fail to
 * parse" what breaks these rules; players are kinder, each in its own way, so nothing may rely on that.
 */

export interface Segment {
  uri: string;
  /** Seconds. */
  duration: number;
  /** Media Sequence Number. */
  sequence: number;
  /** Discontinuity Sequence Number: the breaks before it, since the channel began. */
  discontinuity: number;
}

export interface MediaPlaylist {
  version: number;
  /** Seconds. */
  targetDuration: number;
  sequence: number;
  discontinuitySequence: number;
  segments: Segment[];
}

/** Tags of a media playlist that a live channel may have once, each a whole number. */
const NUMBERS = [
  "#EXT-X-VERSION",
  "#EXT-X-TARGETDURATION",
  "#EXT-X-MEDIA-SEQUENCE",
  "#EXT-X-DISCONTINUITY-SEQUENCE",
] as const;

const EXTINF = /^#EXTINF:(\d+(?:\.\d+)?),(.*)$/;

/**
 * Reads a playlist.
 * @throws {Error} naming the line and the section of RFC 8216 it breaks.
 */
export function parseMediaPlaylist(file: Uint8Array | string): MediaPlaylist {
  const bytes = typeof file === "string" ? new TextEncoder().encode(file) : file;
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  const lines = text.split(/\r?\n/);
  if (lines.pop() !== "") throw new Error("the last line has no end");
  const fail = (at: number, why: string): never => {
    throw new Error(`line ${at + 1}: ${why}: ${JSON.stringify(lines[at])}`);
  };

  const numbers: Partial<Record<typeof NUMBERS[number], number>> = {};
  const segments: Segment[] = [];
  let breaks = 0;
  let isBreak = false;
  let duration: number | null = null;

  lines.forEach((line, at) => {
    if (/[\p{Cc}\uFEFF]/u.test(line)) fail(at, "a control character or byte order mark (4.1)");
    if (at === 0) {
      if (line !== "#EXTM3U") fail(at, "not #EXTM3U (4.3.1.1)");
      return;
    }
    const isTag = line.startsWith("#EXT");
    if (line === "" || (line.startsWith("#") && !isTag)) return; // blank lines and comments
    const [, name, value] = /^(#EXT[^:]*):?(.*)$/.exec(line) ?? [];
    const number = NUMBERS.find((one) => one === name);
    if (number) {
      if (number in numbers) fail(at, "stands twice");
      if (!/^\d+$/.test(value)) fail(at, "no whole number (4.2)");
      const isLate = segments.length > 0 || (number === "#EXT-X-DISCONTINUITY-SEQUENCE" && breaks > 0);
      if (isLate) fail(at, "must stand before the segments (4.3.3)");
      numbers[number] = Number(value);
    } else if (line === "#EXT-X-DISCONTINUITY") {
      if (isBreak) fail(at, "stands twice for one segment");
      isBreak = true;
      breaks++;
    } else if (name === "#EXTINF") {
      if (duration !== null) fail(at, "no segment follows the one before (4.3.2.1)");
      const read = EXTINF.exec(line);
      if (!read) fail(at, "not #EXTINF:<duration>,[<title>] (4.3.2.1)");
      duration = Number(read![1]);
    } else if (isTag) {
      // such as EXT-X-ENDLIST and EXT-X-PLAYLIST-TYPE, after which a list must not change, or EXT-X-STREAM-INF
      fail(at, "no tag of a live media playlist");
    } else {
      if (duration === null) fail(at, "a segment without #EXTINF (4.3.2.1)");
      if (!URL.canParse(line, "http://host/") || /\s/.test(line)) fail(at, "no URI");
      segments.push({ uri: line, duration: duration!, sequence: segments.length, discontinuity: breaks });
      duration = null;
      isBreak = false;
    }
  });
  if (duration !== null || isBreak) throw new Error("the list ends with a tag that no segment follows");

  const { "#EXT-X-VERSION": version = 1, "#EXT-X-TARGETDURATION": targetDuration } = numbers;
  if (targetDuration === undefined) throw new Error("no #EXT-X-TARGETDURATION (4.3.3.1)");
  const sequence = numbers["#EXT-X-MEDIA-SEQUENCE"] ?? 0;
  const discontinuitySequence = numbers["#EXT-X-DISCONTINUITY-SEQUENCE"] ?? 0;
  if (version < 3 && /#EXTINF:\d+\./.test(text)) throw new Error("a decimal #EXTINF needs version 3 (7)");
  for (const segment of segments) {
    if (Math.round(segment.duration) > targetDuration) {
      throw new Error(
        `${segment.uri} lasts ${segment.duration} s, longer than the target duration (4.3.3.1)`,
      );
    }
    segment.sequence += sequence;
    segment.discontinuity += discontinuitySequence;
  }
  return { version, targetDuration, sequence, discontinuitySequence, segments };
}
