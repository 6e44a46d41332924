/**
 * The service's log on stdout: lines for people, or one JSON object a line. Others cannot flood it: a message has so many
 * lines a minute, with a count of the others, and each text so many characters.
 */
import { LineBudget } from "./line_budget.ts";

const LEVELS = ["debug", "info", "warn", "error"] as const;
export type Level = typeof LEVELS[number];
export type LogFormat = "text" | "json";

let least: Level = "info";
let format: LogFormat = "json";
const budget = new LineBudget();

/** Lines of one message a minute: more than a service with many streams has at its start. */
const MOST_LINES = 200;
/** Characters of a text in an entry. */
const MOST_TEXT = 2000;

/** Drops entries below `level` from now on. @returns the previous level. */
export function setLogLevel(level: Level): Level {
  const before = least;
  least = level;
  return before;
}

/** Sets the format of entries from now on. @returns the previous format. */
export function setLogFormat(as: LogFormat): LogFormat {
  const before = format;
  format = as;
  return before;
}

/** Writes one entry. `fields` never hold a password or a token: nothing is masked here. */
export function log(level: Level, message: string, fields: Record<string, unknown> = {}): void {
  write(level, message, fields, MOST_LINES);
}

/** Writes one entry a minute at most: of what somebody outside can cause as often as they like. */
export function logRarely(level: Level, message: string, fields: Record<string, unknown> = {}): void {
  write(level, message, fields, 1);
}

function write(level: Level, message: string, fields: Record<string, unknown>, most: number): void {
  if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
  const now = performance.now();
  const left = budget.take(message, most, now);
  for (const [again, count] of budget.over(now)) {
    console.log(
      entry(format, new Date(), "info", "the same again, which was not logged", { what: again, count }),
    );
  }
  if (left === null) return;
  const told = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shortened(value)]));
  console.log(entry(format, new Date(), level, message, left > 0 ? { ...told, notLogged: left } : told));
}

/** A text that may be somebody else's, such as an error's. */
const shortened = (value: unknown) =>
  typeof value === "string" && value.length > MOST_TEXT ? `${value.slice(0, MOST_TEXT)}…` : value;

/** Prints a text for the person who starts the service: as it is, or as an entry in the JSON format. */
export function say(text: string, level: "info" | "warn" | "error" = "info"): void {
  if (format === "json") return console.log(entry(format, new Date(), level, text.trim()));
  const shown = printable(text);
  if (level === "info") console.log(shown);
  else if (level === "warn") console.warn(shown);
  else console.error(shown);
}

/** Control characters except line break and tab; and characters that turn the direction of the text after them. */
export const CONTROL = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu;

/** A text of several lines that steers no terminal: names of others' processes and files may be in it. */
export function printable(text: string): string {
  return text.replace(CONTROL, "\ufffd");
}

/** A name that somebody else has given, on one line. */
export function printableName(name: string): string {
  return printable(name).replace(/[\n\t]/g, "\ufffd");
}

/** One entry as a line, without the line break. */
export function entry(
  as: LogFormat,
  at: Date,
  level: Level,
  message: string,
  fields: Record<string, unknown> = {},
): string {
  const time = at.toISOString();
  if (as === "json") return steady(JSON.stringify({ time, level, message, ...fields }));
  const pairs = Object.entries(fields).filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${fieldText(value)}`);
  return `${time} ${level} ${message}${pairs.join("")}`;
}

/** A plain word stays; a text that has blanks or could look like another entry is quoted. No text steers a terminal. */
function fieldText(value: unknown): string {
  if (typeof value === "string" && /^[^\s"=\p{C}]+$/u.test(value)) return value;
  return steady(JSON.stringify(value));
}

/**
 * The same JSON in characters that steer no terminal: JSON itself leaves DEL, the controls above it, Unicode's line breaks
 * and the marks that turn the direction of text as they are. Line breaks of an indented text stay.
 */
export function steady(json: string): string {
  return json.replace(
    /[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** An unknown thrown value as a short text. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
