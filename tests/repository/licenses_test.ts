/** Whoever passes the product on has to pass on the notices of what is in it. */
import assert from "node:assert/strict";
import { licenses, SHIPPED_PACKAGES } from "../../scripts/notices.ts";
import { root } from "../support/fixture.ts";

/** What each folder of the product imports of npm, by the package's name. */
async function importedPackages(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(root + folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) found.push(...await importedPackages(path));
    if (!/\.tsx?$/.test(name)) continue;
    const text = await Deno.readTextFile(root + path);
    for (const [, from] of text.matchAll(/^\s*(?:import|export)\b[^;'"]*?\bfrom\s*"([@a-z][^":]*)"/gm)) {
      found.push(from.split("/").slice(0, from.startsWith("@") ? 2 : 1).join("/"));
    }
  }
  return found;
}

/** Ours, by the import map; and what only makes the product. */
const NOT_SHIPPED = ["fresh", "esbuild"];

Deno.test("every package whose code is shipped has its notice in /licenses.txt", async () => {
  const folders = ["lib", "routes", "islands", "components", "player"];
  const used = new Set((await Promise.all(folders.map(importedPackages))).flat());
  const missing = [...used].filter((name) => ![...SHIPPED_PACKAGES, ...NOT_SHIPPED].includes(name));
  assert.deepEqual(missing, []);
  const text = await licenses();
  assert.match(text, /^MIT License\n\nCopyright \(c\) 2026 Browser Stream contributors/);
  for (const name of SHIPPED_PACKAGES) assert.match(text, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, "m"));
  assert.match(text, /Apache License/);
});
