/** Moves the stream list from the path of earlier versions. */
import { dirname } from "node:path";
import { readOrNull, writeFileAtomic } from "../machine/os/files.ts";

/**
 * Takes over `oldPath` when `path` does not exist; the old file stays as `….migrated`. Says whether the file was moved.
 * After a crash in between, the next start repeats the step. A link in the place of the old file is left alone.
 */
export async function migrateStreamFile(oldPath: string, path: string): Promise<boolean> {
  const isLink = (await Deno.lstat(oldPath).catch(() => null))?.isSymlink;
  const text = isLink ? null : await readOrNull(oldPath);
  // root must not read the new file, which is the web app's, unless there is an old file
  const current = text === null ? null : await readOrNull(path);
  if (text === null || (current !== null && current !== text)) return false;
  await Deno.mkdir(dirname(path), { recursive: true });
  await writeFileAtomic(path, text, 0o600);
  await Deno.rename(oldPath, `${oldPath}.migrated`);
  await Deno.chmod(`${oldPath}.migrated`, 0o600); // passwords are in it
  return true;
}
