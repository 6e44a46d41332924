/** The last lines of a growing log, within bounds. Pure. */

export const MAX_LINES = 5000;
export const MAX_CHARACTERS = 2 * 1024 * 1024;

interface LogBuffer {
  /** Whole lines, without their line breaks. */
  lines: string[];
  /** The number of the first of `lines`, counted from the first line ever added. */
  first: number;
  /** The text after the last line break. */
  rest: string;
  /** The length of `lines` with their line breaks. */
  characters: number;
}

export const EMPTY_LOG: LogBuffer = { lines: [], first: 0, rest: "", characters: 0 };

/** The buffer with `text` at its end; the oldest lines go when it has more than MAX_LINES or MAX_CHARACTERS. */
export function append(buffer: LogBuffer, text: string): LogBuffer {
  if (text === "") return buffer;
  const added = (buffer.rest + text).split("\n");
  // a program that never ends its line
  const rest = added.pop()!.slice(-MAX_CHARACTERS / 8);
  const lines = [
    ...buffer.lines,
    ...added.map((line) => line.replace(/\r$/, "").slice(0, MAX_CHARACTERS / 8)),
  ];
  let characters = 0;
  let from = lines.length;
  while (
    from > 0 && lines.length - from < MAX_LINES && characters + lines[from - 1].length < MAX_CHARACTERS
  ) {
    characters += lines[--from].length + 1;
  }
  return { lines: lines.slice(from), first: buffer.first + from, rest, characters };
}

/** All lines to show, including the unfinished last line. */
export function allLines({ lines, rest }: LogBuffer): string[] {
  return rest === "" ? lines : [...lines, rest];
}

/** The number of lines ever added. */
export function lineCount({ first, lines }: LogBuffer): number {
  return first + lines.length;
}

/** A line cut where `query` matches, whatever its case: matches are at odd indexes, other text is at even indexes. */
export function cutAtMatches(line: string, query: string): string[] {
  if (query === "") return [line];
  const escaped = query.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return line.split(new RegExp(`(${escaped})`, "giu"));
}
