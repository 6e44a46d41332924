/**
 * Copies the operator's extensions to a folder that the streams' users can read, and only root can write. Later changes
 * in the operator's folder count at the next start.
 */
import { join } from "node:path";
import type { Paths } from "../paths.ts";
import { readExtensions } from "../pipeline/extensions.ts";
import { ensureFolder, removeTree } from "../os/files.ts";
import { errorText } from "../system/log.ts";

/** Limits of an extension. */
const MAX_FILES = 5000;
const MAX_BYTES = 100 * 1024 * 1024;

/** Makes the copies anew; returns a text for people about each left-out extension, with the reason. */
export async function installExtensions(
  { givenExtensionsDir: from, extensionsDir: to }: Pick<Paths, "givenExtensionsDir" | "extensionsDir">,
): Promise<string[]> {
  await removeTree(to);
  const { extensions, problems } = await readExtensions(from);
  if (extensions.length === 0) return problems;
  // Chromium gets the folders with commas between them
  if (to.includes(",")) {
    return [...problems, `${to}: a folder with a comma in its name cannot be given to Chromium`];
  }
  await ensureFolder(to, 0o755);
  for (const { name } of extensions) {
    try {
      await copyFiles(join(from, name), join(to, name), { files: MAX_FILES, bytes: MAX_BYTES });
    } catch (error) {
      await removeTree(join(to, name));
      problems.push(`${join(from, name)}: ${errorText(error)}`);
    }
  }
  return problems;
}

/** @param left the files and bytes that may still be copied. @throws {Error} at links, special files, and too much. */
async function copyFiles(from: string, to: string, left: { files: number; bytes: number }): Promise<void> {
  await ensureFolder(to, 0o755);
  for await (const { name, isFile, isDirectory } of Deno.readDir(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    if (!isFile && !isDirectory) throw new Error(`${name} is a link, or no file: put the file itself there`);
    left.files--;
    if (isFile) left.bytes -= (await Deno.lstat(source)).size;
    if (left.files < 0 || left.bytes < 0) {
      throw new Error(`it has more than ${MAX_FILES} files or ${MAX_BYTES / 1024 / 1024} MiB`);
    }
    if (isDirectory) await copyFiles(source, target, left);
    else {
      await Deno.copyFile(source, target);
      await Deno.chmod(target, 0o644);
    }
  }
}
