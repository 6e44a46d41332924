import assert from "node:assert/strict";
import { join } from "node:path";
import { build, stop } from "esbuild";
import { Builder } from "../../../lib/fresh/dev.ts";
import { buildFixture, FIXTURE, makeScratchDir } from "../../unit/fresh/fixture.ts";

const { outDir } = await buildFixture();
const PROJECT = join(import.meta.dirname!, "../../..");

/** For tests that run esbuild, whose service ends some time after `stop()`. */
function buildTest(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, fn, sanitizeOps: false, sanitizeResources: false });
}

/** A project of the given files, with the import map of this one. */
async function makeProject(files: Record<string, string>): Promise<string> {
  const root = makeScratchDir();
  await Deno.copyFile(join(PROJECT, "deno.json"), join(root, "deno.json"));
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(join(root, path, ".."), { recursive: true });
    await Deno.writeTextFile(join(root, path), text);
  }
  return root;
}

function fileList(dir: string, prefix = ""): string[] {
  return [...Deno.readDirSync(dir)].flatMap(({ name, isDirectory }) =>
    isDirectory ? fileList(join(dir, name), `${prefix}${name}/`) : [prefix + name]
  ).sort();
}

Deno.test("the build has the modules of the contract and all served files", async () => {
  const files = fileList(outDir);
  assert.deepEqual(files.filter((path) => !path.includes("/")), ["pages.js", "server.js", "snapshot.js"]);
  const { default: snapshot } = await import(`file://${outDir}/snapshot.js`);
  const served = files.filter((path) => path.startsWith("static/")).map((path) =>
    path.slice("static".length)
  );
  assert.deepEqual(Object.keys(snapshot.files).sort(), served);
  assert.ok(served.includes("/sub/a file.txt"));
});

buildTest("the same sources give the same build", async () => {
  const again = makeScratchDir();
  await new Builder({ root: FIXTURE, outDir: again }).build();
  for (const path of fileList(outDir)) {
    assert.equal(
      await Deno.readTextFile(join(again, path)),
      await Deno.readTextFile(join(outDir, path)),
      path,
    );
  }
});

buildTest("the build id follows the content, not the folder", async () => {
  const files = {
    "main.ts": "",
    "routes/index.ts": "export const handler = () => null;",
    "static/a.txt": "a",
  };
  const buildId = async (root: string) => {
    await new Builder({ root }).build();
    return (await Deno.readTextFile(join(root, "_fresh/snapshot.js"))).match(/buildId: "(\w+)"/)![1];
  };
  const [one, two] = [await makeProject(files), await makeProject(files)];
  for (const root of [one, two]) {
    await Deno.symlink(join(PROJECT, "node_modules"), join(root, "node_modules"));
  }
  for (const root of [one, two]) await Deno.symlink(join(PROJECT, "lib"), join(root, "lib"));
  const before = await buildId(one);
  assert.equal(await buildId(two), before);
  await Deno.writeTextFile(join(two, "static/a.txt"), "b");
  assert.notEqual(await buildId(two), before);
});

buildTest("nothing of the builder is reachable from the server", async () => {
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--config", join(PROJECT, "deno.json"), join(outDir, "server.js")],
    cwd: PROJECT,
    stderr: "null",
  }).output();
  assert.equal(code, 0);
  const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as { modules: { specifier: string }[] };
  const paths = modules.map(({ specifier }) => specifier);
  assert.ok(paths.some((path) => path.endsWith("/lib/fresh/app.ts")));
  assert.deepEqual(paths.filter((path) => /esbuild|fresh\/build\/|fresh\/dev\.ts/.test(path)), []);
});

buildTest("bundled into one file beside static/, the server renders islands and serves files", async () => {
  await build({
    entryPoints: [join(outDir, "server.js")],
    outfile: join(outDir, "bundled.js"),
    bundle: true,
    format: "esm",
    platform: "node",
    jsx: "automatic",
    jsxImportSource: "preact",
    alias: {
      "fresh": join(PROJECT, "lib/fresh/mod.ts"),
      "fresh/runtime": join(PROJECT, "lib/fresh/runtime.ts"),
    },
    logLevel: "error",
  });
  await stop();
  const { default: server } = await import(`file://${outDir}/bundled.js`);
  const get = async (path: string) =>
    await (await server.fetch(new Request(`http://localhost${path}`))).text();
  assert.match(await get("/islands"), /<!--frsh:island:0--><button [^>]*>5<\/button>/);
  assert.match(await get("/style.css"), /color: black/);
});

const REFUSED: [path: string, text: string, message: RegExp][] = [
  ["routes/empty.ts", "export const other = 1;", /routes\/empty\.ts: must export default or handler/],
  ["routes/_middleware.ts", "export const handler = 1;", /routes\/_middleware\.ts: the export "handler"/],
  ["routes/a.ts", "export const handlers = {};\nexport default 1;", /routes\/a\.ts: .* Call it "handler"/],
  ["routes/_404.tsx", "export default 1;", /routes\/_404\.tsx: .* only _app, _middleware and _error/],
  ["routes/a/_error.tsx", "export default 1;", /routes\/a\/_error\.tsx: .* only in routes\/ itself/],
  ["routes/(group)/a.tsx", "export default 1;", /routes\/\(group\)\/a\.tsx: /],
  ["routes/[[id]].ts", "export default 1;", /routes\/\[\[id\]\]\.ts: parameters are/],
];

for (const [path, text, message] of REFUSED) {
  buildTest(`refused by name: ${path}`, async () => {
    const root = await makeProject({ [path]: text });
    await assert.rejects(() => new Builder({ root }).build(), message);
  });
}
