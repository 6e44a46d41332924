/** What a stream's page may be although it looks wrong: its fields acceptedStatuses and sites. Pure, also for the form. */
import { originsProblem } from "./login_origins.ts";

const MAX_STATUSES = 10;
const MAX_SITES = 20;

/** The HTTP statuses in a text with blanks or commas between them; null if one is none of an error. */
export function parseStatuses(text: string): number[] | null {
  const words = text.slice(0, 1000).split(/[\s,]+/).filter(Boolean);
  return words.every((word) => /^[45]\d\d$/.test(word)) ? [...new Set(words.map(Number))].sort() : null;
}

/** What is wrong with the field, or null. */
export function statusesProblem(text: string): string | null {
  const statuses = parseStatuses(text);
  if (statuses === null) return "Each must be an HTTP status from 400 to 599. Example: 404 403";
  return statuses.length > MAX_STATUSES ? `There are at most ${MAX_STATUSES}.` : null;
}

/** What is wrong with the field, or null. */
export function sitesProblem(text: string): string | null {
  return originsProblem(text, MAX_SITES, "https://news.example.org");
}
