/** What is logged while something is done. */
import { type Level, setLogLevel } from "../../lib/machine/tools/log.ts";

/** The lines that `work` logs, none of which is printed. @param least entries below this level are not logged. */
export async function logged(work: () => unknown, least: Level = "info"): Promise<string[]> {
  const { log, error } = console;
  const lines: string[] = [];
  console.log = console.error = (...words: unknown[]) => lines.push(words.map(asText).join(" "));
  const before = setLogLevel(least);
  try {
    await work();
  } finally {
    setLogLevel(before);
    Object.assign(console, { log, error });
  }
  return lines;
}

function asText(word: unknown): string {
  return word instanceof Error ? `${word.message} ${word.stack}` : String(word);
}
