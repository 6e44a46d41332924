/** One second of a slate that says that a channel is starting, or waits for room, made by ffmpeg: what it is told. Pure. */
import { parseSize } from "../model/schema.ts";

export interface SlateLook {
  name: string;
  /** The channel's size, such as "1280x720". */
  scale: string;
  /** Whether the channel waits for another one to end. */
  isHeld?: boolean;
}

/** Pictures a second: a decoder that is made for television takes fewer for a fault. */
const FPS = 10;

/** Colours as ASS writes them: blue, green, red. */
const NAME_COLOUR = "&H00F3EDE8", TEXT_COLOUR = "&HB1A193&";
const GROUND = "0x141a22";

/** The name as a text of libass, in which a backslash and braces mean something. */
function asText(name: string): string {
  const WORD_JOINER = "\u2060";
  return name.replaceAll("\\", `\\${WORD_JOINER}`).replace(/[{}]/g, (brace) => `\\${brace}`);
}

/**
 * What stands on the slate, as subtitles: libass finds a font for every letter, and writes from right to left where that
 * is due. Source: http://www.tcax.org/docs/ass-specs.htm
 */
export function slateSubtitles({ name, scale, isHeld = false }: SlateLook): string {
  const { width, height } = parseSize(scale);
  const unit = Math.min(width / 16, height / 9);
  const px = (units: number) => Math.max(1, Math.round(units * unit));
  const style = [
    ...["Slate", "Noto Sans", px(0.95), NAME_COLOUR, -1],
    // centred both ways, with room at the sides
    ...[5, px(1), px(1), px(0.5)],
  ];
  const text = `${asText(name)}\\N{\\b0\\fs${px(0.45)}\\c${TEXT_COLOUR}}${
    isHeld ? "This channel starts when another one ends." : "This channel is starting…"
  }`;
  return [
    "[Script Info]",
    "ScriptType: v4.00+",
    `PlayResX: ${width}`,
    `PlayResY: ${height}`,
    "WrapStyle: 0",
    "[V4+ Styles]",
    "Format: Name, Fontname, Fontsize, PrimaryColour, Bold, Alignment, MarginL, MarginR, MarginV",
    `Style: ${style.join(",")}`,
    "[Events]",
    "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text",
    `Dialogue: 0,0:00:00.00,0:01:00.00,Slate,,0,0,0,,${text}`,
    "",
  ].join("\n");
}

/** ffmpeg's command line: MPEG-TS to its output, encoded as channels are. @param subtitles a file without blanks in its name. */
export function slateCommand({ scale }: SlateLook, subtitles: string): string[] {
  const filter = `ass=${subtitles},scale=out_color_matrix=bt709:out_range=tv,format=yuv420p`;
  return [
    ...["/usr/bin/ffmpeg", "-hide_banner", "-nostdin", "-nostats", "-loglevel", "error"],
    ...["-f", "lavfi", "-i", `color=c=${GROUND}:s=${scale}:r=${FPS},format=gbrp`],
    ...["-f", "lavfi", "-i", "anullsrc=r=48000:cl=stereo"],
    ...["-t", "1", "-map", "0:v", "-map", "1:a", "-vf", filter],
    ...["-c:v", "libx264", "-preset", "veryfast", "-tune", "stillimage", "-threads", "1"],
    ...["-profile:v", "main", "-bf", "0", "-g", String(FPS), "-sc_threshold", "0"],
    ...["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"],
    // 47 packets: not more than the next second leaves room for
    ...["-af", "atrim=end_sample=47104"],
    ...["-c:a", "aac", "-b:a", "96k", "-ar", "48000", "-ac", "2"],
    ...["-muxdelay", "0", "-muxpreload", "0", "-f", "mpegts", "pipe:1"],
  ];
}
