/** The rows of a form's lists, as people type them, and the stored texts. Pure. */
import { formatDay, formatDays, formatTime, parsePlan, WEEKDAYS } from "../../../lib/model/plan/plan.ts";
import { linesOf } from "../../../lib/model/page_settings.ts";

export interface PageRow {
  url: string;
  /** "": as long as the other pages. */
  seconds: string;
}

export interface PlanRow {
  /** Monday first. */
  days: readonly boolean[];
  /** The value of a time field, "08:00"; "": there is no time yet. */
  from: string;
  /** The value of a time field; "00:00" is the end of the day. */
  to: string;
  /** "": the stream's own pages. */
  url: string;
  /** Whether it has fields for its first and last day, which may be empty. */
  isDated: boolean;
  /** The values of date fields, "2026-12-01". */
  first: string;
  last: string;
}

export const NEW_PAGE: PageRow = { url: "", seconds: "" };

/** The times that most screens need. */
export const NEW_TIME: PlanRow = {
  days: WEEKDAYS.map((_, day) => day < 5),
  from: "08:00",
  to: "18:00",
  url: "",
  isDated: false,
  first: "",
  last: "",
};

export function pageRows(text: string): PageRow[] {
  return linesOf(text).map((line) => {
    const [url, ...seconds] = line.split(/\s+/);
    return { url, seconds: seconds.join(" ") };
  });
}

export function pagesText(rows: readonly PageRow[]): string {
  return rows.map(({ url, seconds }) => `${url.trim().replace(/\s+/g, "%20")} ${seconds.trim()}`.trim())
    .filter(Boolean).join("\n");
}

/** An invalid line, as another tool may have stored, becomes a row to be filled in. */
export function planRows(text: string): PlanRow[] {
  return linesOf(text).map((line) => {
    try {
      const [{ days, from, to, url, first, last }] = parsePlan(line);
      return {
        days,
        from: formatTime(from),
        to: formatTime(to % 1440),
        url,
        isDated: first !== null || last !== null,
        first: first === null ? "" : formatDay(first),
        last: last === null ? "" : formatDay(last),
      };
    } catch {
      return { ...NEW_TIME, from: "", to: "" };
    }
  });
}

export function planText(rows: readonly PlanRow[]): string {
  return rows.map(({ days, from, to, url, isDated, first, last }) => {
    const end = to === "00:00" ? "24:00" : to;
    const dates = isDated && (first || last) ? `${first}..${last} ` : "";
    return `${dates}${formatDays(days) || "-"} ${from || "?"}-${end || "?"} ${
      url.trim().replace(/\s+/g, "%20")
    }`
      .trim();
  }).join("\n");
}
