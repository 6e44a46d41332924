/** The documents against the code: tables are as the code has them, links lead somewhere, and nothing points outside. */
import assert from "node:assert/strict";
import { dirname, join, relative } from "node:path";
import { TABLES, withTables } from "../../scripts/docs.ts";
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

for (const path of documents) {
  Deno.test(`${path} has the tables that \`deno task docs\` writes`, () => {
    assert.equal(read(path), withTables(read(path)));
  });
}

Deno.test("every table of the code stands in one document", () => {
  const named = documents.flatMap((path) =>
    [...read(path).matchAll(/^<!-- table: ([\w ]+) -->$/gm)].map(([, name]) => name)
  );
  assert.deepEqual(named.sort(), Object.keys(TABLES).sort());
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

Deno.test("docs/architecture.md's tree has every room of lib, and no other", () => {
  const tree = read("docs/architecture.md").split("\n    lib/\n")[1].split("\n    templates/")[0];
  const listed = [...tree.matchAll(/^ {6}([a-z]+)\/ /gm)].map(([, name]) => name);
  const rooms = [...Deno.readDirSync(join(root, "lib"))].filter(({ isDirectory }) => isDirectory);
  // lib/service has parts of the wiring, beside the file that is the rest of it
  assert.deepEqual([...listed, "service"].sort(), rooms.map(({ name }) => name).sort());
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
