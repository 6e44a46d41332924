/**
 * Copies the operator's extensions to a folder that the streams' users can read, and only root can write. Later changes
 * in the operator's folder count at the next start.
 */
import { join } from "node:path";
import type { Paths } from "../paths.ts";
import { readExtensions } from "../browser/extensions.ts";
import { ensureFolder, removeTree } from "../machine/os/files.ts";
import { firstBytes, openRegular } from "../machine/os/regular_file.ts";
import { withRightsOf } from "../machine/os/rights.ts";
import { errorText } from "../machine/tools/log.ts";

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

/**
 * Copies an extension with the rights of its folder's owner, who may put links there at any moment.
 * @param below the part of the folder. @param left the files and bytes that may still be copied.
 * @throws {Error} at links, special files, and too much.
 */
async function copyFiles(
  from: string,
  to: string,
  left: { files: number; bytes: number },
  below = "",
): Promise<void> {
  await ensureFolder(join(to, below), 0o755);
  const entries = withRightsOf(from, (here) => [...Deno.readDirSync(join(here, below))]);
  for (const { name, isDirectory } of entries) {
    const path = join(below, name);
    if (--left.files < 0) throw tooMuch();
    if (isDirectory) {
      await copyFiles(from, to, left, path);
      continue;
    }
    using file = withRightsOf(from, (here) => openRegular(join(here, path)));
    if (!file) throw new Error(`${name} is a link, or no file: put the file itself there`);
    const { size } = await file.stat();
    left.bytes -= size;
    if (left.bytes < 0) throw tooMuch();
    await Deno.writeFile(join(to, path), firstBytes(file, size), { mode: 0o644 });
    await Deno.chmod(join(to, path), 0o644);
  }
}

function tooMuch(): Error {
  return new Error(`it has more than ${MAX_FILES} files or ${MAX_BYTES / 1024 / 1024} MiB`);
}
