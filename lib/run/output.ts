/** The child programs' lines on the service's output, where each has to be JSON: an error's stack is text. */
import { entry, type Level } from "../machine/tools/log.ts";

/** Characters of a line that is no entry; the rest of a longer line is a line of its own. */
const MAX_LINE = 64 * 1024;

/** Makes an entry of each line that is no entry. */
export class EntryLines {
  #level: Level;
  #now: () => Date;
  #rest = "";

  /** @param level of lines that are no entries. */
  constructor(level: Level, now: () => Date = () => new Date()) {
    this.#level = level;
    this.#now = now;
  }

  /** Adds text; returns the lines that are whole now. */
  add(text: string): string {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!;
    if (this.#rest.length > MAX_LINE) lines.push(this.end().trimEnd());
    return lines.map((line) => this.#entryOf(line)).join("");
  }

  /** Returns the text after the last whole line. */
  end(): string {
    const rest = this.#rest;
    this.#rest = "";
    return this.#entryOf(rest);
  }

  #entryOf(line: string): string {
    if (line.trim() === "") return "";
    return `${isEntry(line) ? line : entry("json", this.#now(), this.#level, line)}\n`;
  }
}

function isEntry(line: string): boolean {
  if (!line.startsWith("{")) return false;
  try {
    const { time, level, message } = JSON.parse(line);
    return [time, level, message].every((one) => typeof one === "string");
  } catch {
    return false;
  }
}
