import type { StaticFile } from "../build_cache.ts";
import { contentType } from "./content_type.ts";
import { dirname, join, listFiles } from "./paths.ts";

type StaticFiles = Record<string, StaticFile>;

/** Writes the files that the build serves: a copy of static/ and the bundles of the islands. */
export async function writeStatic(
  source: string,
  bundles: Map<string, Uint8Array>,
  target: string,
): Promise<StaticFiles> {
  await Deno.remove(target, { recursive: true }).catch(() => {});
  const contents = new Map(bundles);
  for (const path of await listFiles(source)) {
    if (isHidden(path)) continue;
    contents.set(`/${path}`, await Deno.readFile(join(source, path)));
  }
  const files: StaticFiles = {};
  for (const path of [...contents.keys()].sort()) {
    files[path] = await writeFile(target, path, contents.get(path)!);
  }
  return files;
}

/** A hash of everything the build serves: the same sources give the same id. */
export async function buildIdOf(files: StaticFiles): Promise<string> {
  const lines = Object.entries(files).map(([path, { hash }]) => `${hash} ${path}\n`);
  return await hashOf(new TextEncoder().encode(lines.join("")));
}

/** Whether an editor or a system left the file. RFC 8615 asks for `.well-known`, which is served all the same. */
function isHidden(path: string): boolean {
  return path.split("/").some((segment) => segment.startsWith(".") && segment !== ".well-known");
}

async function writeFile(target: string, path: string, contents: Uint8Array): Promise<StaticFile> {
  const file = join(target, path);
  await Deno.mkdir(dirname(file), { recursive: true });
  await Deno.writeFile(file, contents);
  return { hash: await hashOf(contents), type: contentType(path), size: contents.length };
}

async function hashOf(contents: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", contents as BufferSource);
  return Array.from(new Uint8Array(digest, 0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
