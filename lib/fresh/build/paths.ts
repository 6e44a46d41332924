import { relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";

export { basename, dirname, extname, join, relative, resolve } from "node:path";

export function toFileUrl(path: string): string {
  return pathToFileURL(path).href;
}

/** Every file below a folder, relative to it and in code-point order; none if there is no such folder. */
export async function listFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  async function walk(path: string) {
    for await (const { name, isDirectory } of Deno.readDir(path)) {
      const entry = resolve(path, name);
      if (isDirectory) await walk(entry);
      else files.push(relative(folder, entry));
    }
  }
  try {
    await walk(folder);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return files.sort();
}
