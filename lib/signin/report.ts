/**
 * The sign-in helper's reports to the web app: a line of its log for each event. The helper runs as the stream's user,
 * so the web app takes only reports of exactly this form.
 */
import * as z from "zod";

const MAX_SEEN = 200;
const MARK = "report ";

/** Most characters of a line; each character of `seen` may be written as six. */
export const MAX_REPORT = 2000;

const loginReport = z.strictObject({
  /** "watching": the helper was started, and nothing is known; "asking": the page shows its form for the first time. */
  login: z.enum(["watching", "asking", "succeeded", "expired", "failed"]),
  /** The helper's finding on the page. */
  seen: z.string().max(MAX_SEEN).regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u),
  /** The tries so far, and whether no further try follows. */
  tries: z.number().int().min(0).max(5),
  isLast: z.boolean(),
});

export type LoginReport = z.output<typeof loginReport>;

/** A text of the page, short and without line breaks or secrets. */
export function shortText(text: string, secrets: readonly string[]): string {
  let shown = text.replace(/[\p{Cc}\p{Cf}\p{Z}]+/gu, " ").trim();
  for (const secret of secrets) if (secret !== "") shown = shown.replaceAll(secret, "…");
  return shown.length > MAX_SEEN ? `${shown.slice(0, MAX_SEEN - 1).trimEnd()}…` : shown;
}

/** Writes a report to the helper's log. */
export function printReport(report: LoginReport): void {
  console.log(`${MARK}${JSON.stringify(report)}`);
}

/** The report in a line of the log, or null if there is none. */
export function parseReport(line: string): LoginReport | null {
  const at = line.indexOf(MARK);
  if (at < 0 || line.length > MAX_REPORT) return null;
  try {
    return loginReport.parse(JSON.parse(line.slice(at + MARK.length)));
  } catch {
    return null;
  }
}
