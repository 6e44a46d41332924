/** The kind of pictures that an encoder wants: a line that it writes before it reads the pictures. Pure. */
import { parseSize, storedStream } from "../../model/schema.ts";
import type { Pace } from "./pacer.ts";
import type { Size } from "./picture.ts";

export interface Wanted extends Pace {
  output: Size;
}

/** Bytes of a line at most; the longest has 20. */
export const MAX_WANTED = 64;

export function wantedLine({ output, fps, gop }: Wanted): string {
  return `${output.width}x${output.height} ${fps} ${gop}\n`;
}

/** The request of a line without its line feed; null: the line is no request, or no stream may have such pictures. */
export function parseWanted(line: string): Wanted | null {
  const match = /^(\d{2,5}x\d{2,5}) (\d{1,2}) (\d{1,3})$/.exec(line);
  if (!match) return null;
  const [scale, fps, gop] = [match[1], Number(match[2]), Number(match[3])];
  const fields = storedStream.pick({ scale: true, fps: true, gop: true });
  if (!fields.safeParse({ scale, fps, gop }).success || gop < 1) return null;
  return { output: parseSize(scale), fps, gop };
}
