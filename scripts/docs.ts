/**
 * Writes the tables of the documents that the code has: `deno task docs`. A table stands between the comments
 * `table: NAME` and `/table`, and tests/repository/docs_test.ts tells when it is not what the code says.
 */
import { globSync } from "node:fs";
import { CHECKS } from "../lib/run/doctor.ts";
import { VARIABLES } from "../lib/config.ts";
import { RESTART_CAUSES } from "../lib/live/programs/restarts.ts";
import { SHARED_PROGRAMS, WEB_APP } from "../lib/live/programs/shared_words.ts";
import { TROUBLES } from "../lib/model/answers/page_health.ts";
import { affectedPrograms, PROGRAMS } from "../lib/model/programs.ts";
import { streamFields } from "../lib/model/schema.ts";
import { FIELD_MEANINGS } from "../lib/reports/openapi/field_meanings.ts";
import { METRICS } from "../lib/reports/metrics_table.ts";

/** The headings and the rows. */
type Table = string[][];

/** A cell in the type of code; an empty text stays one. */
const code = (text: string) => text === "" ? "" : `\`${text}\``;

/** The fields in the schema's order. A change of each tells what it restarts. */
function fieldTable(): Table {
  const before = streamFields.parse({ name: "Clock", url: "https://clock.example.org/" });
  const isNeeded = (field: string) => !streamFields.safeParse({ ...before, [field]: undefined }).success;
  const rows = Object.entries(before).map(([field, value]) => [
    code(field),
    isNeeded(field) ? "" : code(String(value)),
    affectedPrograms(before, { ...before, [field]: "another" }).join(", "),
    FIELD_MEANINGS[field as keyof typeof FIELD_MEANINGS],
  ]);
  return [["Field", "Default", "Restarts", "Meaning"], ...rows];
}

function pageTable(): Table {
  const rows = Object.entries(TROUBLES).filter(([, { isAround }]) => !isAround)
    .map(([name, { says, advice, retry = "" }]) => [code(name), `${says} ${advice}`, retry]);
  return [
    ["State", "Meaning", "Tried again"],
    ["`ok`", "The page is shown.", ""],
    ["`opening`", "The browser opens the page for the first time; nothing is known yet.", ""],
    ...rows,
  ];
}

function aroundTable(): Table {
  const rows = Object.entries(TROUBLES).filter(([, { isAround }]) => isAround);
  return [
    ["Trouble", "Meaning"],
    ...rows.map(([name, { says, advice }]) => [code(name), `${says} ${advice}`]),
  ];
}

function metricTable(): Table {
  const rows = Object.entries(METRICS).map(([name, { type, labels, help }]) => [
    code(name),
    type,
    labels.map(code).join(", "),
    help,
  ]);
  return [["Metric", "Type", "Labels", "Meaning"], ...rows];
}

function programTable(): Table {
  const rows = Object.entries(PROGRAMS).map(([name, { label, isWanted, about }]) => [
    code(name),
    label,
    isWanted ? "helper" : "pipeline",
    about,
  ]);
  return [["Program", "Label", "Group", "What it is"], ...rows];
}

/** The tables by their names. */
export const TABLES: Readonly<Record<string, () => Table>> = {
  fields: fieldTable,
  pages: pageTable,
  around: aroundTable,
  metrics: metricTable,
  programs: programTable,
  "shared programs": () => [
    ["Program", "What it is"],
    ...Object.entries({ ...SHARED_PROGRAMS, web: WEB_APP }).map(([name, { about }]) => [code(name), about]),
  ],
  causes:
    () => [["Cause", "Meaning"], ...Object.entries(RESTART_CAUSES).map(([name, why]) => [code(name), why])],
  variables: () => [
    ["Variable", "Default", "Meaning"],
    ...Object.entries(VARIABLES).map(([name, { fallback, about }]) => [code(name), code(fallback), about]),
  ],
  checks: () => [
    ["Check", "What is looked at"],
    ...Object.entries(CHECKS).map(([name, { about }]) => [code(name), about]),
  ],
};

/** The table as `deno fmt` lays it out. */
function markdown(table: Table): string {
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  const lines = table.map((row) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(" | ")} |`
  );
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [lines[0], rule, ...lines.slice(1)].join("\n");
}

/**
 * The document's text with its tables as the code has them now.
 * @throws {Error} a table's name is in no row of `TABLES`.
 */
export function withTables(text: string): string {
  return text.replace(/(<!-- table: ([\w ]+) -->\n\n)[^]*?(\n\n<!-- \/table -->)/g, (_, head, name, end) => {
    if (!Object.hasOwn(TABLES, name)) throw new Error(`There is no table "${name}" in scripts/docs.ts.`);
    return head + markdown(TABLES[name]()) + end;
  });
}

if (import.meta.main) {
  for (const path of globSync("docs/**/*.md")) {
    const text = Deno.readTextFileSync(path);
    const written = withTables(text);
    if (written === text) continue;
    Deno.writeTextFileSync(path, written);
    console.log(path);
  }
}
