/** The tests that a change can break, by the direct and indirect imports of each test file. */
import { join, relative } from "node:path";
import { ROOT } from "./test_plan.ts";

/** Files of the built app, which no import shows; files that no test reads. */
const BUILT = /^(?:routes|islands|components|player|static|templates|lib\/fresh)\/|^lib\/app\.ts$/;
const UNTESTED =
  /^(?:docs|bench|\.ci|docker)\/|\.md$|^(?:Dockerfile|docker-compose\.yml|LICENSE|\.gitignore|\.dockerignore)$/;
/** The module that opens the built app in process, and the module that starts the whole built service. */
const OPENS_BUILT = "tests/support/app.ts";
const STARTS_BUILT = "tests/support/service.ts";

interface Graph {
  modules: { specifier: string; dependencies?: { code?: { specifier?: string } }[] }[];
}

/** Files that differ from the last commit, new ones too. @param since another commit, such as "main~3". */
export async function changedFiles(since: string): Promise<string[]> {
  const changed = await git("diff", "--name-only", since);
  return [...changed, ...await git("ls-files", "--others", "--exclude-standard")];
}

async function git(...args: string[]): Promise<string[]> {
  return (await output("git", args)).split("\n").filter(Boolean);
}

async function output(command: string, args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args, cwd: ROOT, stdin: "null" })
    .output();
  if (!success) throw new Error(`${command} ${args[0]}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

/** The test files that a change of these files can break; all files when it is unknown. @param folder for a file. */
export async function testsOf(
  changed: readonly string[],
  tests: readonly string[],
  folder: string,
): Promise<readonly string[]> {
  const all = join(folder, "all_tests.ts");
  const roots = [...tests, ...await git("ls-files", "routes/*.ts", "routes/*.tsx", "islands/*.tsx")];
  await Deno.writeTextFile(all, roots.map((path) => `import "file://${join(ROOT, path)}";\n`).join(""));
  const graph: Graph = JSON.parse(await output(Deno.execPath(), ["info", "--json", all]));
  const path = (specifier: string) => relative(ROOT, specifier.replace(/^file:\/\//, ""));
  const importers = new Map<string, string[]>();
  for (const { specifier, dependencies = [] } of graph.modules) {
    for (const { code } of dependencies) {
      if (code?.specifier?.startsWith("file://")) {
        const target = path(code.specifier);
        importers.set(target, [...importers.get(target) ?? [], path(specifier)]);
      }
    }
  }
  const isKnown = (file: string) => importers.has(file) || tests.includes(file);
  const reached = new Set<string>();
  const reach = (file: string) => {
    if (reached.has(file)) return;
    reached.add(file);
    if (BUILT.test(file)) reach(OPENS_BUILT);
    if (BUILT.test(file) || file.startsWith("lib/")) reach(STARTS_BUILT);
    importers.get(file)?.forEach(reach);
  };
  for (const file of changed) {
    if (isKnown(file) || BUILT.test(file)) reach(file);
    else if (!UNTESTED.test(file)) return tests;
  }
  return tests.filter((file) => reached.has(file));
}
