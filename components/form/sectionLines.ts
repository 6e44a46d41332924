/** The settings of each closed section of the form, in a line. Pure. */
import { FIELD_ROWS, type FieldRow } from "../../lib/model/fields.ts";
import { PAGE_FIELDS } from "../../lib/model/page_settings.ts";
import { formatDates, formatDays, formatTime, parsePlan } from "../../lib/model/plan/plan.ts";
import type { PublicStream, StreamFields } from "../../lib/model/schema.ts";
import { isSecret, setName } from "../../lib/model/secrets.ts";
import { pageRows } from "./schedule/rows.ts";

/** A section's fields, for the problems that its line tells of. */
export const SECTION_FIELDS = {
  pages: ["morePages", "pageSeconds"],
  plan: ["plan", "planTimeZone"],
  login: ["user", "pass", "loginOrigins"],
  looks: PAGE_FIELDS.filter((field) => field !== "proxy"),
  encoder: fieldsOf("picture"),
  running: [
    "audio",
    "whileBroken",
    "onDemand",
    "onDemandMinutes",
    "autoReload",
    "autoReloadInterval",
    "delay",
    "rewind",
    "rewindFor",
  ],
  network: fieldsOf("page"),
  channel: fieldsOf("channel"),
  push: ["pushTo", "pushKey"],
} as const satisfies Record<string, readonly (keyof StreamFields)[]>;

export type SectionName = keyof typeof SECTION_FIELDS;

/** The most plan lines, and the most names of fields, that a line tells. */
const MOST = 3;

interface Told {
  /** The form's values; a secret without one stays as it is stored. */
  values: Readonly<Record<string, unknown>>;
  defaults: StreamFields;
  /** Which secrets the edited stream has. */
  stored?: PublicStream;
}

/** The line of each section. */
export function sectionLines({ values, defaults, stored }: Told): Record<SectionName, string> {
  const text = (field: keyof StreamFields) => String(values[field] ?? "").trim();
  const isSet = (field: keyof StreamFields) => {
    if (!isSecret(field)) return text(field) !== String(defaults[field]);
    return field in values ? text(field) !== "" : stored?.[setName(field)] ?? false;
  };
  const changed = (section: SectionName, none: string) =>
    listed((SECTION_FIELDS[section] as readonly (keyof StreamFields)[]).filter(isSet).map(labelOf)) || none;
  const more = pageRows(text("morePages")).length;
  return {
    pages: more === 0 ? "One page" : `${more + 1} pages in turn`,
    plan: planLine(text("plan")),
    login: text("user") || (isSet("pass") ? "Password only" : "None"),
    looks: changed("looks", "As the page is"),
    encoder: `${text("fps")} fps, ${text("bitrate")}, ${text("preset")}`,
    running: [
      values.audio ? "With sound" : "Silent",
      ...(values.onDemand ? ["only while somebody watches"] : []),
      ...(values.autoReload ? [`reloaded every ${text("autoReloadInterval")} min`] : []),
      ...(isSet("delay") ? [`on air after ${text("delay")} s`] : []),
      ...(values.rewind ? [] : ["its past is not kept"]),
      ...(values.rewind && isSet("rewindFor") ? ["its past for viewers, too"] : []),
    ].join(", "),
    network: changed("network", "As usual"),
    channel: [
      isSet("channelNumber") ? `Number ${text("channelNumber")}` : "The next free number",
      ...(isSet("channelLogo") ? ["own logo"] : []),
    ].join(", "),
    push: text("pushTo") || "Off",
  };
}

/** "Mon-Fri 8-18" */
function planLine(text: string): string {
  if (text === "") return "Always";
  try {
    return listed(
      parsePlan(text).map(({ first, last, days, from, to }) =>
        `${formatDates(first, last)} ${formatDays(days)} ${shortTime(from)}-${shortTime(to)}`.trim()
      ),
    );
  } catch {
    return "Not complete";
  }
}

const shortTime = (minutes: number) => formatTime(minutes).replace(/^0/, "").replace(/:00$/, "");

/** The label without its unit. */
const labelOf = (field: keyof StreamFields) => FIELD_ROWS[field].label.split(",")[0];

const listed = (words: readonly string[]) =>
  words.slice(0, MOST).join(", ") + (words.length > MOST ? ` and ${words.length - MOST} more` : "");

function fieldsOf(section: FieldRow["section"]): (keyof StreamFields)[] {
  return (Object.keys(FIELD_ROWS) as (keyof StreamFields)[]).filter((field) =>
    FIELD_ROWS[field].section === section
  );
}
