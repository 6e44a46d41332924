/** The error statuses and sites that a stream's page may have: acceptedStatuses and sites. Pure, also for the form. */
import { originsProblem } from "./login_origins.ts";

const MAX_STATUSES = 10;
const MAX_SITES = 20;

/** The HTTP statuses in a text with blanks or commas between them; null: a word is no error status. */
export function parseStatuses(text: string): number[] | null {
  const words = text.slice(0, 1000).split(/[\s,]+/).filter(Boolean);
  return words.every((word) => /^[45]\d\d$/.test(word)) ? [...new Set(words.map(Number))].sort() : null;
}

/** The problem of the field; null: it is valid. */
export function statusesProblem(text: string): string | null {
  const statuses = parseStatuses(text);
  if (statuses === null) return "Each must be an HTTP status from 400 to 599. Example: 404 403";
  return statuses.length > MAX_STATUSES ? `There are at most ${MAX_STATUSES}.` : null;
}

/** The problem of the field; null: it is valid. */
export function sitesProblem(text: string): string | null {
  return originsProblem(text, MAX_SITES, "https://news.example.org");
}
