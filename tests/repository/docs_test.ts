/** The documents against the code: tables are complete, links lead somewhere, and nothing points outside. */
import assert from "node:assert/strict";
import { dirname, join, relative } from "node:path";
import { CHECK_NAMES } from "../../lib/cli/doctor.ts";
import { VARIABLES } from "../../lib/config.ts";
import { METRICS } from "../../lib/reports/metrics_table.ts";
import { RESTART_CAUSES } from "../../lib/live/programs/restarts.ts";
import { affectedPrograms, PROGRAMS } from "../../lib/model/programs.ts";
import { TROUBLES } from "../../lib/model/answers/page_health.ts";
import { streamFields } from "../../lib/model/schema.ts";
import { root } from "../support/fixture.ts";

const GENERATED = new Set([".git", "node_modules", "_fresh", "dist", "data", "vendor", ".test-history"]);
const TEXT = /\.(?:tsx?|js|md|json|html|conf|css|xml|ya?ml|dtd)$|Dockerfile$|\.ci\/run$/;

/** All text files of the repository, relative to its root. */
function textFiles(folder = root): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    const path = join(folder, name);
    if (isDirectory) return GENERATED.has(name) ? [] : textFiles(path);
    return TEXT.test(path) ? [relative(root, path)] : [];
  });
}

const read = (path: string) => Deno.readTextFileSync(join(root, path));
const documents = textFiles().filter((path) => path === "README.md" || /^docs\/.*\.md$/.test(path));

/** The cells of all tables with these headings, row by row, without backticks. */
function tableRows(path: string, headings: string[]): string[][] {
  const cells = (line: string) => line.split("|").slice(1, -1).map((cell) => cell.trim().replaceAll("`", ""));
  const lines = read(path).split("\n");
  const rows = lines.flatMap((line, at) => {
    if (!line.startsWith("|") || cells(line).join() !== headings.join()) return [];
    const end = lines.findIndex((other, below) => below > at && !other.startsWith("|"));
    return lines.slice(at + 2, end < 0 ? lines.length : end).map(cells);
  });
  assert.ok(rows.length > 0, `${path} has no table with ${headings.join(", ")}`);
  return rows;
}

Deno.test("docs/configuration.md lists every variable with its default and meaning, and no other", () => {
  const listed = tableRows("docs/configuration.md", ["Variable", "Default", "Meaning"]);
  const expected = Object.entries(VARIABLES).map(([name, { fallback, about }]) => [name, fallback, about]);
  assert.deepEqual(listed.sort(), expected.sort());
});

Deno.test("docs/api.md lists every field of a stream with its default and what it restarts", () => {
  const listed = tableRows("docs/api.md", ["Field", "Default", "Restarts", "Meaning"]);
  const before = streamFields.parse({ name: "Clock", url: "https://clock.example.org/" });
  const isNeeded = (field: string) => !streamFields.safeParse({ ...before, [field]: undefined }).success;
  const expected = Object.entries(before).map(([field, value]) => {
    const restarts = affectedPrograms(before, { ...before, [field]: "another" });
    return [field, isNeeded(field) ? "" : String(value), restarts.join(", ")];
  });
  assert.deepEqual(listed.map((row) => row.slice(0, 3)).sort(), expected.sort());
});

Deno.test("docs/api.md lists every state of a page, and what is around it, in the words of the table", () => {
  const rows = Object.entries(TROUBLES).map(([name, { says, advice, retry = "", isAround = false }]) => ({
    name,
    words: `${says} ${advice}`,
    retry,
    isAround,
  }));
  const pages = tableRows("docs/api.md", ["State", "Meaning", "Tried again"]);
  const around = tableRows("docs/api.md", ["Trouble", "Meaning"]);
  const own = rows.filter(({ isAround }) => !isAround);
  assert.deepEqual(pages.slice(2), own.map(({ name, words, retry }) => [name, words, retry]));
  assert.deepEqual(pages.slice(0, 2).map(([name]) => name), ["ok", "opening"]);
  assert.deepEqual(around, rows.filter(({ isAround }) => isAround).map(({ name, words }) => [name, words]));
});

Deno.test("docs/install.md lists every check of doctor, and no other", () => {
  const listed = tableRows("docs/install.md", ["Check", "What is looked at"]).map(([name]) => name);
  assert.deepEqual(listed, CHECK_NAMES);
});

/** The address of a file in routes/: index is its folder, [id] a parameter. */
function addressOf(file: string): string {
  const path = file.replace(/^routes/, "").replace(/\.tsx?$/, "").replace(/\/index$/, "");
  return path.replace(/\[(?:\.\.\.)?(\w+)\]/g, "{$1}") || "/";
}

Deno.test("docs/api.md lists every route with its methods, and no other", async () => {
  const files = textFiles(join(root, "routes")).filter((path) => !/\/_[^/]*$/.test(path));
  const expected = await Promise.all(files.map(async (file) => {
    const { handler } = await import(join(root, file));
    const methods = handler === undefined ? ["GET"] : Object.keys(handler);
    return [addressOf(file), methods.sort().join(", ")];
  }));
  const listed = tableRows("docs/api.md", ["Path", "Methods", "What"])
    .map(([path, methods]) => [path, methods.split(", ").sort().join(", ")]);
  assert.deepEqual(listed.sort(), expected.sort());
});

Deno.test("docs/api.md lists every metric with its type, labels and meaning, and every cause of a restart", () => {
  const listed = tableRows("docs/api.md", ["Metric", "Type", "Labels", "Meaning"]);
  const rows = Object.entries(METRICS).map((
    [name, { type, labels, help }],
  ) => [name, type, labels.join(", "), help]);
  assert.deepEqual(listed, rows);
  assert.deepEqual(tableRows("docs/api.md", ["Cause", "Meaning"]), Object.entries(RESTART_CAUSES));
});

Deno.test("docs/pipeline.md lists every program of a stream, in its order", () => {
  const listed = tableRows("docs/pipeline.md", ["Program", "Label", "Group", "What it is"]);
  const rows = Object.entries(PROGRAMS).map(([name, { label, isWanted, about }]) => {
    return [name, label, isWanted ? "helper" : "pipeline", about.replaceAll("`", "")];
  });
  assert.deepEqual(listed, rows);
});

/** Whether `deno task test` has a test: it is there, and not left to soak. */
function isInGate(name: string, file: string): boolean {
  const [before, ...rest] = read(file).split(name);
  return rest.length > 0 && !/inSoak\([\w.]*\)\(\s*["`]$/.test(before);
}

Deno.test("docs/contributing.md names tests that every run has", () => {
  const rows = tableRows("docs/contributing.md", ["What", "Test", "File"]);
  assert.deepEqual(rows.filter(([, name, file]) => !isInGate(name, file)), []);
});

Deno.test("docs/security.md names tests that every run has", () => {
  const cells = tableRows("docs/security.md", ["Who", "May reach", "What holds them", "Test"]).map((row) =>
    row[3]
  );
  const named = cells.flatMap((cell) =>
    [...cell.matchAll(/((?:"[^"]+"(?:, )?)+) (tests\/[\w/.]+)/g)].flatMap(([, names, file]) =>
      [...names.matchAll(/"([^"]+)"/g)].map(([, name]) => ({ name, file }))
    )
  );
  assert.ok(named.length >= cells.length, JSON.stringify(named));
  assert.deepEqual(named.filter(({ name, file }) => !isInGate(name, file)), []);
});

Deno.test("docs/security.md names a test that is there for each attack and fault", () => {
  const files = tableRows("docs/security.md", ["Attack or fault", "What must happen", "Test"]).map((row) =>
    row[2]
  );
  assert.deepEqual(files.filter((file) => !/^tests\/[\w/]+_test\.ts$/.test(file) || !exists(file)), []);
});

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(path: string): string[] {
  const headings = read(path).replace(/^```[^]*?^```$/gm, "").matchAll(/^#{1,6} (.+)$/gm);
  return Array.from(
    headings,
    ([, text]) => text.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-"),
  );
}

function exists(path: string): boolean {
  try {
    Deno.statSync(join(root, path));
    return true;
  } catch {
    return false;
  }
}

for (const path of documents) {
  Deno.test(`every link in ${path} leads to a file and heading that exist`, () => {
    const links = [...read(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link);
    const broken = links.filter((link) => !/^https?:/.test(link)).filter((link) => {
      const [file, anchor] = link.split("#");
      const target = file === "" ? path : join(dirname(path), file);
      return !exists(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    });
    assert.deepEqual(broken, []);
  });
}

Deno.test("every file and folder that a document names exists", () => {
  const names =
    /`((?:lib|routes|islands|components|player|templates|static|scripts|bench|tests|docs)\/[\w./[\]-]*)`/g;
  const missing = documents.flatMap((path) =>
    [...read(path).matchAll(names)].map(([, name]) => name).filter((name) => !exists(name))
      .map((name) => `${path}: ${name}`)
  );
  assert.deepEqual(missing, []);
});

Deno.test("every document that code names exists", () => {
  const missing = textFiles().flatMap((path) =>
    [...read(path).matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(([name]) => name).filter((name) => !exists(name))
      .map((name) => `${path}: ${name}`)
  );
  assert.deepEqual(missing, []);
});

Deno.test("no two headings of a document have the same anchor", () => {
  for (const path of documents) assert.equal(new Set(anchorsOf(path)).size, anchorsOf(path).length, path);
});

Deno.test("no file points outside of the repository", () => {
  const outside =
    /\bthe specification\b|\.\.\/shared\/|\bshared\/(?:design|lab|spec|tools)\b|\bdesign\/[\w-]+\.md/;
  assert.deepEqual(textFiles().filter((path) => outside.test(read(path))), []);
});
